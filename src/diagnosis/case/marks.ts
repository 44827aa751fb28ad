import type { Millis } from '../../model/reading.ts';
import type { Window } from '../window/window.ts';

/** What a program has said about its own progress by `marker` events. */
export interface Marks {
  readonly steps: readonly Millis[];
  readonly epochs: readonly Millis[];
  /** Times of evaluations and checkpoints, from beginning to end. */
  readonly phases: readonly Phase[];
}

interface Phase {
  readonly kind: 'eval' | 'checkpoint';
  readonly from: Millis;
  readonly to: Millis;
}

/**
 * Reads markers by their `phase`: `step`, `epoch`, `eval`, `checkpoint`, the last two with `edge` `begin` and `end`. One
 * without `phase` is read by the first word of its text.
 */
export function readMarks({ events, to }: Window): Marks {
  const steps: Millis[] = [];
  const epochs: Millis[] = [];
  const phases: Phase[] = [];
  const open = new Map<Phase['kind'], Millis>();
  for (const { kind, at, params } of events) {
    if (kind !== 'marker') continue;
    const phase = String(params['phase'] ?? params['text'] ?? '')
      .trim()
      .toLowerCase()
      .split(/\W+/)[0];
    if (phase === 'step') steps.push(at);
    else if (phase === 'epoch') epochs.push(at);
    else if (phase === 'eval' || phase === 'checkpoint') {
      const isEnd = /end/i.test(String(params['edge'] ?? params['text'] ?? ''));
      if (!isEnd) open.set(phase, at);
      else phases.push({ kind: phase, from: open.get(phase) ?? at, to: at });
      if (isEnd) open.delete(phase);
    }
  }
  for (const [kind, from] of open) phases.push({ kind, from, to });
  return { steps, epochs, phases };
}
