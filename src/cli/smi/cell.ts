import type { Metric } from '../../model/catalogue.ts';
import type { Device } from '../../model/device.ts';
import type { AbsenceReason, Reading } from '../../model/reading.ts';
import { isPresent } from '../../model/reading.ts';

/** A value as nvidia-smi prints it. A missing one has a word that stands in brackets in lists, unless it is bare. */
export type Cell =
  | { readonly kind: 'number'; readonly digits: string; readonly unit: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing'; readonly word: string; readonly isBare?: boolean };

/** Units of numbers, and `mask`, `P` and `word` for values that are no plain number; see the catalogue's `smi.unit`. */
export type CellUnit = NonNullable<Metric['smi']>['unit'];

const WORDS: Readonly<Record<AbsenceReason, string>> = {
  'not-supported': 'N/A',
  'no-permission': 'Insufficient Permissions',
  'not-found': 'N/A',
  'gpu-lost': 'GPU is lost',
  mig: 'N/A',
  asleep: 'N/A',
  error: 'Unknown Error',
  'not-collected': 'N/A',
};

export const NOT_AVAILABLE: Cell = { kind: 'missing', word: 'N/A' };

/** What newer drivers say of a field that they only keep so that old scripts do not break. */
export const DEPRECATED: Cell = { kind: 'missing', word: 'Requested functionality has been deprecated' };

export function missing(reason: AbsenceReason): Cell {
  return { kind: 'missing', word: WORDS[reason] };
}

export function textCell(text: string | null | undefined): Cell {
  return text === null || text === undefined || text === '' ? NOT_AVAILABLE : { kind: 'text', text };
}

/** The cell as one text: with its unit, and a missing value without brackets. */
export function plainText(cell: Cell): string {
  if (cell.kind === 'missing') return cell.word;
  if (cell.kind === 'text') return cell.text;
  return cell.unit === '' ? cell.digits : `${cell.digits} ${cell.unit}`;
}

/** The release of NVIDIA's driver, `590` of `590.48.01`; null for another vendor's. */
export function driverRelease({ vendor, driverVersion }: Device): number | null {
  const [, release = null] = /^(\d{2,4})\./.exec(vendor === 'nvidia' ? (driverVersion ?? '') : '') ?? [];
  return release === null ? null : Number(release);
}

const MIB = 2 ** 20;

/** Memory is printed in whole MiB: cut off by older drivers, rounded up by newer ones (seen in 535 and in 580). */
export function wholeMiB(bytes: number, device: Device): string {
  const isOld = (driverRelease(device) ?? Number.POSITIVE_INFINITY) < 545;
  return String(isOld ? Math.floor(bytes / MIB) : Math.ceil(bytes / MIB));
}

/** A reading of a metric in a unit of nvidia-smi. */
export function readingCell(reading: Reading, unit: CellUnit, device: Device, states: Metric['states']): Cell {
  if (!isPresent(reading)) return missing(reading.absent);
  switch (unit) {
    case '%':
      return number(Math.round(reading * 100), unit);
    case 'MiB':
      return { kind: 'number', digits: wholeMiB(reading, device), unit };
    case 'W':
      return { kind: 'number', digits: reading.toFixed(2), unit };
    case 'MHz':
      return number(Math.round(reading / 1e6), unit);
    case 'us':
      return number(Math.round(reading * 1e6), unit);
    case '':
      return number(Math.round(reading), unit);
    case 'mask':
      return textCell(`0x${reading.toString(16).toUpperCase().padStart(16, '0')}`);
    case 'P':
      return textCell(`P${reading}`);
    case 'word':
      return textCell(states?.find(({ value }) => value === reading)?.smi);
  }
}

function number(value: number, unit: string): Cell {
  return { kind: 'number', digits: String(value), unit };
}
