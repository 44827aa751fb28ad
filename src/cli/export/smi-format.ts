import type { Metric } from '../../model/catalogue.ts';
import { isoTime } from '../../model/format.ts';
import type { AbsenceReason, Reading } from '../../model/reading.ts';
import { csvCell, type ExportFormat } from './sample-rows.ts';

const MIB = 2 ** 20;

/** What nvidia-smi prints instead of a value. */
const ABSENT: Readonly<Record<AbsenceReason, string>> = {
  'not-supported': '[N/A]',
  'no-permission': '[Insufficient Permissions]',
  'not-found': '[Not Found]',
  'gpu-lost': '[GPU is lost]',
  mig: '[N/A]',
  asleep: '[N/A]',
  error: '[Unknown Error]',
  'not-collected': '[N/A]',
};

/** Units that stand behind the name of the field and behind every value. */
const SHOWN = new Set(['%', 'MiB', 'W', 'MHz', 'us']);

/**
 * What `nvidia-smi --query-gpu=… --format=csv` prints, of the metrics that it has too. Times are in UTC and say so, since
 * a log goes to other places; values have all their digits, so that nothing is lost on the way back.
 */
export function smiFormat(metrics: readonly Metric[]): ExportFormat {
  const fields = metrics.filter(({ smi }) => smi !== undefined);
  const titles = fields.map(({ smi }) => `${smi!.field}${SHOWN.has(smi!.unit) ? ` [${smi!.unit}]` : ''}`);
  return {
    header: ['timestamp', 'index', 'uuid', 'name', 'pci.bus_id', 'driver_version', ...titles].join(', '),
    line({ at, device, readings }) {
      if (device === null) return null;
      const { index, uuid, name, pciBusId, driverVersion } = device;
      const identity = [isoTime(at), `${index}`, uuid, csvCell(name), pciBusId ?? '[N/A]', driverVersion ?? '[N/A]'];
      return [...identity, ...fields.map((metric) => smiCell(metric, readings.at(metric.slot)))].join(', ');
    },
  };
}

function smiCell({ smi, states }: Metric, reading: Reading): string {
  if (typeof reading !== 'number') return ABSENT[reading.absent];
  switch (smi!.unit) {
    case '%':
      return `${scaled(reading, 100)} %`;
    case 'MiB':
      return `${reading / MIB} MiB`;
    case 'W':
      return `${twoDigits(reading)} W`;
    case 'MHz':
      return `${reading / 1e6} MHz`;
    case 'us':
      return `${scaled(reading, 1e6)} us`;
    case 'mask':
      return `0x${reading.toString(16).toUpperCase().padStart(16, '0')}`;
    case 'P':
      return `P${reading}`;
    case 'word':
      return states?.find(({ value }) => value === reading)?.smi ?? '[N/A]';
    case '':
      return `${reading}`;
  }
}

/** The value in another unit, without the noise of binary fractions. */
function scaled(value: number, factor: number): number {
  return Number((value * factor).toPrecision(15));
}

/** At least two digits behind the point, and more where there are more. */
function twoDigits(value: number): string {
  const plain = `${value}`;
  const digits = plain.split('.')[1]?.length ?? 0;
  return digits > 2 ? plain : value.toFixed(2);
}
