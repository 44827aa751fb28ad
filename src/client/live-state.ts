import type { ApiGpu, ApiGpus, ApiTickMessage } from '../model/api.ts';
import type { AbsenceReason } from '../model/reading.ts';

/** What is known now about every GPU. Never changed in place: a GPU that did not change is the same object. */
export type LiveState = ApiGpus;

type GpuChange = ApiTickMessage['gpus'][number];

export interface Applied {
  readonly state: LiveState;
  /** False where the message spoke of a GPU this state does not know: a new snapshot is needed to see it. */
  readonly complete: boolean;
}

/**
 * The state after a message. One that is older than the state changes nothing: it was part of the snapshot. Numbers may
 * be skipped, because a message tells what changed since the message before it.
 */
export function applyTick(state: LiveState, message: ApiTickMessage): Applied {
  if (message.sequence < state.sequence) return { state, complete: true };
  const changes = new Map(message.gpus.map((change) => [change.uuid, change]));
  const gpus = state.gpus.map((gpu) => {
    const change = changes.get(gpu.uuid);
    if (change === undefined) return gpu;
    changes.delete(gpu.uuid);
    return applyChange(gpu, change);
  });
  const added = [...changes.values()].flatMap((change) => newGpu(change) ?? []);
  const { at, sequence, source = state.source } = message;
  return {
    state: { ...state, at, sequence, source, gpus: inOrder([...gpus, ...added], message.order) },
    complete: added.length === changes.size,
  };
}

/** GPUs as the server lists them now; what it does not list any more is gone. */
function inOrder(gpus: ApiGpu[], order: readonly string[] | undefined): ApiGpu[] {
  if (order === undefined) return gpus;
  const byUuid = new Map(gpus.map((gpu) => [gpu.uuid, gpu]));
  return order.flatMap((uuid) => byUuid.get(uuid) ?? []);
}

function newGpu({ facts, ...change }: GpuChange): ApiGpu | null {
  if (facts === undefined) return null;
  const { uuid, state, at, readings, absent, processes = [], processesAbsent = null } = change;
  return { uuid, ...facts, state, at, readings, absent, processes, processesAbsent };
}

function applyChange(gpu: ApiGpu, change: GpuChange): ApiGpu {
  return {
    ...gpu,
    ...change.facts,
    state: change.state,
    at: change.at,
    ...mergeReadings(gpu, change),
    processes: change.processes ?? gpu.processes,
    processesAbsent: change.processesAbsent === undefined ? gpu.processesAbsent : change.processesAbsent,
  };
}

/** The readings with the changed ones put in. The reason of a value that is back is dropped. */
function mergeReadings(gpu: ApiGpu, { readings, absent }: GpuChange): Pick<ApiGpu, 'readings' | 'absent'> {
  const changed = Object.keys(readings);
  if (changed.length === 0) return { readings: gpu.readings, absent: gpu.absent };
  const touchesAbsence = changed.some((id) => readings[id] === null || gpu.absent[id] !== undefined);
  if (!touchesAbsence) return { readings: { ...gpu.readings, ...readings }, absent: gpu.absent };
  const reasons: Record<string, AbsenceReason> = { ...gpu.absent };
  for (const id of changed) {
    if (readings[id] === null) reasons[id] = absent[id] ?? 'error';
    else delete reasons[id];
  }
  return { readings: { ...gpu.readings, ...readings }, absent: reasons };
}
