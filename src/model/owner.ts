/** Whom a process works for. Each part is null where it does not apply or cannot be told. */
export interface Owner {
  readonly container: ContainerRef | null;
  readonly pod: PodRef | null;
  readonly job: JobRef | null;
  /** systemd unit, `jupyter.service`. */
  readonly unit: string | null;
}

export interface ContainerRef {
  /**
   * Full id of 64 hexadecimal digits where the runtime has such; an LXC container has its name here, and one of a
   * platform on top the id of that.
   */
  readonly id: string;
  readonly runtime: 'docker' | 'containerd' | 'cri-o' | 'podman' | 'lxc' | 'unknown';
  /** From the socket of the runtime; null where that cannot be read. */
  readonly name: string | null;
  readonly image: string | null;
  readonly labels: Readonly<Record<string, string>>;
}

export interface PodRef {
  /** Null where only the kubelet's list of devices is known, which has no UIDs. */
  readonly uid: string | null;
  /** Null where only the cgroup is known. */
  readonly namespace: string | null;
  readonly name: string | null;
  readonly container: string | null;
}

export interface JobRef {
  readonly scheduler: 'slurm';
  readonly id: string;
  readonly step: string | null;
  readonly user: string | null;
}
