import type { Clock } from '../model/clock.ts';
import { type AppError, toAppError } from '../model/errors.ts';
import type { NoticeKey } from '../model/i18n/messages-notices.ts';
import type { Notice, Origin, Source } from '../model/ports.ts';
import type { Snapshot } from '../model/reader.ts';
import type { Tick } from '../model/tick.ts';
import { TickFinisher } from '../sources/tick-finisher.ts';
import { hostOwners } from './host-owners.ts';
import { Live } from './live.ts';
import { openSource, type SourceOptions } from './open-source.ts';

/** How long names of containers, pods and users of a directory service may take before they are left out. */
const OWNERS_LIMIT_MS = 250;

export interface OneShot {
  readonly source: string;
  readonly origin: Origin;
  readonly snapshot: Snapshot;
  /** What the source says of itself. */
  readonly notices: readonly Notice[];
  /** Why the devices, though they are known, could not be sampled; null where they could. */
  readonly failure: AppError | null;
}

/** How long is waited until every device has been read, and how often they are asked meanwhile. */
const EACH_MS = 30_000;
const PAUSE_MS = 50;

const HANGS: NoticeKey = 'notice.gpu-hangs';

/** A driver that takes its time to start is waited for so long: without persistence mode it wakes every GPU first. */
const PROBE_MS = 30_000;

/**
 * What a source knows now: one tick of devices, or the state at the end of a recording. Throws the AppError that says
 * why where there is no device.
 */
export function takeSnapshot(options: SourceOptions): Promise<OneShot> {
  return withSnapshot(options, (shot) => shot);
}

/** The same, handed on before the source is closed, which takes its time. */
export async function withSnapshot<Result>(options: SourceOptions, use: (shot: OneShot) => Result): Promise<Result> {
  const probe = await openSource({ ...options, simulatePast: false, probeMs: PROBE_MS });
  if (!probe.ok) throw probe.reason;
  const { source } = probe;
  try {
    const { snapshot, failure } = await readSnapshot(source, options);
    return use({ source: source.name, origin: source.origin, snapshot, notices: source.notices(), failure });
  } finally {
    await source.close();
  }
}

interface Sampled {
  readonly snapshot: Snapshot;
  readonly failure: AppError | null;
}

/** Devices that cannot be sampled are shown all the same; only where none is known does the failure end the command. */
async function readSnapshot(source: Source, { clock }: SourceOptions): Promise<Sampled> {
  const live = new Live({ clock, origin: source.origin, staleAfterMs: Number.POSITIVE_INFINITY });
  const owners = hostOwners(source, clock);
  const finisher = new TickFinisher(source, owners);
  const accept = async (tick: Tick): Promise<void> => {
    await finisher.prepare(tick);
    await owners?.settled(OWNERS_LIMIT_MS);
    live.accept(finisher.finish(tick));
  };
  try {
    if (source.origin === 'recorded') {
      for (let tick = await source.sample(clock.now()); tick !== null; tick = await source.sample(clock.now())) {
        await accept(tick);
      }
      return { snapshot: live.snapshot(), failure: null };
    }
    const failure = await sampleEach(source, clock, accept);
    return { snapshot: live.snapshot(), failure };
  } finally {
    owners?.close();
  }
}

/**
 * Samples until every device has been read once: a driver that is slow gives some of them at a time. One on which a call
 * hangs is not waited for. Gives why the devices could not be read, or null.
 */
async function sampleEach(
  source: Source,
  clock: Clock,
  accept: (tick: Tick) => Promise<void>,
): Promise<AppError | null> {
  const deadline = clock.monotonic() + EACH_MS;
  const seen = new Set<string>();
  for (;;) {
    const at = clock.now();
    try {
      const tick = await source.sample(at);
      for (const { device } of tick?.devices ?? []) seen.add(device.uuid);
      if (tick !== null) await accept(tick);
    } catch (error) {
      if (source.devices().length === 0) throw error;
      await accept({ at, monotonic: clock.monotonic(), devices: [], events: [] });
      return toAppError(error);
    }
    const hung = new Set(source.notices().flatMap(({ key, params }) => (key === HANGS ? [params['index']] : [])));
    const isComplete = source.devices().every(({ uuid, index }) => seen.has(uuid) || hung.has(index));
    if (isComplete || clock.monotonic() > deadline) return null;
    await new Promise<void>((resolve) => clock.after(PAUSE_MS, resolve));
  }
}
