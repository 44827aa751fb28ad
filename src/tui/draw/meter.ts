import { type Span, span, type Tone } from '../text/span.ts';
import { charWidth, padded } from '../text/width.ts';

/**
 * A bar with its figures on it: the part that is in use lies on another ground. `share` is 0–1, null where unknown, which
 * leaves the whole bar without ground. Anything above nothing fills at least one place, and only what is full fills all.
 */
export function meter(text: string, share: number | null, width: number, tone: Tone = 'text'): readonly Span[] {
  const label = padded(text, width, 'right');
  if (share === null) return [span(label, tone)];
  const filled = filledPlaces(share, width);
  let places = 0;
  let at = 0;
  for (const char of label) {
    if (places >= filled) break;
    places += charWidth(char);
    at += char.length;
  }
  return [span(label.slice(0, at), tone, 'fill'), span(label.slice(at), tone, 'track')].filter(
    (part) => part.text !== '',
  );
}

/** Places of a bar that are filled. */
function filledPlaces(share: number, width: number): number {
  if (share <= 0 || width <= 0) return 0;
  if (share >= 1) return width;
  return Math.min(Math.max(1, Math.round(share * width)), Math.max(1, width - 1));
}
