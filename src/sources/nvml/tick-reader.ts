import { CATALOGUE } from '../../model/catalogue.ts';
import type { Device } from '../../model/device.ts';
import type { GpuProcess, ProcessKind } from '../../model/process.ts';
import { absent } from '../../model/reading.ts';
import { absenceReason, ReadingSet } from '../../model/reading-set.ts';
import type { DeviceSample } from '../../model/tick.ts';
import { COMPUTE, GRAPHICS, RECORD_SIZE } from './processes.ts';
import { STATES, type TickReply, type TickViews, tickViews } from './protocol.ts';

/** The samples in a tick buffer. They are views of it: the buffer belongs to the tick from now on. */
export function readTick(reply: TickReply, devices: readonly Device[]): DeviceSample[] {
  const metrics = CATALOGUE.length;
  const views = tickViews(reply.buffer, reply.gpuCount, metrics, reply.processCount);
  const processes = readProcesses(views.processes, reply.gpuCount);
  return devices.slice(0, reply.gpuCount).map((device, position) => {
    const from = position * metrics;
    return {
      device,
      state: STATES[views.states[position]!]!,
      readings: new ReadingSet(views.values.subarray(from, from + metrics), views.codes.subarray(from, from + metrics)),
      processes: absentProcesses(views, position) ?? processes[position]!,
    };
  });
}

function absentProcesses({ processCodes }: TickViews, position: number): DeviceSample['processes'] | null {
  const code = processCodes[position]!;
  return code === 0 ? null : absent(absenceReason(code));
}

function readProcesses(records: Float64Array, gpuCount: number): GpuProcess[][] {
  const lists = Array.from({ length: gpuCount }, (): GpuProcess[] => []);
  for (let at = 0; at < records.length; at += RECORD_SIZE) {
    const memory = records[at + 3]!;
    lists[records[at]!]!.push({
      pid: records[at + 1]!,
      kind: kindOf(records[at + 2]!),
      memoryBytes: memory >= 0 ? memory : absent(absenceReason(-memory)),
      name: null,
      user: null,
    });
  }
  return lists;
}

function kindOf(bits: number): ProcessKind {
  if (bits === (COMPUTE | GRAPHICS)) return 'compute+graphics';
  return bits === GRAPHICS ? 'graphics' : 'compute';
}
