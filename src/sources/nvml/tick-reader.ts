import { CATALOGUE, slotOf } from '../../model/catalogue.ts';
import type { Device } from '../../model/device.ts';
import type { GpuProcess } from '../../model/process.ts';
import { type AbsenceReason, absent } from '../../model/reading.ts';
import { absenceReason, ReadingSet } from '../../model/reading-set.ts';
import type { DeviceDetails, DeviceSample } from '../../model/tick.ts';
import { readProcesses } from './process-list.ts';
import { PARTIAL } from './process-record.ts';
import { STATES, type TickReply, type TickViews, tickViews } from './protocol.ts';

const MEMORY_TOTAL = slotOf('memory_total_bytes');

/** The samples in a tick buffer of the GPUs that were read. They are views of it: the buffer belongs to the tick from now on. */
export function readTick(
  reply: TickReply,
  devices: readonly Device[],
  details: readonly (DeviceDetails | null)[],
): DeviceSample[] {
  const metrics = CATALOGUE.length;
  const views = tickViews(reply.buffer, reply.gpuCount, metrics, reply.processCount);
  const rows: ReadingSet[] = [];
  const totals: (number | null)[] = [];
  for (let from = 0; rows.length < reply.gpuCount; from += metrics) {
    const row = new ReadingSet(views.values.subarray(from, from + metrics), views.codes.subarray(from, from + metrics));
    rows.push(row);
    totals.push(row.number(MEMORY_TOTAL));
  }
  const processes = readProcesses(views.processes, totals);
  const samples: DeviceSample[] = [];
  const unread = reply.news?.unread ?? null;
  for (let position = 0; position < rows.length; position++) {
    const device = devices[position];
    if (device === undefined || unread?.includes(position) === true) continue;
    const state = STATES[views.states[position]!]!;
    const parts = details[position] ?? null;
    const readings = rows[position]!;
    const list = processesOf(views, position, processes[position]!);
    const sample =
      parts !== null && state === 'ok'
        ? { device, state, details: parts, readings, processes: list }
        : { device, state, readings, processes: list };
    const partial = partialOf(views, position);
    samples.push(partial === null ? sample : { ...sample, processesPartial: partial });
  }
  return samples;
}

function processesOf(
  { processCodes }: TickViews,
  position: number,
  processes: readonly GpuProcess[],
): DeviceSample['processes'] {
  const code = processCodes[position]!;
  return code === 0 || (code & PARTIAL) !== 0 ? processes : absent(absenceReason(code));
}

/** Why a list of processes is not complete; null where it is, and where there is none. */
function partialOf({ processCodes }: TickViews, position: number): AbsenceReason | null {
  const code = processCodes[position]!;
  return (code & PARTIAL) === 0 ? null : absenceReason(code & ~PARTIAL);
}
