import { CATALOGUE, slotOf } from '../../model/catalogue.ts';
import type { Device } from '../../model/device.ts';
import type { GpuProcess } from '../../model/process.ts';
import { absent } from '../../model/reading.ts';
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
  const rows = Array.from({ length: reply.gpuCount }, (_, position) => {
    const [from, to] = [position * metrics, (position + 1) * metrics];
    return new ReadingSet(views.values.subarray(from, to), views.codes.subarray(from, to));
  });
  const processes = readProcesses(
    views.processes,
    rows.map((row) => row.number(MEMORY_TOTAL)),
  );
  return devices.slice(0, reply.gpuCount).flatMap((device, position) => {
    if (reply.unread?.includes(position) === true) return [];
    const state = STATES[views.states[position]!]!;
    const parts = details[position] ?? null;
    return {
      device,
      state,
      ...(parts !== null && state === 'ok' && { details: parts }),
      readings: rows[position]!,
      ...processesOf(views, position, processes[position]!),
    };
  });
}

function processesOf(
  { processCodes }: TickViews,
  position: number,
  processes: readonly GpuProcess[],
): Pick<DeviceSample, 'processes' | 'processesPartial'> {
  const code = processCodes[position]!;
  if (code === 0) return { processes };
  if ((code & PARTIAL) !== 0) return { processes, processesPartial: absenceReason(code & ~PARTIAL) };
  return { processes: absent(absenceReason(code)) };
}
