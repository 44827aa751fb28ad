import type { Clock } from '../../model/clock.ts';
import type { Device } from '../../model/device.ts';
import type { GpuEvent } from '../../model/event.ts';
import type { Millis } from '../../model/reading.ts';
import { recoveryAction } from '../../model/xid-table.ts';
import { deviceAt, placeOf } from './place.ts';
import { mergeInto, severityOf, toEvent, type XidGroup, type XidSighting } from './xid-group.ts';

export interface XidMergerOptions {
  readonly clock: Clock;
  /** Devices by which places are resolved. */
  readonly devices: () => readonly Device[];
  /** Tells boots apart, so that the keys of one are never those of another. */
  readonly bootId: string;
  /** Whether the kernel log is being read: then it is the one that counts and dates. */
  readonly hasKernelLog: () => boolean;
}

/** Reports further apart than this are two events. */
const GAP_MS = 120_000;
/** An event does not go on for longer than this: one that never ends would drop out of every list of recent events. */
const SPAN_MS = 30 * 60_000;
/** The driver and the kernel log report the same Xid within this time. */
const TWIN_MS = 5000;
/** How long a report of the driver waits for its line in the kernel log. */
const WAIT_MS = 3000;

const RECOVERY_ACTION = 154;

interface Waiting {
  readonly sighting: XidSighting;
  readonly until: number;
}

/**
 * Makes one event of an Xid that is reported again and again, and by the driver and the kernel log both. Every later
 * state of an event has the same key. For an event of the kernel log the key follows from what the log says, so that
 * reading the same log again gives the same events.
 */
export class XidMerger {
  readonly #options: XidMergerOptions;
  readonly #groups = new Map<string, XidGroup>();
  /** UUIDs the kernel log gives for places: those of cards that are gone are known in no other way. */
  readonly #uuidAt = new Map<string, string>();
  #waiting: Waiting[] = [];

  constructor(options: XidMergerOptions) {
    this.#options = options;
  }

  /** The event as it stands with this report; null where it adds nothing, or is held back for its twin for a moment. */
  add(sighting: XidSighting): GpuEvent | null {
    const id = this.#groupId(sighting);
    const group = this.#openGroup(id, sighting);
    if (sighting.source === 'nvml' && this.#options.hasKernelLog()) {
      if (group !== undefined && Math.abs(sighting.at - group.last) <= TWIN_MS) return null;
      this.#waiting.push({ sighting, until: this.#options.clock.monotonic() + WAIT_MS });
      return null;
    }
    if (sighting.source === 'kernel') this.#dropTwins(id, sighting);
    return this.#count(id, group, sighting);
  }

  /** Events of the reports that have waited for the kernel log in vain. */
  due(): readonly GpuEvent[] {
    if (this.#waiting.length === 0) return [];
    const now = this.#options.clock.monotonic();
    const late = this.#waiting.filter(({ until }) => until <= now);
    this.#waiting = this.#waiting.filter(({ until }) => until > now);
    return late.flatMap(({ sighting }) => {
      const id = this.#groupId(sighting);
      return this.#count(id, this.#openGroup(id, sighting), sighting) ?? [];
    });
  }

  /** Remembers which GPU the kernel log names at a place. */
  learn(busId: string, uuid: string): void {
    this.#uuidAt.set(placeOf(busId), uuid);
  }

  #count(id: string, open: XidGroup | undefined, sighting: XidSighting): GpuEvent | null {
    if (open === undefined) {
      const group = this.#begin(sighting);
      this.#forgetOld(sighting.at);
      this.#groups.set(id, group);
      return toEvent(group);
    }
    const isNumbered = sighting.isNumbered ?? true;
    if (!isNumbered) return null;
    // What was only said in words is the same report.
    if (open.isNumbered) open.count++;
    open.isNumbered = true;
    mergeInto(open, sighting);
    return toEvent(open);
  }

