import type { Clock } from '../model/clock.ts';
import type { Device } from '../model/device.ts';
import type { PodRef } from '../model/owner.ts';
import type { OwnerLookup } from '../model/owner-lookup.ts';
import type { Notice } from '../model/ports.ts';
import type { GpuProcess } from '../model/process.ts';
import type { DeviceSample } from '../model/tick.ts';
import { Background } from './background.ts';
import { ContainerNames } from './containers/container-names.ts';
import { hidesProcesses, isInHostNamespace } from './namespaces.ts';
import { isSameProcess, type OwnedProcess, ownProcess } from './owned-process.ts';
import type { OwnerPlaces } from './places.ts';
import { isSamePod, PodBook } from './pods/pod-book.ts';
import { PodLogs } from './pods/pod-logs.ts';
import { PodNames, type PodProcess } from './pods/pod-names.ts';
import { askNameService, hasNameService } from './process/name-service.ts';
import { ProcessDirectory } from './process/process-directory.ts';
import type { ProcessLook } from './process/process-entry.ts';
import { UserNames } from './process/users.ts';

/** The processes of one device at its newest sample. */
interface Board {
  readonly device: Device;
  readonly rows: readonly OwnedProcess[];
  readonly processes: readonly GpuProcess[];
  readonly allotted: readonly PodRef[] | undefined;
}

/** Finds the owners of the processes of this host: from procfs at once, from engines and the kubelet as they answer. */
export class HostOwners implements OwnerLookup {
  readonly #clock: Clock;
  readonly #proc: string;
  readonly #background = new Background();
  readonly #users: UserNames;
  readonly #directory: ProcessDirectory;
  readonly #containers: ContainerNames;
  readonly #pods: PodBook;
  readonly #podNames: PodNames;
  readonly #boards = new Map<string, Board>();
  readonly #devices = new Map<string, Device>();

  /** `usageMs`: how often the CPU time of a process is read, where the usual is not often enough. */
  constructor(clock: Clock, places: OwnerPlaces, usageMs?: number) {
    const background = this.#background;
    this.#clock = clock;
    this.#proc = places.proc;
    const ask = hasNameService() ? askNameService : null;
    this.#users = new UserNames({ clock, background, path: places.passwd, ask });
    this.#directory = new ProcessDirectory(places.proc, clock, this.#users, usageMs);
    this.#containers = new ContainerNames({ clock, background, engines: places.engines });
    this.#pods = new PodBook({ clock, background, sockets: places.kubelets });
    this.#podNames = new PodNames(new PodLogs(clock, background, places.logs));
  }

