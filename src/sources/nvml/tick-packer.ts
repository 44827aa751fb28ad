import type { DeviceState } from '../../model/device.ts';
import type { Code } from './abi.ts';
import type { Fleet } from './fleet.ts';
import type { Gpu } from './gpu.ts';
import { type ProcessReader, RECORD_SIZE } from './processes.ts';
import { STATES, type TickReply, tickBytes, tickViews } from './protocol.ts';
import { codeOf } from './row.ts';

const LOST = codeOf('gpu-lost');
const ERROR = codeOf('error');

export interface TickFacts {
  readonly reloaded: boolean;
  /** Not 0 while the driver is gone. */
  readonly driverFailure: Code;
}

/** Copies the rows of all GPUs into one new buffer. */
export function packTick(fleet: Fleet, processes: ProcessReader | null, rowSize: number, facts: TickFacts): TickReply {
  const { gpus } = fleet;
  const processCount = processes?.count ?? 0;
  const buffer = new ArrayBuffer(tickBytes(gpus.length, rowSize, processCount));
  const views = tickViews(buffer, gpus.length, rowSize, processCount);
  for (let i = 0; i < gpus.length; i++) {
    const gpu = gpus[i]!;
    const from = i * rowSize;
    const absence = facts.driverFailure === 0 ? gpu.closed : gpu.closed || ERROR;
    if (absence === 0) {
      views.values.set(gpu.row.values, from);
      views.codes.set(gpu.row.codes, from);
    } else {
      views.codes.fill(absence, from, from + rowSize);
    }
    views.states[i] = STATES.indexOf(stateOf(gpu, facts));
    views.processCodes[i] = absence === 0 ? gpu.processes : absence;
  }
  if (processes !== null) views.processes.set(processes.records.subarray(0, processCount * RECORD_SIZE));
  const devices = fleet.isChanged ? gpus.map(({ device }) => device) : null;
  fleet.isChanged = false;
  return { type: 'tick', buffer, gpuCount: gpus.length, processCount, devices, ...facts };
}

/** What is out of reach is lost; a GPU that may not be opened is there, and one behind a driver that is gone is not lost. */
function stateOf({ closed }: Gpu, { driverFailure }: TickFacts): DeviceState {
  if (closed === LOST) return 'lost';
  if (driverFailure !== 0) return 'stale';
  return closed === ERROR ? 'lost' : 'ok';
}
