import { CONDITIONS, type Condition } from '../../../src/client/condition.ts';
import { LANGUAGES, type Lang } from '../../../src/model/i18n/text.ts';
import type { Millis } from '../../../src/model/reading.ts';

/** Ranges that end now, by name as in the URL. */
export const PRESETS = ['live', '15m', '1h', '6h', '24h', '7d', 'all'] as const;
export type Preset = (typeof PRESETS)[number];

const MINUTE = 60_000;

/** Length of a preset; null for `all`, which begins where the history does. */
export const PRESET_MS: Readonly<Record<Preset, number | null>> = {
  live: 5 * MINUTE,
  '15m': 15 * MINUTE,
  '1h': 60 * MINUTE,
  '6h': 360 * MINUTE,
  '24h': 1440 * MINUTE,
  '7d': 7 * 1440 * MINUTE,
  all: null,
};

export interface Span {
  readonly from: Millis;
  readonly to: Millis;
}

export type Range = Preset | Span;

type Route =
  | { readonly view: 'overview' }
  | { readonly view: 'gpu'; readonly uuid: string }
  | { readonly view: 'findings' }
  | { readonly view: 'about' }
  | { readonly view: 'not-found'; readonly path: string };

export type Layout = 'grid' | 'rows';

/** Everything a shared link must reproduce. */
export interface Place {
  readonly route: Route;
  /** Null means by the kind of source. */
  readonly range: Range | null;
  /** Only GPUs in this condition are listed. */
  readonly condition: Condition | null;
  /** Only GPUs matching this text are listed. */
  readonly text: string;
  /** Null means by the number of GPUs. */
  readonly layout: Layout | null;
  /** Null means as set in this browser. */
  readonly lang: Lang | null;
}

/** Reads a URL. `path` is relative to the base of the page. What is not understood is left at its default. */
export function parsePlace(path: string, search: string): Place {
  const params = new URLSearchParams(search);
  return {
    route: parseRoute(path),
    range: parseRange(params),
    condition: oneOf(CONDITIONS, params.get('state')),
    text: params.get('q') ?? '',
    layout: oneOf(['grid', 'rows'] as const, params.get('layout')),
    lang: oneOf(LANGUAGES, params.get('lang')),
  };
}

/** The URL of a place, relative to the base of the page. Only what differs from the default is written. */
export function formatPlace(place: Place): string {
  const { route, range, condition, text, layout, lang } = place;
  const params = new URLSearchParams();
  if (route.view === 'gpu') {
    if (typeof range === 'string') params.set('range', range);
    else if (range !== null) {
      params.set('from', String(range.from));
      params.set('to', String(range.to));
    }
  }
  if (route.view === 'overview') {
    if (condition !== null) params.set('state', condition);
    if (text !== '') params.set('q', text);
    if (layout !== null) params.set('layout', layout);
  }
  if (lang !== null) params.set('lang', lang);
  const search = params.toString();
  return formatRoute(route) + (search === '' ? '' : `?${search}`);
}

function parseRoute(path: string): Route {
  if (path === '' || path === 'index.html') return { view: 'overview' };
  if (path === 'about') return { view: 'about' };
  if (path === 'findings') return { view: 'findings' };
  const uuid = /^gpu\/([^/]+)$/.exec(path)?.[1];
  const decoded = uuid === undefined ? null : decode(uuid);
  return decoded === null ? { view: 'not-found', path } : { view: 'gpu', uuid: decoded };
}

function formatRoute(route: Route): string {
  switch (route.view) {
    case 'overview':
      return '';
    case 'about':
      return 'about';
    case 'findings':
      return 'findings';
    case 'gpu':
      return `gpu/${encodeURIComponent(route.uuid)}`;
    case 'not-found':
      return route.path;
  }
}

function parseRange(params: URLSearchParams): Range | null {
  const [from, to] = [whole(params.get('from')), whole(params.get('to'))];
  if (from !== null && to !== null && from < to) return { from, to };
  return oneOf(PRESETS, params.get('range'));
}

function whole(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

function oneOf<const T extends string>(known: readonly T[], text: string | null): T | null {
  return known.find((each) => each === text) ?? null;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
