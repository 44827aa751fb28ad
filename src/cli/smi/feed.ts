import { takeSnapshot } from '../../app/one-shot.ts';
import { openSource, type SourceOptions } from '../../app/open-source.ts';
import { Supply } from '../../app/supply.ts';
import type { AppError } from '../../model/errors.ts';
import type { Notice, Origin, Probe } from '../../model/ports.ts';
import type { DeviceView } from '../../model/reader.ts';
import type { Millis } from '../../model/reading.ts';
import { untilSignal } from '../signals.ts';

/** The devices of one moment. */
export interface Moment {
  readonly at: Millis;
  readonly devices: readonly DeviceView[];
  /** True where they are those of this machine, so that its kernel can be asked about them. */
  readonly isHere: boolean;
}

/** How a feed ended. */
export interface FeedEnd {
  readonly origin: Origin;
  readonly notices: readonly Notice[];
  /** Why the devices, though they are known, could not be read; null where they could. */
  readonly failure: AppError | null;
}

/** A driver that takes its time to start is waited for so long. */
const PROBE_MS = 30_000;

/** Shows what a source knows now; of a recording that is its last state. */
export async function once(options: SourceOptions, show: (moment: Moment) => void): Promise<FeedEnd> {
  const { source, origin, snapshot, notices, failure } = await takeSnapshot(options);
  const at = snapshot.at ?? options.clock.now();
  show({ at, devices: snapshot.devices, isHere: isHere(source, origin) });
  return { origin, notices, failure };
}

/**
 * Shows every tick of a source, `intervalMs` apart, until `limit` have been shown, a signal comes or a recording ends.
 * Ticks of a recording come as fast as they can be written.
 */
export async function repeatedly(
  options: SourceOptions,
  { intervalMs, limit, drained }: { intervalMs: number; limit: number; drained: () => Promise<void> },
  show: (moment: Moment) => void,
): Promise<FeedEnd> {
  const { clock } = options;
  const open = (): Promise<Probe> => openSource({ ...options, simulatePast: false, probeMs: PROBE_MS, intervalMs });
  const signal = untilSignal();
  const probe = await open();
  if (!probe.ok) throw probe.reason;
  const { origin, name } = probe.source;
  const enough = Promise.withResolvers<void>();
  let count = 0;
  const supply = new Supply({
    clock,
    intervalMs,
    origin,
    name,
    open,
    drained,
    speed: Number.POSITIVE_INFINITY,
    simulatedHistoryMs: 0,
    demoReason: null,
    publish: ({ at, devices }) => {
      if (count >= limit || devices.length === 0) return;
      show({ at, devices: devices.map((sample) => ({ ...sample, at })), isHere: isHere(name, origin) });
      if (++count >= limit) enough.resolve();
    },
  });
  await supply.start(probe);
  await Promise.race([signal, enough.promise, supply.ended()]);
  const { notices, reason } = supply.status();
  await supply.stop();
  return { origin, notices, failure: origin === 'live' && count === 0 ? reason : null };
}

function isHere(source: string, origin: Origin): boolean {
  return origin === 'live' && !source.includes('ssh:');
}
