import { dateTime, quantityText, timeOfDay } from '../../model/format.ts';
import type { Lang } from '../../model/i18n/text.ts';
import type { Unit } from '../../model/metrics/entry.ts';
import type { Values } from '../statistics/summary.ts';
import { escapeHtml } from './escape.ts';

/** One line of a chart. */
export interface Line {
  readonly name: string;
  readonly values: Values;
}

export interface Chart {
  readonly title: string;
  readonly unit: Unit;
  readonly at: Float64Array;
  readonly lines: readonly Line[];
  /** Cells drawn, from `start` to before `end`. */
  readonly start: number;
  readonly end: number;
  /** Times between which the evidence lies, shaded. */
  readonly from: number;
  readonly to: number;
  /** Times of events, drawn as marks. */
  readonly marks: readonly number[];
}

const WIDTH = 720;
const HEIGHT = 150;
const LEFT = 64;
const BOTTOM = 18;
const TOP = 6;

/** Points of a line at most; of more each stands for the lowest and the highest of several. */
const COLUMNS = 360;

/** A time chart as inline SVG: it needs nothing but itself. */
export function chartSvg({ title, unit, at, lines, start, end, from, to, marks }: Chart, lang: Lang): string {
  const first = at[start]!;
  const span = Math.max(1, at[end - 1]! - first);
  const top = highest(lines, start, end);
  const x = (time: number): number => LEFT + ((time - first) / span) * (WIDTH - LEFT - 4);
  const y = (value: number): number => TOP + (1 - value / top) * (HEIGHT - TOP - BOTTOM);
  const within = (time: number): number => Math.min(WIDTH - 4, Math.max(LEFT, x(time)));
  const shade = `<rect class="shade" x="${round(within(from))}" y="${TOP}" width="${round(Math.max(1, within(to) - within(from)))}" height="${HEIGHT - TOP - BOTTOM}"/>`;
  const grid = [0, 0.5, 1].map((part) => {
    const label = escapeHtml(quantityText(part * top, unit, lang));
    return `<line class="grid" x1="${LEFT}" x2="${WIDTH - 4}" y1="${round(y(part * top))}" y2="${round(y(part * top))}"/><text x="${LEFT - 6}" y="${round(y(part * top)) + 4}" text-anchor="end">${label}</text>`;
  });
  const times = [first, at[end - 1]!].map(
    (time, index) =>
      `<text x="${index === 0 ? LEFT : WIDTH - 4}" y="${HEIGHT - 4}" text-anchor="${index === 0 ? 'start' : 'end'}">${escapeHtml(index === 0 ? dateTime(time) : timeOfDay(time))}</text>`,
  );
  const flags = marks
    .filter((time) => time >= first && time <= first + span)
    .map(
      (time) =>
        `<line class="mark" x1="${round(x(time))}" x2="${round(x(time))}" y1="${TOP}" y2="${HEIGHT - BOTTOM}"/>`,
    );
  const paths = lines.map(
    ({ name, values }, index) =>
      `<path class="line c${index % 8}" d="${pathOf(values, at, start, end, x, y)}"><title>${escapeHtml(name)}</title></path>`,
  );
  const label = escapeHtml(`${title}: ${lines.map(({ name }) => name).join(', ')}`);
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}">${shade}${grid.join('')}${times.join('')}${flags.join('')}${paths.join('')}</svg>`;
}

function highest(lines: readonly Line[], start: number, end: number): number {
  let top = 0;
  for (const { values } of lines)
    for (let cell = start; cell < end; cell++) if (values[cell]! > top) top = values[cell]!;
  return top > 0 ? top : 1;
}

function pathOf(
  values: Values,
  at: Float64Array,
  start: number,
  end: number,
  x: (time: number) => number,
  y: (value: number) => number,
): string {
  const step = Math.max(1, Math.ceil((end - start) / COLUMNS));
  let path = '';
  let isOpen = false;
  for (let cell = start; cell < end; cell += step) {
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let i = cell; i < Math.min(end, cell + step); i++) {
      if (Number.isNaN(values[i]!)) continue;
      if (values[i]! < low) low = values[i]!;
      if (values[i]! > high) high = values[i]!;
    }
    if (high === Number.NEGATIVE_INFINITY) {
      isOpen = false;
      continue;
    }
    const place = round(x(at[cell]!));
    path += `${isOpen ? 'L' : 'M'}${place} ${round(y(high))}`;
    if (low < high) path += `L${place} ${round(y(low))}`;
    isOpen = true;
  }
  return path;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
