import type { Line } from '../text/span.ts';
import { textWidth } from '../text/width.ts';
import type { SortId } from './process-rows.ts';

/** What a click on some place of the screen means. */
export type Target =
  | { readonly kind: 'gpu'; readonly uuid: string }
  /** A line of the process table by its key. */
  | { readonly kind: 'process'; readonly key: string }
  /** The heading of a column. */
  | { readonly kind: 'sort'; readonly sort: SortId }
  /** A line of a list to choose from. */
  | { readonly kind: 'choice'; readonly index: number }
  /** A key of the bar at the bottom, as readline names it. */
  | { readonly kind: 'key'; readonly name: string };

/** What lies at a place of a line: that of the last span that says so, up to there. */
export function targetAt(line: Line | undefined, column: number): Target | null {
  let target: Target | null = null;
  let end = 0;
  for (const each of line ?? []) {
    if (end > column) break;
    if (each.target !== undefined) target = each.target;
    end += textWidth(each.text);
  }
  return target;
}
