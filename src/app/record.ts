import type { Stop } from '../model/clock.ts';
import type { Device } from '../model/device.ts';
import { AppError } from '../model/errors.ts';
import type { GpuEvent } from '../model/event.ts';
import type { Notice, Origin, Probe, Source } from '../model/ports.ts';
import type { SourceStatus } from '../model/reader.ts';
import type { Tick } from '../model/tick.ts';
import { RecordFile, type RecordStatus, type TickText } from '../sources/recording/own-format/record-file.ts';
import { putAside } from '../sources/recording/own-format/rotation.ts';
import { openSource, type SourceOptions } from './open-source.ts';
import { Supply } from './supply.ts';

export interface RecordOptions {
  readonly source: SourceOptions;
  readonly path: string;
  readonly intervalMs: number;
  readonly wanted: (device: Device) => boolean;
  /** Throws GPU_NOT_LISTED where a GPU that was asked for is not among all; null where none was. */
  readonly check: ((all: readonly Device[]) => void) | null;
  readonly rotateBytes: number;
  readonly rotateMs: number;
  readonly keep: number;
  /** Asked once the devices are known, where what is wanted depends on them. */
  readonly narrow?: (all: readonly Device[]) => (device: Device) => boolean;
  /** Events that come from elsewhere, drained with every tick. */
  readonly takeEvents?: () => readonly GpuEvent[];
  /** Gets every tick that is recorded. */
  readonly observe?: (tick: Tick) => void;
  /** How ticks of this source are written. */
  readonly text: (source: { readonly name: string; readonly origin: Origin }) => TickText;
}

/** A recording that is being made. */
export interface Recording {
  readonly origin: Origin;
  status(): RecordStatus;
  source(): SourceStatus;
  /** Resolves when a log that is being recorded has been read to its end. */
  ended(): Promise<void>;
  /** Throws RECORD_INCOMPLETE where ticks are missing in the file, GPU_NOT_LISTED where a GPU was asked for that never came. */
  stop(): Promise<readonly Notice[]>;
}

/** A driver that is still starting has its GPUs looked for so often, and so long, before a file is begun without them. */
const LOOK_MS = 100;
const LOOK_LIMIT_MS = 5000;

/**
 * Starts to record. Throws what the source throws, GPU_NOT_LISTED, OUTPUT_EXISTS, and what {@link RecordFile.create} throws;
 * nothing has been written or put aside then.
 */
export async function startRecording(options: RecordOptions): Promise<Recording> {
  const { path, intervalMs, wanted, source: sourceOptions } = options;
  const { clock } = sourceOptions;
  const open = (known: readonly Device[]): Promise<Probe> =>
    openSource({ ...sourceOptions, known, simulatePast: false, intervalMs });
  const probe = await open([]);
  if (!probe.ok) throw probe.reason;
  const { source } = probe;
  let file: RecordFile;
  try {
    await checkListed(source, options);
    await putAside(path);
    const { rotateBytes, rotateMs, keep } = options;
    file = await RecordFile.create({ path, text: options.text(source), clock, rotateBytes, rotateMs, keep });
  } catch (error) {
    await source.close();
    throw error;
  }
  let isWanted: ((device: Device) => boolean) | null = null;
  const record = (tick: Tick): void => {
    file.accept(tick);
    options.observe?.(tick);
  };
  const supply = new Supply({
    clock,
    intervalMs,
    origin: source.origin,
    name: source.name,
    publish: (tick) => {
      if (tick.devices.length > 0) isWanted ??= both(wanted, options.narrow?.(source.devices()));
      const part = withEvents(tickOf(tick, isWanted ?? wanted), options.takeEvents?.() ?? []);
      // Said where a log is played; in a recording it would be taken for the end of the first one.
      if (part.devices.length === 0 && part.events.some(({ kind }) => kind === 'recording-ended')) return;
      record(part);
    },
    open,
    drained: () => file.drained(),
  });
  const started: Promise<void> = supply.start(probe);
  return {
    origin: source.origin,
    status: () => file.status,
    source: () => supply.status(),
    ended: () => supply.ended(),
    async stop() {
      await started;
      const { notices } = supply.status();
      const all = source.devices();
      await supply.stop();
      const late = options.takeEvents?.() ?? [];
      if (late.length > 0) record({ at: clock.now(), monotonic: clock.monotonic(), devices: [], events: late });
      await file.close();
      const { dropped, ticks, failure } = file.status;
      if (dropped > 0 || failure !== null) {
        const detail = failure?.params['detail'] ?? '…';
        throw new AppError('RECORD_INCOMPLETE', { dropped, total: ticks + dropped, path, detail });
      }
      if (ticks > 0 && all.length > 0) options.check?.(all);
      return notices;
    },
  };
}

/** What a recording holds is only known at its end. */
async function checkListed(source: Source, { check, source: { clock } }: RecordOptions): Promise<void> {
  if (check === null || source.origin === 'recorded') return;
  const deadline = clock.monotonic() + LOOK_LIMIT_MS;
  while (source.devices().length === 0 && clock.monotonic() < deadline) {
    await new Promise<void>((resolve) => clock.after(LOOK_MS, resolve));
  }
  const all = source.devices();
  if (all.length > 0) check(all);
}

function both(
  first: (device: Device) => boolean,
  second: ((device: Device) => boolean) | undefined,
): (device: Device) => boolean {
  return second === undefined ? first : (device) => first(device) && second(device);
}

function withEvents(tick: Tick, events: readonly GpuEvent[]): Tick {
  return events.length === 0 ? tick : { ...tick, events: [...tick.events, ...events] };
}

/** A tick with those of its devices that are wanted, and with the events that are theirs or nobody's. */
function tickOf(tick: Tick, wanted: (device: Device) => boolean): Tick {
  const devices = tick.devices.filter(({ device }) => wanted(device));
  if (devices.length === tick.devices.length) return tick;
  const others = new Set(tick.devices.flatMap(({ device }) => (wanted(device) ? [] : [device.uuid])));
  return { ...tick, devices, events: tick.events.filter(({ uuid }) => uuid === null || !others.has(uuid)) };
}

/** Calls `say` when the file cannot be written any more, and when it can be again. */
export function watchTrouble(
  status: () => RecordStatus,
  every: (periodMs: number, run: () => void) => Stop,
  say: (failure: AppError | null, dropped: number) => void,
): Stop {
  let isBad = false;
  return every(1000, () => {
    const { failure, dropped } = status();
    if ((failure !== null) === isBad) return;
    isBad = failure !== null;
    say(failure, dropped);
  });
}
