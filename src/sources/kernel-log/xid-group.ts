import type { Device } from '../../model/device.ts';
import type { GpuEvent, Severity } from '../../model/event.ts';
import type { Millis } from '../../model/reading.ts';
import { xidSeverity } from '../../model/xid-table.ts';

/** One report of an Xid, or of an SXid of a switch. */
export interface XidSighting {
  readonly source: 'nvml' | 'kernel';
  readonly kind?: 'xid' | 'sxid';
  readonly at: Millis;
  /** The device, where it is known; else the place decides. */
  readonly uuid: string | null;
  readonly busId: string | null;
  readonly xid: number;
  readonly pid?: number | null;
  readonly name?: string | null;
  readonly raw?: string;
  readonly causedBy?: number | null;
  readonly gpuInstance?: number | null;
  /** False for a line that only says in words what a numbered one beside it says too. */
  readonly isNumbered?: boolean;
  /** Time in the kernel log, in microseconds since boot. */
  readonly micros?: number;
}

const SEVERITIES: readonly Severity[] = ['info', 'warning', 'critical'];

/** Reports of the same Xid on the same device that follow each other closely: one event. */
export interface XidGroup {
  readonly key: string;
  readonly kind: 'xid' | 'sxid';
  readonly xid: number;
  readonly at: Millis;
  uuid: string | null;
  readonly busId: string | null;
  device: Device | null;
  count: number;
  last: Millis;
  /** Times in the kernel log; undefined for what only the driver reported. */
  readonly firstMicros: number | undefined;
  lastMicros: number | undefined;
  severity: Severity;
  raw: string;
  isNumbered: boolean;
  /** Undefined until one is known, null where reports differ. */
  pid: number | null | undefined;
  name: string | null;
  gpuInstance: number | null | undefined;
  causedBy: number | null | undefined;
}

/** Takes a further report in. Its message replaces the one before unless that one is about something worse. */
export function mergeInto(group: XidGroup, sighting: XidSighting): void {
  const { at, raw = '', pid, name, gpuInstance, causedBy } = sighting;
  group.last = Math.max(group.last, at);
  group.lastMicros = sighting.micros ?? group.lastMicros;
  const severity = severityOf(group.kind, group.xid, raw);
  if (SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(group.severity)) {
    group.severity = severity;
    if (raw !== '') group.raw = raw;
  }
  if (group.pid === undefined && pid != null) group.name = name ?? null;
  group.pid = agreed(group.pid, pid);
  group.gpuInstance = agreed(group.gpuInstance, gpuInstance);
  group.causedBy = agreed(group.causedBy, causedBy);
}

/** The value all reports that have one agree on; null where they do not. */
function agreed(known: number | null | undefined, next: number | null | undefined): number | null | undefined {
  if (next == null || known === next) return known;
  return known === undefined ? next : null;
}

export function severityOf(kind: 'xid' | 'sxid', xid: number, raw: string): Severity {
  if (kind === 'xid') return xidSeverity(xid, raw);
  return /\bfatal\b/i.test(raw) && !/\bnon-?\s?fatal\b/i.test(raw) ? 'critical' : 'warning';
}

/** The event as it stands. */
export function toEvent(group: XidGroup): GpuEvent {
  const { key, kind, at, uuid, severity, xid, count, last, raw, pid, name, busId, device, gpuInstance, causedBy } =
    group;
  return {
    at,
    kind,
    severity,
    uuid,
    params: {
      ...(device !== null && { index: device.index }),
      ...(busId !== null && { bus: busId }),
      xid,
      count,
      first: at,
      last,
      ...(pid != null && { pid }),
      ...(pid != null && name !== null && { name }),
      ...(gpuInstance != null && { gpuInstance }),
      ...(causedBy != null && { causedBy }),
      raw,
    },
    key,
  };
}
