import { SPANS_MS } from '../data/history.ts';
import type { Tone } from '../text/span.ts';
import { THEMES, type ThemeName } from '../text/theme.ts';
import { type ProcessEntry, SORTS, type SortId, usualDirection } from './process-rows.ts';

/** What is kept from one start to the next. */
export interface Settings {
  readonly sort: SortId;
  readonly isDescending: boolean;
  readonly isTree: boolean;
  /** UUIDs of GPUs that are not shown. */
  readonly hidden: readonly string[];
  readonly hasCharts: boolean;
  readonly hasEvents: boolean;
  readonly spanMs: number;
  readonly theme: ThemeName;
  readonly isAscii: boolean;
}

const USUAL_SETTINGS: Settings = {
  sort: 'memory',
  isDescending: true,
  isTree: false,
  hidden: [],
  hasCharts: true,
  hasEvents: true,
  spanMs: 5 * 60_000,
  theme: 'dark',
  isAscii: false,
};

export const SIGNALS = [
  ...(['SIGTERM', 'SIGINT', 'SIGKILL', 'SIGHUP', 'SIGQUIT'] as const),
  ...(['SIGSTOP', 'SIGCONT', 'SIGUSR1', 'SIGUSR2'] as const),
] as const;
export type SignalName = (typeof SIGNALS)[number];

export type Dialog =
  | { readonly kind: 'sort'; readonly index: number }
  | { readonly kind: 'signal'; readonly index: number; readonly target: ProcessEntry }
  | { readonly kind: 'confirm'; readonly signal: SignalName; readonly target: ProcessEntry };

export type View = 'main' | 'gpu' | 'process' | 'events' | 'setup' | 'help';

/** Said at the bottom for a while. `until` is on the monotonic clock. */
export interface Notice {
  readonly text: string;
  readonly tone: Tone;
  readonly until: number;
}

export interface UiState {
  readonly settings: Settings;
  readonly view: View;
  /** Views that it was opened from, the innermost last. */
  readonly under: readonly View[];
  readonly pane: 'gpus' | 'processes';
  /** UUID of the chosen GPU; null for the first. */
  readonly gpu: string | null;
  /** Key of the chosen line of the process table, and where it was last: the line in its place is next. */
  readonly process: string | null;
  readonly processIndex: number;
  /** Places by which commands are scrolled to the left. */
  readonly scroll: number;
  /** First line of a list that is read by scrolling, or the chosen line of the setup. */
  readonly offset: number;
  readonly filter: string;
  readonly isFiltering: boolean;
  readonly isPaused: boolean;
  readonly dialog: Dialog | null;
  readonly notice: Notice | null;
  /** Digits typed just now, for GPUs from 10 on. */
  readonly digits: { readonly text: string; readonly at: number };
}

export function initialState(settings: Settings): UiState {
  return {
    settings,
    view: 'main',
    under: [],
    pane: 'processes',
    gpu: null,
    process: null,
    processIndex: 0,
    scroll: 0,
    offset: 0,
    filter: '',
    isFiltering: false,
    isPaused: false,
    dialog: null,
    notice: null,
    digits: { text: '', at: Number.NEGATIVE_INFINITY },
  };
}

/** Sorts by a column; by the same one again turns the order round. */
export function sortBy(state: UiState, sort: SortId): UiState {
  const { settings } = state;
  const isDescending = settings.sort === sort ? !settings.isDescending : usualDirection(sort);
  return withSettings(state, { sort, isDescending });
}

export function withSettings(state: UiState, settings: Partial<Settings>): UiState {
  return { ...state, settings: { ...state.settings, ...settings } };
}

/** The settings of somebody who has saved none; charts show as much as there is to show. */
export function usualSettings(data: 'served' | 'from-now-on' | 'recorded'): Settings {
  const spanMs = { served: 5 * 60_000, 'from-now-on': 60_000, recorded: 60 * 60_000 }[data];
  return { ...USUAL_SETTINGS, spanMs };
}

/** Settings out of a file that a person may have edited: what makes no sense is as usual. */
export function readSettings(value: unknown, usual: Settings): Settings {
  const saved = (typeof value === 'object' && value !== null ? value : {}) as Partial<Record<keyof Settings, unknown>>;
  const flag = (name: keyof Settings, otherwise: boolean): boolean => {
    const given = saved[name];
    return typeof given === 'boolean' ? given : otherwise;
  };
  const { hidden } = saved;
  return {
    sort: SORTS.find((sort) => sort === saved.sort) ?? usual.sort,
    isDescending: flag('isDescending', usual.isDescending),
    isTree: flag('isTree', usual.isTree),
    hidden: Array.isArray(hidden) ? hidden.filter((uuid) => typeof uuid === 'string') : usual.hidden,
    hasCharts: flag('hasCharts', usual.hasCharts),
    hasEvents: flag('hasEvents', usual.hasEvents),
    spanMs: SPANS_MS.find((span) => span === saved.spanMs) ?? usual.spanMs,
    theme: THEMES.find((theme) => theme === saved.theme) ?? usual.theme,
    isAscii: flag('isAscii', usual.isAscii),
  };
}
