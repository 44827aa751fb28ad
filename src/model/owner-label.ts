import type { ContainerRef, JobRef, Owner, PodRef } from './owner.ts';

/** So much of a container id or pod UID is enough to tell two apart, and is what Docker prints. */
const SHORT_ID = 12;

/** One word for whom a process works for, with its kind. */
export interface OwnerLabel {
  readonly kind: 'pod' | 'job' | 'container' | 'unit';
  readonly text: string;
}

/** Of an owner only what a label needs, so that the wire's form of it will do. */
export interface LabelledOwner {
  readonly container: Pick<ContainerRef, 'id' | 'name'> | null;
  readonly pod: Pick<PodRef, 'uid' | 'namespace' | 'name'> | null;
  readonly job: Pick<JobRef, 'id'> | null;
  readonly unit: Owner['unit'];
}

/** The narrowest thing that people have a name for: the pod, else the job, the container, the unit; null for none. */
export function ownerLabel(owner: LabelledOwner | null | undefined): OwnerLabel | null {
  if (owner == null) return null;
  const { pod, job, container, unit } = owner;
  if (pod !== null) return { kind: 'pod', text: podName(pod) };
  if (job !== null) return { kind: 'job', text: job.id };
  if (container !== null) return { kind: 'container', text: container.name ?? container.id.slice(0, SHORT_ID) };
  return unit === null ? null : { kind: 'unit', text: unit };
}

/** `namespace/name` as kubectl takes it, as far as it is known; else the beginning of the UID. */
export function podName({ uid, namespace, name }: NonNullable<LabelledOwner['pod']>): string {
  if (name === null) return uid?.slice(0, SHORT_ID) ?? '?';
  return namespace === null ? name : `${namespace}/${name}`;
}
