import { useEffect, useReducer } from 'react';

/** Draws the component again every `ms` while the page is visible, for texts that age. */
export function useEvery(ms: number): void {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) redraw();
    }, ms);
    return () => clearInterval(timer);
  }, [ms]);
}

/** True once `ms` have passed since the component appeared: nothing flashes up for what comes sooner. */
export function useAfter(ms: number): boolean {
  const [passed, pass] = useReducer(() => true, false);
  useEffect(() => {
    const timer = setTimeout(pass, ms);
    return () => clearTimeout(timer);
  }, [ms]);
  return passed;
}
