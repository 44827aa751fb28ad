import type { KeyPress } from '../terminal/key-press.ts';
import { harmless } from '../text/width.ts';
import { actionOf } from './keys.ts';
import { SORTS } from './process-rows.ts';
import { type Dialog, SIGNALS, sortBy, type UiState } from './state.ts';
import type { Updated, World } from './world.ts';

/** The filter after a key: it takes effect with every letter. */
export function typeFilter(state: UiState, press: KeyPress, key: string): UiState {
  const { filter } = state;
  switch (key) {
    case 'return':
    case 'f4':
      return { ...state, isFiltering: false };
    case 'escape':
      return { ...state, isFiltering: false, filter: '' };
    case 'backspace':
      return { ...state, filter: [...filter].slice(0, -1).join('') };
    case 'ctrl-u':
      return { ...state, filter: '' };
    case 'ctrl-w':
      return { ...state, filter: filter.replace(/\S+\s*$/, '') };
    case 'up':
    case 'down':
      return state;
    default: {
      const { text = '', ctrl, meta } = press;
      const typed = harmless(text.replaceAll(/\s+/g, ' '));
      const isText = press.isPaste || (!ctrl && !meta && text !== '' && !/\p{Cc}/u.test(text));
      return isText ? { ...state, filter: filter + typed } : state;
    }
  }
}

export function updateDialog(state: UiState, dialog: Dialog, key: string, { refusal }: World): Updated {
  const closed = { ...state, dialog: null };
  if (dialog.kind === 'confirm') {
    const { target, signal } = dialog;
    // What allowed it may have changed while the question stood there.
    const isMeant = (key === 'y' || key === 'Y') && refusal === null;
    return isMeant ? { state: closed, command: { kind: 'kill', target, signal } } : { state: closed };
  }
  const count = dialog.kind === 'sort' ? SORTS.length : SIGNALS.length;
  const action = actionOf(key);
  if (action === 'up' || action === 'down') {
    const index = (dialog.index + (action === 'up' ? count - 1 : 1)) % count;
    return { state: { ...state, dialog: { ...dialog, index } } };
  }
  if (action === 'open') return { state: chosen(closed, dialog) };
  return action === 'back' || action === 'quit' || action === dialog.kind ? { state: closed } : { state };
}

function chosen(state: UiState, dialog: Exclude<Dialog, { kind: 'confirm' }>): UiState {
  if (dialog.kind === 'sort') return sortBy(state, SORTS[dialog.index] ?? 'gpu');
  const signal = SIGNALS[dialog.index] ?? 'SIGTERM';
  return { ...state, dialog: { kind: 'confirm', signal, target: dialog.target } };
}