  #begin(sighting: XidSighting): XidGroup {
    const { kind = 'xid', at, xid, busId, raw = '', isNumbered = true, micros } = sighting;
    const device = this.#deviceOf(sighting);
    const uuid = device?.uuid ?? sighting.uuid ?? this.#uuidOf(sighting);
    const place = busId === null ? (uuid ?? '?') : placeOf(busId);
    return {
      key: `${kind}:${this.#options.bootId}:${place}:${numberOf(sighting)}:${micros ?? `@${at}`}`,
      kind,
      xid,
      at,
      uuid,
      busId: busId ?? device?.pciBusId ?? null,
      device,
      count: 1,
      last: at,
      firstMicros: micros,
      lastMicros: micros,
      severity: severityOf(kind, xid, raw),
      raw,
      isNumbered,
      pid: sighting.pid ?? undefined,
      name: sighting.name ?? null,
      gpuInstance: sighting.gpuInstance ?? undefined,
      causedBy: sighting.causedBy ?? undefined,
    };
  }

  /** The card, also for a report about a part of it, unless only the parts are listed. Null for a switch. */
  #deviceOf({ kind, uuid, busId, gpuInstance }: XidSighting): Device | null {
    if (kind === 'sxid') return null;
    const devices = this.#options.devices();
    if (uuid === null) return busId === null ? null : deviceAt(devices, busId, gpuInstance ?? null);
    const device = devices.find((known) => known.uuid === uuid) ?? null;
    return devices.find((known) => known.uuid === device?.mig?.parent) ?? device;
  }

  #uuidOf({ kind, busId }: XidSighting): string | null {
    return busId === null || kind === 'sxid' ? null : (this.#uuidAt.get(placeOf(busId)) ?? null);
  }

  /** Reports of the same event have the same. */
  #groupId(sighting: XidSighting): string {
    const { kind = 'xid', uuid, busId } = sighting;
    const where = this.#deviceOf(sighting)?.uuid ?? (busId === null ? (uuid ?? '?') : placeOf(busId));
    return `${kind} ${numberOf(sighting)} ${where}`;
  }

  /** The event that goes on; for words without a place, any event of that number. */
  #openGroup(id: string, sighting: XidSighting): XidGroup | undefined {
    const { xid, busId, uuid, isNumbered } = sighting;
    const group = this.#groups.get(id);
    if (group !== undefined && isOpen(group, sighting)) return group;
    if (isNumbered !== false || busId !== null || uuid !== null) return undefined;
    return [...this.#groups.values()].find(
      (other) => other.xid === xid && other.kind === 'xid' && isOpen(other, sighting),
    );
  }

  #dropTwins(id: string, { at }: XidSighting): void {
    if (this.#waiting.length === 0) return;
    this.#waiting = this.#waiting.filter(
      ({ sighting }) => this.#groupId(sighting) !== id || Math.abs(sighting.at - at) > TWIN_MS,
    );
  }

  #forgetOld(now: Millis): void {
    for (const [id, { last }] of this.#groups) {
      if (now - last > SPAN_MS) this.#groups.delete(id);
    }
  }
}

/** By the clock of the kernel where both have its time, so that a step of the wall clock cuts no event in two. */
function isOpen(group: XidGroup, { at, micros }: XidSighting): boolean {
  const { firstMicros, lastMicros } = group;
  if (micros === undefined || firstMicros === undefined || lastMicros === undefined) {
    return at - group.last <= GAP_MS && at - group.at <= SPAN_MS;
  }
  return micros - lastMicros <= GAP_MS * 1000 && micros - firstMicros <= SPAN_MS * 1000;
}

/** The number, and for a change of the recovery action the action. */
function numberOf({ xid, raw = '' }: XidSighting): string {
  const action = xid === RECOVERY_ACTION ? recoveryAction(raw) : null;
  return action === null ? String(xid) : `${xid} ${action}`;
}
