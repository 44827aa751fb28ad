import type { Translate } from '../../model/i18n/messages.ts';
import type { FleetRow } from '../data/fleet.ts';
import type { ProcessEntry, ProcessRow } from './process-rows.ts';
import type { Notice, SignalName, UiState } from './state.ts';

/** What the keys act on. */
export interface World {
  /** Every card, hidden ones too, by index. */
  readonly cards: readonly FleetRow[];
  /** Listed GPUs in the order of the screen. */
  readonly rows: readonly FleetRow[];
  /** Lines of the process table that is shown. */
  readonly processes: readonly ProcessRow[];
  /** Why no signal may be sent; null where it may. */
  readonly refusal: 'readonly' | 'elsewhere' | null;
  /** Lines that one page of a list has. */
  readonly page: number;
  /** Monotonic milliseconds. */
  readonly now: number;
  readonly t: Translate;
}

/** What a key asks for beyond the state of the screen. */
export type Command =
  | { readonly kind: 'quit' | 'suspend' | 'redraw' | 'save' }
  | { readonly kind: 'kill'; readonly target: ProcessEntry; readonly signal: SignalName };

export interface Updated {
  readonly state: UiState;
  readonly command?: Command;
}

const NOTICE_MS = 6000;

/** Something to say for a while, from `now` on. */
export function notice(text: string, tone: Notice['tone'], now: number): Notice {
  return { text, tone, until: now + NOTICE_MS };
}
