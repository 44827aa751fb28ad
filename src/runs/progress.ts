import type { GpuEvent } from '../model/event.ts';
import type { Millis } from '../model/reading.ts';
import type { ProgressLine } from './progress-line.ts';

/** How far a run has come, as its output tells. Null for what it has not said. */
export interface RunProgress {
  readonly step: number | null;
  readonly totalSteps: number | null;
  readonly epoch: number | null;
  readonly totalEpochs: number | null;
  readonly loss: number | null;
  readonly evalLoss: number | null;
  readonly learningRate: number | null;
  readonly samplesPerSecond: number | null;
  readonly tokensPerSecond: number | null;
  /** Time of a step as it passed between the first and the last one seen, evaluations and pauses included. */
  readonly meanStepSeconds: number | null;
  readonly checkpoints: number;
  readonly evaluations: number;
}

/** A step is marked no more often than this: a diagnosis needs no more, and some programs print hundreds a second. */
const STEP_EVERY_MS = 1000;

interface Track {
  step: number;
  at: Millis;
  steps: number;
  ms: number;
}

/** Follows a program's output line by line. What happened comes out as markers. */
export class ProgressLog {
  readonly #tracks = new Map<string, Track>();
  readonly #last: { -readonly [Key in keyof RunProgress]?: number } = {};
  #marked: number | null = null;
  readonly #open = new Map<'eval' | 'checkpoint', Millis>();
  #checkpoints = 0;
  #evaluations = 0;
  #stepMarkedAt = Number.NEGATIVE_INFINITY;

  /** Takes a line into account. Gives the markers for it, most often none. */
  add(line: ProgressLine, at: Millis): readonly GpuEvent[] {
    const events: GpuEvent[] = [];
    const { phase, edge, text } = line;
    if (phase === 'marker') return [marker(at, { text: text ?? '' })];
    this.#remember(line);
    if (phase !== undefined) this.#phase(phase, edge ?? 'begin', at, events);
    else if (line.step !== undefined) this.#closePhases(at, events);
    if (line.epoch !== undefined) this.#epoch(line.epoch, at, events);
    if (line.step !== undefined && phase === undefined) this.#step(line, at, events);
    return events;
  }

  /** The run has ended: what is still open ends with it. */
  end(at: Millis): readonly GpuEvent[] {
    const events: GpuEvent[] = [];
    this.#closePhases(at, events);
    return events;
  }

  progress(): RunProgress {
    const last = this.#last;
    const tracks = [...this.#tracks.values()].filter(({ steps }) => steps > 0);
    const longest = tracks.reduce<Track | null>((a, b) => (a === null || b.steps > a.steps ? b : a), null);
    return {
      step: last.step ?? null,
      totalSteps: last.totalSteps ?? null,
      epoch: last.epoch ?? null,
      totalEpochs: last.totalEpochs ?? null,
      loss: last.loss ?? null,
      evalLoss: last.evalLoss ?? null,
      learningRate: last.learningRate ?? null,
      samplesPerSecond: last.samplesPerSecond ?? null,
      tokensPerSecond: last.tokensPerSecond ?? null,
      meanStepSeconds: longest === null ? (last.meanStepSeconds ?? null) : longest.ms / longest.steps / 1000,
      checkpoints: this.#checkpoints,
      evaluations: this.#evaluations,
    };
  }

  #remember(line: ProgressLine): void {
    const last = this.#last;
    const { step, totalSteps, epoch, totalEpochs, loss, evalLoss, learningRate } = line;
    const { samplesPerSecond, tokensPerSecond, secondsPerStep } = line;
    const said = {
      step,
      totalSteps,
      epoch,
      totalEpochs,
      loss,
      evalLoss,
      learningRate,
      samplesPerSecond,
      tokensPerSecond,
    };
    for (const [key, value] of Object.entries(said)) if (value !== undefined) Object.assign(last, { [key]: value });
    if (secondsPerStep !== undefined) last.meanStepSeconds = secondsPerStep;
  }

  #step({ track = '', step = 0, loss }: ProgressLine, at: Millis, events: GpuEvent[]): void {
    const known = this.#tracks.get(track);
    if (known === undefined) {
      this.#tracks.set(track, { step, at, steps: 0, ms: 0 });
    } else if (step > known.step) {
      known.steps += step - known.step;
      known.ms += at - known.at;
      Object.assign(known, { step, at });
    } else if (step < known.step) {
      // Counting starts again with every epoch.
      Object.assign(known, { step, at });
    } else {
      return;
    }
    if (at - this.#stepMarkedAt < STEP_EVERY_MS) return;
    this.#stepMarkedAt = at;
    const text = loss === undefined ? `step ${step}` : `step ${step} loss ${loss}`;
    events.push(marker(at, { phase: 'step', step, text, ...(loss === undefined ? {} : { loss }) }));
  }

  #epoch(epoch: number, at: Millis, events: GpuEvent[]): void {
    const whole = Math.floor(epoch);
    if (this.#marked === whole) return;
    const isFirst = this.#marked === null;
    this.#marked = whole;
    // Where a program counts in fractions, the first one it prints is no beginning.
    if (isFirst && epoch !== whole) return;
    events.push(marker(at, { phase: 'epoch', epoch: whole, text: `epoch ${whole}` }));
  }

  #phase(phase: 'eval' | 'checkpoint', edge: 'begin' | 'end', at: Millis, events: GpuEvent[]): void {
    const isOpen = this.#open.has(phase);
    if (edge === 'begin') {
      if (isOpen) return;
      this.#closePhases(at, events);
      this.#open.set(phase, at);
      this.#count(phase);
    } else {
      if (!isOpen) this.#count(phase);
      this.#open.delete(phase);
    }
    events.push(marker(at, { phase, edge, text: `${phase} ${edge}` }));
  }

  #count(phase: 'eval' | 'checkpoint'): void {
    if (phase === 'eval') this.#evaluations++;
    else this.#checkpoints++;
  }

  /** Training that goes on shows that what was open is over. */
  #closePhases(at: Millis, events: GpuEvent[]): void {
    for (const phase of this.#open.keys()) events.push(marker(at, { phase, edge: 'end', text: `${phase} end` }));
    this.#open.clear();
  }
}

function marker(at: Millis, params: GpuEvent['params']): GpuEvent {
  return { at, kind: 'marker', severity: 'info', uuid: null, params };
}
