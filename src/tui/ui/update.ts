import type { FleetRow } from '../data/fleet.ts';
import { SPANS_MS } from '../data/history.ts';
import { type KeyPress, keyWord } from '../terminal/key-press.ts';
import { THEMES } from '../text/theme.ts';
import { typeFilter, updateDialog } from './dialogs.ts';
import { type Action, actionOf } from './keys.ts';
import type { ProcessRow, SortId } from './process-rows.ts';
import { changeSetting, setupItems } from './setup-items.ts';
import { sortBy, type UiState, type View, withSettings } from './state.ts';
import { notice, type Updated, type World } from './world.ts';

const DIGITS_MS = 800;
const SCROLL_PLACES = 8;

/** The state after a key. Pure: what has to be done outside comes back as a command. */
export function updateUi(state: UiState, press: KeyPress, world: World): Updated {
  const key = keyWord(press);
  if (key === 'ctrl-c') return { state, command: { kind: 'quit' } };
  if (state.isFiltering) return { state: typeFilter(state, press, key) };
  // Pasted text is no series of commands.
  if (press.isPaste) return { state };
  const calm = state.notice === null ? state : { ...state, notice: null };
  if (calm.dialog !== null) return updateDialog(calm, calm.dialog, key, world);
  const action = actionOf(key);
  if (action === undefined) return { state: calm };
  if (key === 'q' && calm.view !== 'main') return { state: back(calm) };
  if (calm.view === 'setup') {
    const changed = updateSetup(calm, key, action, world);
    if (changed !== null) return { state: changed };
  }
  return act(calm, action, key, world);
}

function act(state: UiState, action: Action, key: string, world: World): Updated {
  switch (action) {
    case 'quit':
    case 'suspend':
    case 'redraw':
    case 'save':
      return { state, command: { kind: action } };
    case 'kill':
      return { state: askSignal(state, world) };
    case 'hide':
      return { state: hide(state, world) };
    case 'digit':
      return { state: byDigit(state, key, world) };
    case 'up':
    case 'down':
    case 'page-up':
    case 'page-down':
    case 'first':
    case 'last':
      return { state: move(state, action, world) };
    case 'left':
    case 'right':
      return { state: sideways(state, action === 'left' ? -1 : 1, world) };
    default:
      return { state: change(state, action, world) };
  }
}

type Change = Exclude<
  Action,
  | ('quit' | 'suspend' | 'redraw' | 'save' | 'kill' | 'hide' | 'digit' | 'left' | 'right')
  | ('up' | 'down' | 'page-up' | 'page-down' | 'first' | 'last')
>;

function change(state: UiState, action: Change, world: World): UiState {
  const { settings } = state;
  switch (action) {
    case 'help':
    case 'setup':
    case 'events':
      return state.view === action ? back(state) : open(state, action);
    case 'back':
      return state.view !== 'main' ? back(state) : { ...state, filter: '' };
    case 'open':
      return openChosen(state, world);
    case 'filter':
      return { ...state, isFiltering: true };
    case 'switch':
      return { ...state, pane: state.pane === 'gpus' ? 'processes' : 'gpus' };
    case 'pause':
      return { ...state, isPaused: !state.isPaused };
    case 'sort':
      return { ...state, dialog: { kind: 'sort', index: 0 } };
    case 'ascending':
    case 'descending':
      return withSettings(state, { isDescending: action === 'descending' });
    case 'invert':
      return withSettings(state, { isDescending: !settings.isDescending });
    case 'tree':
      return withSettings(state, { isTree: !settings.isTree });
    case 'charts':
      return withSettings(state, { hasCharts: !settings.hasCharts });
    case 'theme':
      return withSettings(state, { theme: next(THEMES, settings.theme, 1, true) });
    case 'shorter':
      return withSettings(state, { spanMs: next(SPANS_MS, settings.spanMs, -1, false) });
    case 'longer':
      return withSettings(state, { spanMs: next(SPANS_MS, settings.spanMs, 1, false) });
    case 'show-all':
      return withSettings(state, { hidden: [] });
    default:
      return sortBy(state, action.slice('sort-'.length) as SortId);
  }
}

/** The neighbour of a value in a list, round the ends where `isRound`. */
function next<Value>(values: readonly Value[], value: Value, step: 1 | -1, isRound: boolean): Value {
  const index = values.indexOf(value) + step;
  const kept = isRound ? (index + values.length) % values.length : Math.min(values.length - 1, Math.max(0, index));
  return values[kept] ?? value;
}

function open(state: UiState, view: View): UiState {
  return { ...state, view, under: [...state.under, state.view], offset: 0 };
}

function back(state: UiState): UiState {
  return { ...state, view: state.under.at(-1) ?? 'main', under: state.under.slice(0, -1), offset: 0 };
}

function openChosen(state: UiState, world: World): UiState {
  if (state.view === 'main' && state.pane === 'gpus') {
    const row = world.rows[chosenGpuIndex(state, world.rows)];
    return row === undefined ? state : { ...open(state, 'gpu'), gpu: row.gpu.uuid };
  }
  if (state.view !== 'main' && state.view !== 'gpu') return state;
  const row = world.processes[chosenProcessIndex(state, world.processes)];
  return row?.kind === 'process' ? { ...open(state, 'process'), process: row.key } : state;
}

