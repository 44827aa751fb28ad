import type { Finding } from '../model/finding.ts';
import type { Notice } from '../model/ports.ts';
import type { Millis } from '../model/reading.ts';
import { diagnose, inOrder } from './diagnose.ts';
import { combine } from './program-log/combine.ts';
import { judgeProgram } from './program-log/judge.ts';
import { emptyProgramLog, type ProgramLog, readProgramLine, saysSomething } from './program-log/program-log.ts';
import type { OutputLine, RunFacts } from './run-facts.ts';
import { TickLog } from './window/tick-log.ts';
import { Window } from './window/window.ts';

/** What was read, as the source tells it. */
export interface Recorded {
  readonly name: string;
  /** Kind of the log, `simulation`, or `history`. */
  readonly format: string;
  /** Device samples; null to count those in the window. */
  readonly rows: number | null;
  /** Lines of a log that has no samples; missing elsewhere. */
  readonly lines?: number;
  /** Lines that were not read, by reason. */
  readonly skipped: Readonly<Record<string, number>>;
  readonly gpus: number | null;
  readonly from: Millis | null;
  readonly to: Millis | null;
  readonly notices: readonly Notice[];
  /** Whether an Xid would be among the events. */
  readonly seesXids: boolean;
  /** The run that was recorded, and what it has printed, by time; missing where it was none. */
  readonly run?: RunFacts;
  readonly output?: readonly OutputLine[];
}

/** Where the ticks are all there is to tell: what the source would know is taken from them. */
export const TICKS_TELL = {
  rows: null,
  skipped: {},
  gpus: null,
  from: null,
  to: null,
  notices: [],
} as const satisfies Partial<Recorded>;

/** A recording with the verdicts on it: what every form of the report is made from. */
export interface Diagnosis {
  readonly recorded: Recorded;
  readonly window: Window;
  readonly findings: readonly Finding[];
}

/** Diagnoses what has been collected. The log must not be added to any more. */
export function conclude(log: TickLog, recorded: Recorded): Diagnosis {
  const window = new Window(log, { seesXids: recorded.seesXids });
  const findings = diagnose(window);
  return { recorded, window, findings: [...combine(findings, judgeOutput(recorded.output ?? []))].sort(inOrder) };
}

/** What a program has printed may say more of a run than its readings. */
function judgeOutput(output: readonly OutputLine[]): readonly Finding[] {
  const log = emptyProgramLog();
  for (const { text } of output) readProgramLine(log, text);
  return saysSomething(log) ? judgeProgram(log) : [];
}

/** Diagnoses what a program has printed about itself; `from` is where that was found. */
export function concludeProgram(log: ProgramLog, from: Pick<Recorded, 'name' | 'run' | 'output'>): Diagnosis {
  const { lines } = log;
  const recorded = { ...TICKS_TELL, ...from, format: 'training-log', rows: 0, lines, gpus: 0, seesXids: false };
  const window = new Window(new TickLog(), { seesXids: false });
  return { recorded, window, findings: judgeProgram(log) };
}

/** Time span of a recording: as the source tells it, else that of the window. Null where there are no times. */
export function spanOfRecording({
  recorded,
  window,
}: Diagnosis): { readonly from: Millis; readonly to: Millis } | null {
  if (recorded.from === null && window.length === 0 && window.events.length === 0) return null;
  return { from: recorded.from ?? window.from, to: recorded.to ?? window.to };
}
