import type { Metric } from '../../model/catalogue.ts';
import { isoTime } from '../../model/format.ts';
import { absenceReason } from '../../model/reading-set.ts';
import { csvCell, type ExportFormat, type SampleRow } from './sample-rows.ts';

/** What stands for the machine itself where a device has its UUID. */
const HOST = 'host';
/** This reason says nothing about the device, and most metrics have it. */
const NOT_COLLECTED = 'not-collected';

/** One line per device and tick, one column per metric; an empty cell is an absent value. */
export function csvFormat(metrics: readonly Metric[]): ExportFormat {
  const columns = ['time', 'epoch_ms', 'gpu', 'uuid', 'name', 'state', ...metrics.map(({ id }) => id)];
  return {
    header: columns.join(),
    line({ at, device, state, readings }) {
      const cells = [isoTime(at), at, device?.index ?? '', device?.uuid ?? HOST, csvCell(device?.name ?? ''), state];
      for (const { slot } of metrics) cells.push(readings.number(slot) ?? '');
      return cells.join();
    },
  };
}

/** One JSON object per device and tick, with the reason for every value that is missing. */
export function ndjsonFormat(metrics: readonly Metric[]): ExportFormat {
  return { header: null, line: (row) => JSON.stringify(objectOf(row, metrics)) };
}

function objectOf({ at, device, state, readings }: SampleRow, metrics: readonly Metric[]): object {
  const values: Record<string, number> = {};
  const absent: Record<string, string> = {};
  for (const { id, slot } of metrics) {
    const code = readings.codes[slot]!;
    const reason = code === 0 ? null : absenceReason(code);
    if (reason === null) values[id] = readings.values[slot]!;
    else if (reason !== NOT_COLLECTED) absent[id] = reason;
  }
  const identity = device === null ? { uuid: HOST } : { gpu: device.index, uuid: device.uuid, name: device.name };
  return { time: isoTime(at), epoch_ms: at, ...identity, state, readings: values, absent };
}