/** Position of the chosen GPU in a list; 0 where it is not listed. */
export function chosenGpuIndex({ gpu }: UiState, rows: readonly FleetRow[]): number {
  return Math.max(
    0,
    rows.findIndex((row) => row.gpu.uuid === gpu),
  );
}

/** Position of the chosen line; where the line has gone, the one that took its place. -1 in an empty table. */
export function chosenProcessIndex({ process, processIndex }: UiState, rows: readonly ProcessRow[]): number {
  const index = rows.findIndex(({ key }) => key === process);
  return index >= 0 ? index : Math.min(processIndex, rows.length - 1);
}

type Move = 'up' | 'down' | 'page-up' | 'page-down' | 'first' | 'last';

function moved(index: number, move: Move, count: number, page: number): number {
  const steps = { up: -1, down: 1, 'page-up': -page, 'page-down': page, first: -count, last: count };
  return Math.max(0, Math.min(count - 1, index + steps[move]));
}

function move(state: UiState, direction: Move, world: World): UiState {
  const { rows, processes, page } = world;
  if (state.view === 'main' && state.pane === 'gpus') {
    const gpu = rows[moved(chosenGpuIndex(state, rows), direction, rows.length, page)]?.gpu.uuid;
    return gpu === undefined ? state : { ...state, gpu };
  }
  if (state.view === 'main' || state.view === 'gpu') {
    const index = moved(chosenProcessIndex(state, processes), direction, processes.length, page);
    return { ...state, process: processes[index]?.key ?? null, processIndex: index };
  }
  // How long a text is only its view knows; it shows its end where this is beyond.
  const offset = moved(state.offset, direction, 10_000, page);
  return { ...state, offset };
}

function sideways(state: UiState, step: 1 | -1, { rows }: World): UiState {
  if (state.view === 'gpu') {
    const row = rows[(chosenGpuIndex(state, rows) + step + rows.length) % Math.max(1, rows.length)];
    return row === undefined ? state : { ...state, gpu: row.gpu.uuid };
  }
  return { ...state, scroll: Math.max(0, state.scroll + step * SCROLL_PLACES) };
}

/** Opens the GPU with the index that was typed: a second digit soon after the first belongs to it. */
function byDigit(state: UiState, key: string, { rows, now }: World): UiState {
  if (state.view !== 'main' && state.view !== 'gpu') return state;
  const typed = now - state.digits.at < DIGITS_MS ? state.digits.text + key : key;
  const has = (text: string) => rows.find(({ gpu }) => gpu.index === Number(text));
  const text = has(typed) === undefined ? key : typed;
  const row = has(text);
  if (row === undefined) return state;
  const opened = state.view === 'gpu' ? state : open(state, 'gpu');
  return { ...opened, gpu: row.gpu.uuid, digits: { text, at: now } };
}

function hide(state: UiState, { cards, rows, now, t }: World): UiState {
  const row = rows[chosenGpuIndex(state, rows)];
  const card = cards.find(({ gpu, instances }) =>
    [gpu, ...instances.map((part) => part.gpu)].some(({ uuid }) => uuid === row?.gpu.uuid),
  );
  if (card === undefined || state.view !== 'main') return state;
  const shown = cards.filter(({ gpu }) => !state.settings.hidden.includes(gpu.uuid));
  if (shown.length <= 1) return { ...state, notice: notice(t('top.last-gpu'), 'warning', now) };
  const hidden = [...state.settings.hidden, card.gpu.uuid];
  const said = notice(t('top.hidden', { gpu: card.gpu.index }), 'text', now);
  return { ...withSettings(state, { hidden }), gpu: null, notice: said };
}

function askSignal(state: UiState, { processes, refusal, now, t }: World): UiState {
  if (refusal !== null) return { ...state, notice: notice(t(`top.kill.${refusal}`), 'warning', now) };
  const row = processes[chosenProcessIndex(state, processes)];
  const isListed = state.view === 'main' || state.view === 'gpu' || state.view === 'process';
  if (row?.kind !== 'process' || !isListed) {
    return { ...state, notice: notice(t('top.kill.choose'), 'warning', now) };
  }
  return { ...state, process: row.key, dialog: { kind: 'signal', index: 0, target: row.entry } };
}

/** The setup takes Space, Enter and the arrows for itself; null for every other key. */
function updateSetup(state: UiState, key: string, action: Action, { cards, page, now, t }: World): UiState | null {
  const items = setupItems(cards);
  if (['up', 'down', 'page-up', 'page-down', 'first', 'last'].includes(action)) {
    return { ...state, offset: moved(state.offset, action as Move, items.length, page) };
  }
  if (key !== 'space' && key !== 'return') return null;
  const item = items[Math.min(state.offset, items.length - 1)];
  const settings = item === undefined ? null : changeSetting(state.settings, item, cards);
  if (settings === null) return { ...state, notice: notice(t('top.last-gpu'), 'warning', now) };
  return { ...state, settings };
}
