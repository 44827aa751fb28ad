import type { Metric } from '../../model/catalogue.ts';
import type { Device, DeviceState } from '../../model/device.ts';
import type { StoredTick } from '../../model/ports.ts';
import type { Millis } from '../../model/reading.ts';
import type { ReadingSet } from '../../model/reading-set.ts';

/** What an export has one line of: a device, or the machine itself, at one time. */
export interface SampleRow {
  readonly at: Millis;
  /** Null for the machine itself. */
  readonly device: Device | null;
  readonly state: DeviceState;
  readonly readings: ReadingSet;
}

/** How rows are written. Lines end without a line feed. */
export interface ExportFormat {
  /** The line above all others, or null. */
  readonly header: string | null;
  /** Null for a row that has no place in this format. */
  line(row: SampleRow): string | null;
}

/** Makes the format for these metrics, in their order. */
export type MakeFormat = (metrics: readonly Metric[]) => ExportFormat;

export function* rowsOf({ at, samples, host }: StoredTick, wanted: (device: Device) => boolean): Generator<SampleRow> {
  for (const { device, state, readings } of samples) if (wanted(device)) yield { at, device, state, readings };
  if (host !== null) yield { at, device: null, state: 'ok', readings: host };
}

/** As RFC 4180 has it: in quotes where it holds a comma, a quote or a line break. */
export function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
