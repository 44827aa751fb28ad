import { useEffect } from 'react';

/** Keys a view reacts to: `/`, `?`, `[`, `ArrowLeft`, or two pressed one after the other as in `g o`. */
export type Shortcuts = Readonly<Record<string, () => void>>;

/** Longest pause between the two keys of a sequence. */
const SEQUENCE_MS = 1000;

/** Listens while the component is shown. Keys typed into a field, with a modifier or in a dialog are left alone. */
export function useShortcuts(shortcuts: Shortcuts): void {
  useEffect(() => {
    let first = '';
    let firstAt = 0;
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const sequence = event.timeStamp - firstAt < SEQUENCE_MS ? `${first} ${event.key}` : '';
      [first, firstAt] = [event.key, event.timeStamp];
      const run = shortcuts[sequence] ?? shortcuts[event.key];
      if (run === undefined) return;
      event.preventDefault();
      run();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [shortcuts]);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.closest('input, textarea, select, dialog') !== null;
}
