import type { ApiCompactGpus, ApiGpu, ApiGpus, ApiMachine, ApiTickMessage } from '../model/api.ts';
import type { ApiProcess, ApiProcessChange } from '../model/api-process.ts';
import type { AbsenceReason } from '../model/reading.ts';

/** What is known now about every GPU. Never changed in place: a GPU that did not change is the same object. */
export type LiveState = ApiGpus;

type GpuChange = ApiTickMessage['gpus'][number];

type Readings = Pick<ApiGpu, 'readings' | 'absent'>;

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
    state: {
      ...state,
      at,
      sequence,
      source,
      gpus: inOrder([...gpus, ...added], message.order),
      machine: applyMachine(state.machine, message.machine),
    },
    complete: added.length === changes.size,
  };
}

/** A snapshot as it was meant: with a null and a reason for everything that is absent. */
export function expanded({ gpus, absences, ...rest }: ApiCompactGpus): ApiGpus {
  const nulls = absences.map((reasons) => Object.fromEntries(Object.keys(reasons).map((id) => [id, null])));
  return {
    ...rest,
    gpus: gpus.map(({ absences: position, readings, ...gpu }) => ({
      ...gpu,
      readings: { ...nulls[position], ...readings },
      absent: absences[position] ?? {},
    })),
  };
}

/** GPUs as the server lists them now; what it does not list any more is gone. */
function inOrder(gpus: ApiGpu[], order: readonly string[] | undefined): ApiGpu[] {
  if (order === undefined) return gpus;
  const byUuid = new Map(gpus.map((gpu) => [gpu.uuid, gpu]));
  return order.flatMap((uuid) => byUuid.get(uuid) ?? []);
}

function applyMachine(known: ApiMachine | null, change: ApiMachine | undefined): ApiMachine | null {
  if (change === undefined) return known;
  return known === null ? change : { at: change.at, ...mergeReadings(known, change) };
}

function newGpu({ facts, ...change }: GpuChange): ApiGpu | null {
  if (facts === undefined) return null;
  const { uuid, state, at, readings, absent, processes = [], details = {}, allotted = null } = change;
  const { processesAbsent = null, processesPartial = null } = change;
  const { fans = null, links = null } = details;
  const rest = { processes, processesAbsent, processesPartial, details: { fans, links }, allotted };
  return { uuid, ...facts, state, at, readings, absent, ...rest };
}

function applyChange(gpu: ApiGpu, change: GpuChange): ApiGpu {
  const { facts, state, at, processes = gpu.processes, processChanges, details, allotted } = change;
  const { processesAbsent, processesPartial } = change;
  return {
    ...gpu,
    ...facts,
    state,
    at,
    ...mergeReadings(gpu, change),
    processes: processChanges === undefined ? processes : withFigures(processes, processChanges),
    processesAbsent: processesAbsent === undefined ? gpu.processesAbsent : processesAbsent,
    processesPartial: processesPartial === undefined ? gpu.processesPartial : processesPartial,
    details: details === undefined ? gpu.details : { ...gpu.details, ...details },
    allotted: allotted === undefined ? gpu.allotted : allotted,
  };
}

function withFigures(processes: readonly ApiProcess[], changes: readonly ApiProcessChange[]): ApiProcess[] {
  const changed = processes.slice();
  for (const { position, ...figures } of changes) {
    const process = changed[position];
    if (process !== undefined) changed[position] = { ...process, ...figures };
  }
  return changed;
}

/** The readings with the changed ones put in. The reason of a value that is back is dropped. */
function mergeReadings(gpu: Readings, { readings, absent }: Readings): Readings {
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
