import { DEVICE_METRICS } from '../model/catalogue.ts';
import { type AppError, toAppError } from '../model/errors.ts';
import type { Notice, Source } from '../model/ports.ts';
import type { DeviceView } from '../model/reader.ts';
import { ReadingSet } from '../model/reading-set.ts';
import { TickFinisher } from '../sources/tick-finisher.ts';
import { Live } from './live.ts';
import { takeSnapshot } from './one-shot.ts';
import { openSource, type SourceOptions } from './open-source.ts';

/** What each device of a source reports. */
export interface Capabilities {
  readonly source: string;
  readonly devices: readonly DeviceView[];
  readonly notices: readonly Notice[];
  /** Why devices that are known could not be sampled; null where they could. */
  readonly failure: AppError | null;
}

const STEP_MS = 1000;
/** Rates need two samples; what is asked for now and then comes later. */
const LEAST_TICKS = 3;
const MOST_TICKS = 12;
/** So many ticks that bring nothing new mean that nothing new will come. */
const IDLE_TICKS = 2;
const PROBE_MS = 30_000;

/** Samples until every metric that a source reads has been read. Throws the AppError that says why where there is no device. */
export async function takeCapabilities(options: SourceOptions): Promise<Capabilities> {
  const probe = await openSource({ ...options, simulatePast: false, probeMs: PROBE_MS });
  if (!probe.ok) throw probe.reason;
  const { source } = probe;
  if (source.origin === 'recorded') {
    await source.close();
    const { snapshot, notices, failure } = await takeSnapshot(options);
    return { source: source.name, devices: snapshot.devices, notices, failure };
  }
  try {
    return { source: source.name, ...(await sampleAll(source, options)), notices: source.notices() };
  } finally {
    await source.close();
  }
}

async function sampleAll(source: Source, { clock }: SourceOptions): Promise<Pick<Capabilities, 'devices' | 'failure'>> {
  const live = new Live({ clock, origin: source.origin, staleAfterMs: Number.POSITIVE_INFINITY });
  const finisher = new TickFinisher(source, null);
  let failure: AppError | null = null;
  let missing = Number.POSITIVE_INFINITY;
  for (let ticks = 0, idle = 0; ticks < MOST_TICKS && (ticks < LEAST_TICKS || idle < IDLE_TICKS); ticks++) {
    if (ticks > 0) await new Promise<void>((resolve) => void clock.after(STEP_MS, resolve));
    try {
      const tick = await source.sample(clock.now());
      if (tick !== null) live.accept(finisher.finish(tick));
      failure = null;
    } catch (error) {
      failure = toAppError(error);
      if (source.devices().length === 0) throw failure;
    }
    const { devices } = live.snapshot();
    const left = devices.reduce((sum, { readings }) => sum + countOpen(readings), 0);
    idle = left < missing ? 0 : idle + 1;
    missing = left;
  }
  return { devices: live.snapshot().devices, failure };
}

function countOpen(readings: ReadingSet): number {
  return DEVICE_METRICS.filter(({ slot }) => readings.codes[slot] === NOT_COLLECTED).length;
}

const [NOT_COLLECTED] = new ReadingSet().codes;
