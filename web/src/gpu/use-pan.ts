import { type RefObject, useEffect } from 'react';
import type { Navigation } from '../state/navigation.ts';
import type { Span } from '../state/place.ts';
import type { SeriesFeed } from './series-feed.ts';

/** The data of a panned range are asked for once the wheel has rested so long. */
const REST_MS = 200;

/** Turns sideways scrolling, or the wheel with Shift, over the charts into moving through time. */
export function usePan(place: RefObject<HTMLElement | null>, feed: SeriesFeed, navigation: Navigation): void {
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onWheel = (event: WheelEvent) => {
      const sideways = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
      const isPan = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
      if (!isPan || sideways === 0 || !(event.target instanceof Element) || event.target.closest('.plot') === null)
        return;
      event.preventDefault();
      const { span } = feed.state.get();
      const next = moved(span, (sideways / element.clientWidth) * (span.to - span.from));
      feed.preview(next);
      clearTimeout(timer);
      timer = setTimeout(() => {
        const { range } = navigation.place.get();
        if (range === null || typeof range === 'string') navigation.push({ range: next });
        else navigation.replace({ range: next });
      }, REST_MS);
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => {
      clearTimeout(timer);
      element.removeEventListener('wheel', onWheel);
    };
  }, [place, feed, navigation]);
}

function moved({ from, to }: Span, by: number): Span {
  return { from: Math.round(from + by), to: Math.round(to + by) };
}
