import type { Look } from '../../app/look.ts';
import { takeSnapshot } from '../../app/one-shot.ts';
import { openSource, type SourceOptions } from '../../app/open-source.ts';
import { Supply } from '../../app/supply.ts';
import type { Clock } from '../../model/clock.ts';
import type { AppError } from '../../model/errors.ts';
import type { GpuEvent } from '../../model/event.ts';
import { noticeText } from '../../model/i18n/notice-text.ts';
import type { Lang } from '../../model/i18n/text.ts';
import type { Origin, Probe } from '../../model/ports.ts';
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
  /** What the reader should know of the data, each a sentence. */
  readonly notices: readonly string[];
  /** Why the devices, though they are known, could not be read; null where they could. */
  readonly failure: AppError | null;
}

/** How often something is shown. `drained` resolves once its reader has taken it. */
interface Pace {
  readonly intervalMs: number;
  readonly limit: number;
  readonly drained: () => Promise<void>;
  /** Takes what happened since the round before, before that of its time is shown. */
  readonly tell: (event: GpuEvent) => void;
}

/** A driver that takes its time to start is waited for so long. */
const PROBE_MS = 30_000;

/** Shows what a source knows now; of a recording that is its last state. */
export async function once(options: SourceOptions, lang: Lang, show: (moment: Moment) => void): Promise<FeedEnd> {
  const { source, origin, snapshot, notices, failure } = await takeSnapshot(options);
  const at = snapshot.at ?? options.clock.now();
  show({ at, devices: snapshot.devices, isHere: isHere(source, origin) });
  return { origin, notices: notices.map((notice) => noticeText(notice, lang)), failure };
}

/**
 * Shows every tick of a source, `intervalMs` apart, until `limit` have been shown, a signal comes or a recording ends.
 * Ticks of a recording come as fast as they can be written.
 */
export async function repeatedly(
  options: SourceOptions,
  lang: Lang,
  { intervalMs, limit, drained, tell }: Pace,
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
    readsHost: false,
    drained,
    publish: ({ at, devices, events }) => {
      if (count >= limit) return;
      for (const event of events) tell(event);
      if (devices.length === 0) return;
      show({ at, devices: devices.map((sample) => ({ ...sample, at })), isHere: isHere(name, origin) });
      if (++count >= limit) enough.resolve();
    },
  });
  await supply.start(probe);
  await Promise.race([signal, enough.promise, supply.ended()]);
  const { notices, reason } = supply.status();
  await supply.stop();
  const texts = notices.map((notice) => noticeText(notice, lang));
  return { origin, notices: texts, failure: origin === 'live' && count === 0 ? reason : null };
}

/** Shows what another gpulse knows: once without an interval, else again and again like {@link repeatedly}. */
export async function fromServer(
  ask: () => Promise<Look>,
  clock: Clock,
  { intervalMs, limit, drained }: Omit<Pace, 'intervalMs' | 'tell'> & { readonly intervalMs: number | null },
  show: (moment: Moment) => void,
): Promise<FeedEnd> {
  let isStopped = false;
  const look = async (): Promise<FeedEnd> => {
    const { snapshot, origin, notices } = await ask();
    show({ at: snapshot.at ?? clock.now(), devices: snapshot.devices, isHere: false });
    await drained();
    return { origin, notices, failure: null };
  };
  if (intervalMs === null) return look();
  const signal = untilSignal().then(() => {
    isStopped = true;
  });
  for (let count = 1; ; count++) {
    const end = await look();
    if (count >= limit || isStopped) return end;
    await Promise.race([signal, new Promise<void>((resolve) => void clock.after(intervalMs, resolve))]);
  }
}

function isHere(source: string, origin: Origin): boolean {
  return origin === 'live' && !source.includes('ssh:');
}
