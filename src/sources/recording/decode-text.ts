import type { MetricId } from '../../model/catalogue.ts';
import type { Device } from '../../model/device.ts';
import type { GpuEvent } from '../../model/event.ts';
import type { Notice } from '../../model/ports.ts';
import type { Tick } from '../../model/tick.ts';
import { LogDecoder } from './log-decoder.ts';
import { ZoneClock } from './time-zone.ts';

/** When logs without times begin, in tests. */
export const ANCHOR = Date.UTC(2026, 0, 1);

interface Decoded {
  readonly ticks: readonly Tick[];
  readonly devices: readonly Device[];
  readonly rows: number;
  readonly isRecognised: boolean;
  readonly restarts: number;
  readonly notices: readonly Notice[];
  readonly skipped: Readonly<Record<string, number>>;
  readonly faults: Readonly<Record<string, number>>;
}

/** Decodes a whole log, given as text or bytes, in chunks cut at `cuts`. For tests. */
export function decode(
  log: string | Uint8Array,
  options: { zone?: string; columns?: string; cuts?: number[] } = {},
): Decoded {
  const bytes = typeof log === 'string' ? new TextEncoder().encode(log) : Uint8Array.from(log);
  const ticks: Tick[] = [];
  const decoder = new LogDecoder({
    anchor: ANCHOR,
    zone: new ZoneClock(options.zone ?? 'UTC'),
    columns: options.columns ?? null,
    publish: (tick) => ticks.push(tick),
  });
  const cuts = [0, ...[...(options.cuts ?? [])].sort((a, b) => a - b), bytes.length];
  for (const [place, cut] of cuts.entries()) {
    const chunk = bytes.slice(cut, cuts[place + 1]);
    decoder.push(chunk);
    // A chunk is only lent: what is kept of it must have been copied.
    chunk.fill(0x2c);
  }
  decoder.end();
  return {
    ticks,
    devices: decoder.devices(),
    rows: decoder.rows,
    isRecognised: decoder.isRecognised,
    restarts: decoder.timeline.restarts,
    notices: decoder.report.notices(),
    skipped: decoder.report.skippedRows(),
    faults: decoder.report.faults(),
  };
}

/** A metric of every sample in order, as it is or the reason why it is absent. */
export function readingsOf({ ticks }: Pick<Decoded, 'ticks'>, id: MetricId): (number | string)[] {
  return ticks.flatMap(({ devices }) =>
    devices.map(({ readings }) => {
      const reading = readings.get(id);
      return typeof reading === 'number' ? reading : reading.absent;
    }),
  );
}

/** Per tick, the UUIDs of its devices. */
export function shapeOf({ ticks }: Pick<Decoded, 'ticks'>): string[] {
  return ticks.map(({ devices }) =>
    devices.map(({ device, state }) => device.uuid + (state === 'ok' ? '' : `!${state}`)).join(' '),
  );
}

export function eventsOf({ ticks }: Pick<Decoded, 'ticks'>): GpuEvent[] {
  return ticks.flatMap(({ events }) => events);
}
