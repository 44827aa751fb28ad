import type { ApiFigures, ApiOwner, ApiPod, ApiProcess, ApiProcessChange } from '../../model/api-process.ts';
import type { Owner, PodRef } from '../../model/owner.ts';
import type { GpuProcess } from '../../model/process.ts';
import { type Absent, type Reading, valueOrNull } from '../../model/reading.ts';

export type Processes = readonly GpuProcess[] | Absent;

export function apiProcess(process: GpuProcess): ApiProcess {
  const { pid, kind, name, user, startedAt = null, command = null, owner = null } = process;
  return { pid, kind, name, user, ...figuresOf(process), startedAt, command, owner: owner && apiOwner(owner) };
}

function figuresOf(process: GpuProcess): ApiFigures {
  return {
    memoryBytes: valueOrNull(process.memoryBytes),
    smRatio: figure(process.smRatio),
    memoryRatio: figure(process.memoryRatio),
    encoderRatio: figure(process.encoderRatio),
    decoderRatio: figure(process.decoderRatio),
    cpuRatio: roundedCpu(figure(process.cpuRatio)),
    hostMemoryBytes: figure(process.hostMemoryBytes),
  };
}

function figure(reading: Reading | undefined): number | null {
  return reading === undefined ? null : valueOrNull(reading);
}

/** The kernel counts CPU time in hundredths of a second, so that more digits than these would be noise. */
function roundedCpu(ratio: number | null): number | null {
  return ratio === null ? null : Math.round(ratio * 1000) / 1000;
}

/** Without the labels of the container, which are many and for machines. */
function apiOwner({ container, pod, job, unit }: Owner): ApiOwner {
  return {
    container: container && {
      id: container.id,
      runtime: container.runtime,
      name: container.name,
      image: container.image,
    },
    pod: pod && apiPod(pod),
    job: job && { scheduler: job.scheduler, id: job.id, step: job.step, user: job.user },
    unit,
  };
}

export function apiPod({ uid, namespace, name, container }: PodRef): ApiPod {
  return { uid, namespace, name, container };
}

/** What changed in a list: nothing, some figures, or more than that. */
export function processChange(now: Processes, before: Processes): ApiProcessChange[] | 'more' | null {
  if (now === before) return null;
  if ('absent' in now || 'absent' in before) {
    return 'absent' in now && 'absent' in before && now.absent === before.absent ? null : 'more';
  }
  if (now.length !== before.length) return 'more';
  const changes: ApiProcessChange[] = [];
  for (const [position, process] of now.entries()) {
    const known = before[position]!;
    if (process === known) continue;
    if (!isSameProcess(process, known)) return 'more';
    const figures = changedFigures(process, known);
    if (figures !== null) changes.push({ position, ...figures });
  }
  return changes.length === 0 ? null : changes;
}

function changedFigures(now: GpuProcess, before: GpuProcess): Partial<ApiFigures> | null {
  const known = figuresOf(before);
  const changed: Partial<ApiFigures> = {};
  let isChanged = false;
  for (const [name, value] of Object.entries(figuresOf(now)) as [keyof ApiFigures, number | null][]) {
    if (value === known[name]) continue;
    changed[name] = value;
    isChanged = true;
  }
  return isChanged ? changed : null;
}

function isSameProcess(a: GpuProcess, b: GpuProcess): boolean {
  return (
    a.pid === b.pid &&
    a.kind === b.kind &&
    a.name === b.name &&
    a.user === b.user &&
    (a.startedAt ?? null) === (b.startedAt ?? null) &&
    (a.command ?? null) === (b.command ?? null) &&
    isSameOwner(a.owner ?? null, b.owner ?? null)
  );
}

/** An owner in whom nothing has changed is nearly always the same object. */
function isSameOwner(a: Owner | null, b: Owner | null): boolean {
  if (a === b) return true;
  return a !== null && b !== null && JSON.stringify(apiOwner(a)) === JSON.stringify(apiOwner(b));
}
