import type { ContainerRef, Owner, PodRef } from '../model/owner.ts';
import type { GpuProcess } from '../model/process.ts';
import type { CgroupContainer } from './cgroup/cgroup-container.ts';
import type { ContainerFacts } from './containers/engine-client.ts';
import type { ProcessLook } from './process/process-entry.ts';

/** A process as the source gave it, with everything that is known of its owner. */
interface Parts {
  readonly process: GpuProcess;
  readonly look: ProcessLook;
  readonly facts: ContainerFacts | null;
  readonly pod: PodRef | null;
}

export interface OwnedProcess extends Parts {
  /** The process with all of it put in. */
  readonly owned: GpuProcess;
}

/** A process that works for nobody but its user. */
const NOBODY: Owner = Object.freeze({ container: null, pod: null, job: null, unit: null });

/** Puts together what is known. What the source itself knows stays as it is. */
export function ownProcess(parts: Parts, jobUser: string | null): OwnedProcess {
  const { process, look } = parts;
  const owned: GpuProcess = {
    ...process,
    name: process.name ?? look.name,
    user: process.user ?? look.user,
    command: process.command ?? look.command,
    startedAt: process.startedAt ?? look.startedAt,
    cpuRatio: process.cpuRatio ?? look.cpuRatio,
    hostMemoryBytes: process.hostMemoryBytes ?? look.hostMemoryBytes,
    owner: process.owner ?? ownerOf(parts, jobUser),
  };
  return { ...parts, owned };
}

/** Whether a source says the same of a process as before. */
export function isSameProcess(a: GpuProcess, b: GpuProcess): boolean {
  return (
    a.pid === b.pid &&
    a.kind === b.kind &&
    a.memoryBytes === b.memoryBytes &&
    a.smRatio === b.smRatio &&
    a.memoryRatio === b.memoryRatio &&
    a.encoderRatio === b.encoderRatio &&
    a.decoderRatio === b.decoderRatio &&
    a.cpuRatio === b.cpuRatio &&
    a.hostMemoryBytes === b.hostMemoryBytes &&
    a.name === b.name &&
    a.user === b.user &&
    a.startedAt === b.startedAt &&
    a.command === b.command &&
    a.owner === b.owner
  );
}

/** Null where the process cannot be looked up. */
function ownerOf({ look: { place }, facts, pod }: Parts, jobUser: string | null): Owner | null {
  if (place === null) return null;
  const { container, job, unit } = place;
  if (container === null && pod === null && job === null && unit === null) return NOBODY;
  return {
    container: container === null ? null : containerRef(container, facts),
    pod,
    job: job === null ? null : { scheduler: 'slurm', id: job.id, step: job.step, user: jobUser },
    unit,
  };
}

function containerRef({ id, runtime }: CgroupContainer, facts: ContainerFacts | null): ContainerRef {
  return {
    id,
    // A bare id does not tell who runs it, but whoever knows it does.
    runtime: runtime === 'unknown' ? (facts?.engine ?? runtime) : runtime,
    name: facts?.name ?? null,
    image: facts?.image ?? null,
    labels: facts?.labels ?? {},
  };
}
