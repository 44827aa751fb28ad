import type { MousePress } from '../terminal/input-filter.ts';
import { sortBy, type UiState } from './state.ts';
import type { Target } from './target.ts';
import { chosenProcessIndex, updateUi } from './update.ts';
import type { Updated, World } from './world.ts';

/** Lines that one notch of the wheel moves. */
const NOTCH_LINES = 3;

/**
 * The state after a click, or a notch of the wheel, on something. A click chooses; on what is chosen already it does what
 * Enter does. A question that is open is answered by keys alone.
 */
export function updateByMouse(state: UiState, press: MousePress, target: Target | null, world: World): Updated {
  const calm = { ...state, isFiltering: false, notice: null };
  if (press.kind !== 'click') return turned(calm, press.kind === 'wheel-up' ? 'up' : 'down', target, world);
  const { dialog } = calm;
  if (dialog !== null) {
    if (target?.kind !== 'choice' || dialog.kind === 'confirm') return { state };
    return updateUi({ ...calm, dialog: { ...dialog, index: target.index } }, { name: 'return' }, world);
  }
  switch (target?.kind) {
    case 'key':
      return updateUi(calm, { name: target.name }, world);
    case 'sort':
      return { state: sortBy(calm, target.sort) };
    case 'gpu': {
      const isChosen = calm.pane === 'gpus' && calm.gpu === target.uuid;
      if (isChosen) return updateUi(calm, { name: 'return' }, world);
      return { state: { ...calm, pane: 'gpus', gpu: target.uuid } };
    }
    case 'process': {
      const chosen = world.processes[chosenProcessIndex(calm, world.processes)];
      const isActive = calm.view === 'gpu' || calm.pane === 'processes';
      if (isActive && chosen?.key === target.key) return updateUi(calm, { name: 'return' }, world);
      const processIndex = world.processes.findIndex(({ key }) => key === target.key);
      return { state: { ...calm, pane: 'processes', process: target.key, processIndex } };
    }
    default:
      return { state };
  }
}

/** Over the GPUs the wheel goes through these, elsewhere on the first screen through the processes. */
function turned(state: UiState, name: 'up' | 'down', target: Target | null, world: World): Updated {
  const pane = state.view === 'main' && state.dialog === null ? paneOf(target) : state.pane;
  let turnedState: UiState = { ...state, pane };
  for (let line = 0; line < NOTCH_LINES; line++) turnedState = updateUi(turnedState, { name }, world).state;
  return { state: turnedState };
}

function paneOf(target: Target | null): UiState['pane'] {
  return target?.kind === 'gpu' ? 'gpus' : 'processes';
}
