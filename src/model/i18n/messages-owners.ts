import type { Text } from './text.ts';

/** What cannot be told of the owners of processes, and what would change that. */
export const OWNER_NOTICES = {
  'notice.owners-pid-namespace': {
    en: 'Processes have no names and owners: gpulse has a pid namespace of its own, while the driver gives the pids of the host. Run it with --pid=host, in Kubernetes with hostPID: true',
    zh: '无法得知进程的名称和归属：gpulse 处于独立的 PID 命名空间，而驱动给出的是宿主机的 PID。请以 --pid=host 运行，在 Kubernetes 中设置 hostPID: true',
  },
  'notice.owners-hidden-processes': {
    en: 'Processes of other users are hidden: procfs is mounted with hidepid. Run gpulse as root, or as a member of the group the mount exempts (gid=)',
    zh: '看不到其他用户的进程：procfs 以 hidepid 方式挂载。请以 root 身份运行 gpulse，或将其加入挂载选项 gid= 指定的组',
  },
  'notice.owners-cgroup-namespace': {
    en: 'Containers, pods and jobs may be missing: gpulse has a cgroup namespace of its own, in which the paths of other processes are cut off. Run it with --cgroupns=host',
    zh: '容器、Pod 和作业信息可能不全：gpulse 处于独立的 cgroup 命名空间，其他进程的路径不完整。请以 --cgroupns=host 运行',
  },
  'notice.owners-engine-refused': {
    en: 'Containers have no names: {socket} may not be used by this user. Run gpulse as root or as a member of the group of the socket',
    zh: '无法得知容器名称：当前用户无权访问 {socket}。请以 root 身份运行 gpulse，或将其加入该套接字所属的组',
  },
  'notice.owners-kubelet-failed': {
    en: 'It is not known which pods have which GPUs: the kubelet does not answer at {socket} ({detail})',
    zh: '无法得知各 Pod 分配到的 GPU：kubelet（{socket}）没有响应（{detail}）',
  },
  'notice.owners-no-kubelet': {
    en: 'Pods are only known by their UIDs: mount /var/lib/kubelet/pod-resources into the container of gpulse, and /var/log/pods with /var/log/containers',
    zh: '只能得知 Pod 的 UID：请将 /var/lib/kubelet/pod-resources 以及 /var/log/pods、/var/log/containers 挂载到 gpulse 的容器中',
  },
  'notice.owners-several-pods': {
    en: 'Several pods share GPU {index}, and the kubelet does not tell which process is of which: mount /var/log/pods and /var/log/containers into the container of gpulse',
    zh: 'GPU {index} 由多个 Pod 共享，kubelet 不提供进程与 Pod 的对应关系：请将 /var/log/pods 和 /var/log/containers 挂载到 gpulse 的容器中',
  },
} as const satisfies Record<`notice.owners-${string}`, Text>;

/** What `doctor` says about owners. */
export const OWNER_MESSAGES = {
  'doctor.owners-processes': { en: 'processes of the host are visible', zh: '可以看到宿主机的进程' },
  'doctor.owners-pid-namespace': {
    en: 'processes cannot be named: gpulse has a pid namespace of its own, while the driver gives the pids of the host',
    zh: '无法识别进程：gpulse 处于独立的 PID 命名空间，而驱动给出的是宿主机的 PID',
  },
  'doctor.owners-pid-namespace-remedy': {
    en: 'run gpulse with --pid=host, in Kubernetes with hostPID: true',
    zh: '以 --pid=host 运行 gpulse，在 Kubernetes 中设置 hostPID: true',
  },
  'doctor.owners-hidden-processes': {
    en: 'processes of other users are hidden: procfs is mounted with hidepid',
    zh: '看不到其他用户的进程：procfs 以 hidepid 方式挂载',
  },
  'doctor.owners-hidden-processes-remedy': {
    en: 'run gpulse as root, or as a member of the group the mount exempts (gid=)',
    zh: '以 root 身份运行 gpulse，或将其加入挂载选项 gid= 指定的组',
  },
  'doctor.owners-cgroup-namespace': {
    en: 'containers, pods and jobs of other processes may be missing: gpulse has a cgroup namespace of its own',
    zh: '其他进程的容器、Pod 和作业信息可能不全：gpulse 处于独立的 cgroup 命名空间',
  },
  'doctor.owners-cgroup-namespace-remedy': {
    en: 'run gpulse with --cgroupns=host',
    zh: '以 --cgroupns=host 运行 gpulse',
  },
  'doctor.owners-engine': { en: 'containers are named by {socket}', zh: '通过 {socket} 获取容器名称' },
  'doctor.owners-engine-refused': {
    en: 'containers get no names: {socket} may not be used by this user',
    zh: '无法获取容器名称：当前用户无权访问 {socket}',
  },
  'doctor.owners-engine-refused-remedy': {
    en: 'run gpulse as root or as a member of the group of the socket, if names of containers are wanted',
    zh: '如需显示容器名称，请以 root 身份运行 gpulse，或将其加入该套接字所属的组',
  },
  'doctor.owners-engine-failed': {
    en: 'containers get no names: no container engine answers at {socket} ({detail})',
    zh: '无法获取容器名称：容器引擎（{socket}）没有响应（{detail}）',
  },
  'doctor.owners-engine-failed-remedy': {
    en: 'look whether the container engine runs; a socket left over from one that is gone can be removed',
    zh: '检查容器引擎是否在运行；若该套接字是已停止的引擎遗留的，可以删除',
  },
  'doctor.owners-kubelet': {
    en: 'the kubelet tells which pods have which GPUs; containers with devices: {count}',
    zh: '可从 kubelet 得知各 Pod 分配到的 GPU，占用设备的容器：{count} 个',
  },
  'doctor.owners-kubelet-failed': {
    en: 'it is not known which pods have which GPUs: the kubelet does not answer at {socket} ({detail})',
    zh: '无法得知各 Pod 分配到的 GPU：kubelet（{socket}）没有响应（{detail}）',
  },
  'doctor.owners-kubelet-failed-remedy': {
    en: 'run gpulse as root, and look at the kubelet if the socket is left over from one that is gone',
    zh: '以 root 身份运行 gpulse；若该套接字是已停止的 kubelet 遗留的，请检查 kubelet 状态',
  },
} as const satisfies Record<`doctor.owners-${string}`, Text>;