  prepare(samples: readonly DeviceSample[]): Promise<void> | null {
    if (this.#devices.size > samples.length) this.#forgetAllBut(samples);
    for (const { device, processes } of samples) {
      this.#devices.set(device.uuid, device);
      if ('absent' in processes) continue;
      for (const { pid } of processes) {
        const container = this.#directory.look(pid).place?.container;
        if (container) this.#containers.of(container);
      }
    }
    const naming = this.#directory.named();
    // The kubelet is asked after the processes were seen, so that its answer covers them; and not while names are read,
    // since loading what it takes holds up everything for a moment.
    if (naming === null) this.#pods.refresh();
    return naming === null ? null : naming.then(() => this.#pods.refresh());
  }

  complete(sample: DeviceSample): DeviceSample {
    const { device, processes } = sample;
    const allotted = this.#pods.of(device, device.mig === undefined ? undefined : this.#devices.get(device.mig.parent));
    const isIdle = 'absent' in processes || processes.length === 0;
    if (isIdle) this.#boards.delete(device.uuid);
    const owned = isIdle ? processes : this.#own(device, processes, allotted);
    if (allotted !== undefined) return { ...sample, processes: owned, allotted };
    return owned === processes ? sample : { ...sample, processes: owned };
  }

  lacks(): readonly Notice[] {
    const boards = [...this.#boards.values()];
    const rows = boards.flatMap((board) => board.rows);
    const lacks: Notice[] = [];
    const say = (key: Notice['key'], params: Notice['params'] = {}): number =>
      lacks.push({ key, params, isRemark: true });
    const isBlind = rows.some(({ look }) => look.startedAt === null && look.name === null);
    if (isBlind && !isInHostNamespace(this.#proc, 'pid')) say('notice.owners-pid-namespace');
    else if (isBlind && hidesProcesses(this.#proc)) say('notice.owners-hidden-processes');
    if (rows.some(({ look }) => look.place?.isCut)) say('notice.owners-cgroup-namespace');
    for (const socket of this.#containers.refused()) say('notice.owners-engine-refused', { socket });
    const { failure } = this.#pods;
    if (failure !== null) say('notice.owners-kubelet-failed', { ...failure });
    const isUnnamed = ({ pod }: OwnedProcess): boolean => pod !== null && pod.name === null;
    if (failure === null && this.#pods.askedAt === null && rows.some(isUnnamed)) say('notice.owners-no-kubelet');
    for (const { device, allotted, rows: own } of boards) {
      if (hasSeveralPods(allotted) && own.some(isUnnamed)) say('notice.owners-several-pods', { index: device.index });
    }
    return lacks;
  }

  settled(limitMs: number): Promise<void> {
    return this.#background.settled(this.#clock, limitMs);
  }

  close(): void {
    this.#pods.close();
  }

  /** MIG instances come and go with every new partition. */
  #forgetAllBut(samples: readonly DeviceSample[]): void {
    const present = new Set(samples.map(({ device }) => device.uuid));
    for (const uuid of this.#devices.keys()) {
      if (present.has(uuid)) continue;
      this.#devices.delete(uuid);
      this.#boards.delete(uuid);
    }
  }

  /** The processes with their owners: the same array as for the sample before where nothing has changed. */
  #own(device: Device, processes: readonly GpuProcess[], allotted: Board['allotted']): readonly GpuProcess[] {
    const last = this.#boards.get(device.uuid);
    const looks = processes.map(({ pid }) => this.#directory.look(pid));
    this.#learnPods(looks, allotted);
    let isSame = last?.rows.length === processes.length;
    const rows = processes.map((process, i) => {
      const row = last?.rows[i];
      const next = this.#ownOne(process, looks[i]!, row);
      isSame &&= next === row;
      return next;
    });
    if (isSame && last?.allotted === allotted) return last?.processes ?? processes;
    const owned = isSame && last !== undefined ? last.processes : rows.map(({ owned }) => owned);
    this.#boards.set(device.uuid, { device, rows, processes: owned, allotted });
    return owned;
  }

  #ownOne(process: GpuProcess, look: ProcessLook, row: OwnedProcess | undefined): OwnedProcess {
    const { place } = look;
    const facts = place?.container ? this.#containers.of(place.container) : null;
    const pod = place === null ? null : this.#podNames.of(place, facts);
    const isSame = row !== undefined && row.look === look && row.facts === facts && row.pod === pod;
    if (isSame && isSameProcess(row.process, process)) return row;
    const uid = place?.job?.uid ?? null;
    return ownProcess({ process, look, facts, pod }, uid === null ? look.user : this.#users.nameOf(uid));
  }

  #learnPods(looks: readonly ProcessLook[], allotted: Board['allotted']): void {
    const { askedAt } = this.#pods;
    if (allotted === undefined || allotted.length === 0 || askedAt === null) return;
    this.#podNames.learn(allotted, askedAt, looks.filter(isOfPod));
  }
}

function isOfPod(look: ProcessLook): look is ProcessLook & PodProcess {
  return look.place !== null && look.place.podUid !== null;
}

function hasSeveralPods(allotted: readonly PodRef[] | undefined): boolean {
  return allotted?.some((pod) => !isSamePod(pod, allotted[0])) ?? false;
}
