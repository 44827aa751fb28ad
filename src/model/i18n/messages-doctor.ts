import type { Text } from './text.ts';

/** What `doctor` finds, and what to do about it. */
export const DOCTOR_MESSAGES = {
  'doctor.about': { en: 'find out why a GPU is missing, and what to do', zh: '查明找不到 GPU 的原因和解决办法' },
  'doctor.capabilities': {
    en: 'print what each GPU reports: the value of every metric, or the reason why there is none',
    zh: '列出各 GPU 上报的指标：每项的数值，没有值的注明原因',
  },
  'doctor.strict': {
    en: 'end with exit code 1 for a warning as well as for a fault',
    zh: '有警告时也以退出码 1 结束（默认仅故障时）',
  },
  'doctor.sampling': {
    en: 'sampling for some seconds, as rates and rarer readings take …',
    zh: '正在采样，速率等指标需要几秒……',
  },
  'doctor.ok': { en: 'ok', zh: '正常' },
  'doctor.warning': { en: 'warning', zh: '警告' },
  'doctor.fault': { en: 'fault', zh: '故障' },
  'doctor.healthy': { en: 'nothing is wrong', zh: '一切正常' },
  'doctor.node': { en: 'Node {version}', zh: 'Node {version}' },
  'doctor.gpus': { en: 'GPUs ({count}): {names}', zh: '{count} 个 GPU：{names}' },
  'doctor.gpu-lost': { en: 'GPU {index} ({name}) is lost', zh: 'GPU {index}（{name}）掉卡' },
  'doctor.gpu-lost-remedy': {
    en: 'look for the reason in "dmesg | grep -i xid"; a reboot usually brings it back, a card that is lost again needs service',
    zh: '请在 dmesg | grep -i xid 中查看原因；重启通常可以恢复，反复掉卡需要检修',
  },
  'doctor.gpu-denied': {
    en: 'this user may not read GPU {index} ({name})',
    zh: '当前用户无权读取 GPU {index}（{name}）',
  },
  'doctor.gpu-denied-remedy': {
    en: 'check the permissions of its /dev/nvidia* device; in a container, pass the device in',
    zh: '请检查对应 /dev/nvidia* 设备的权限；在容器内请把该设备传入',
  },
  'doctor.gpu-unreadable': {
    en: 'nothing can be read from GPU {index} ({name})',
    zh: '无法从 GPU {index}（{name}）读取任何数据',
  },
  'doctor.gpu-silent': { en: 'GPU {index} ({name}) does not answer', zh: 'GPU {index}（{name}）没有响应' },
  'doctor.gpu-silent-remedy': {
    en: 'a driver call for it hangs: see "dmesg | grep -i nvrm"; a reboot is often the only way out',
    zh: '对该卡的驱动调用已挂起：请查看 dmesg | grep -i nvrm，通常只能重启',
  },
  'doctor.data-fault': {
    en: 'history directory {path} cannot be written: {detail}',
    zh: '历史数据目录 {path} 不可写：{detail}',
  },
  'doctor.data-remedy': {
    en: 'correct its permissions, or choose another with "serve --data DIR"',
    zh: '请修正权限，或用 serve --data DIR 换一个目录',
  },
  'doctor.remedy': { en: 'what to do: {remedy}', zh: '解决办法：{remedy}' },
  'doctor.driver': { en: 'NVIDIA kernel driver {version} is loaded', zh: 'NVIDIA 内核驱动 {version} 已加载' },
  'doctor.no-driver': { en: 'no NVIDIA kernel driver is loaded', zh: '没有加载 NVIDIA 内核驱动' },
  'doctor.library': { en: 'NVIDIA management library {path}', zh: 'NVIDIA 管理库 {path}' },
  'doctor.nodes': { en: 'device files: {names}', zh: '设备文件：{names}' },
  'doctor.no-nodes': { en: 'no device file /dev/nvidia*', zh: '没有设备文件 /dev/nvidia*' },
  'doctor.container': { en: 'this is a container', zh: '当前运行在容器中' },
  'doctor.wsl': {
    en: 'this is WSL: much of what NVML reports elsewhere is missing here',
    zh: '当前为 WSL：NVML 在此缺少许多数据',
  },
  'doctor.data': { en: 'history directory {path} can be written', zh: '历史数据目录 {path} 可写' },
  'doctor.gpu-unreadable-remedy': {
    en: 'look for the reason in "dmesg | grep -i nvrm", and check the permissions of its /dev/nvidia* device',
    zh: '请在 dmesg | grep -i nvrm 中查看原因，并检查对应 /dev/nvidia* 设备的权限',
  },
  'doctor.gpu-reset': {
    en: 'GPU {index} ({name}) has to be reset before it can be used again (code {code})',
    zh: 'GPU {index}（{name}）需要复位后才能使用（代码 {code}）',
  },
  'doctor.gpu-reset-remedy': {
    en: 'stop what uses it and run "nvidia-smi --gpu-reset -i {index}" ("gpulse release" lets go of it); where that fails, reboot',
    zh: '请停止使用该卡的程序后执行 nvidia-smi --gpu-reset -i {index}（可先用 gpulse release 释放）；若失败请重启机器',
  },
  'doctor.no-persistence': {
    en: 'persistence mode is off on GPU {indexes}: without a client the driver shuts the card down, and every start takes seconds',
    zh: 'GPU {indexes} 未开启持久模式：没有程序使用时驱动会关闭该卡，每次启动需要数秒',
  },
  'doctor.no-persistence-remedy': {
    en: 'run nvidia-persistenced, or "nvidia-smi -pm 1"; on a laptop leave it as it is',
    zh: '请启用 nvidia-persistenced 服务，或执行 nvidia-smi -pm 1；笔记本电脑保持原样即可',
  },
  'doctor.mig': { en: 'GPU {index} is cut into {count} MIG instances', zh: 'GPU {index} 已划分为 {count} 个 MIG 实例' },
  'doctor.mig-empty': {
    en: 'GPU {index} is in MIG mode and has no instance: nothing can run on it',
    zh: 'GPU {index} 已开启 MIG 模式但没有实例，无法运行任何任务',
  },
  'doctor.mig-empty-remedy': {
    en: 'make instances with "nvidia-smi mig -i {index} -cgi PROFILE -C", or leave the mode with "nvidia-smi -i {index} -mig 0"',
    zh: '请用 nvidia-smi mig -i {index} -cgi 规格 -C 创建实例，或用 nvidia-smi -i {index} -mig 0 关闭 MIG',
  },
  'doctor.mig-pending': {
    en: 'the MIG mode of GPU {index} was changed and waits for a reset',
    zh: 'GPU {index} 的 MIG 模式已更改，等待复位后生效',
  },
  'doctor.mig-pending-remedy': {
    en: 'stop what uses the card and run "nvidia-smi --gpu-reset -i {index}", or reboot',
    zh: '请停止使用该卡的程序后执行 nvidia-smi --gpu-reset -i {index}，或重启机器',
  },
  'doctor.bus-dropped': {
    en: 'the card at {slot} is on the PCI bus and belongs to the NVIDIA driver, which does not list it',
    zh: '位于 {slot} 的显卡在 PCI 总线上并由 NVIDIA 驱动管理，但驱动没有列出它',
  },
  'doctor.bus-dropped-remedy': {
    en: 'its start failed: see "dmesg | grep -i nvrm"; power-cycle the machine, and if it fails again have the card checked',
    zh: '该卡初始化失败：请查看 dmesg | grep -i nvrm；断电重启后仍失败则需检修',
  },
  'doctor.bus-dead': {
    en: 'the card at {slot} does not answer on the PCI bus',
    zh: '位于 {slot} 的显卡在 PCI 总线上没有响应',
  },
  'doctor.bus-gone': {
    en: 'GPU {index} is no longer on the PCI bus at {slot}',
    zh: 'GPU {index} 已不在 PCI 总线的 {slot} 位置上',
  },
  'doctor.bus-unbound': {
    en: 'the NVIDIA card at {slot} has no kernel driver',
    zh: '位于 {slot} 的 NVIDIA 显卡没有内核驱动',
  },
  'doctor.bus-unbound-remedy': {
    en: 'load the driver with "modprobe nvidia" and see "dmesg | grep -i nvrm"; a card that is too old or too new for this driver is named there',
    zh: '请执行 modprobe nvidia 并查看 dmesg | grep -i nvrm；若该卡不受当前驱动支持，其中会说明',
  },
  'doctor.bus-other': {
    en: 'the NVIDIA card at {slot} is run by the kernel driver {driver}, from which gpulse reads nothing',
    zh: '位于 {slot} 的 NVIDIA 显卡由内核驱动 {driver} 管理，gpulse 无法从中读取',
  },
  'doctor.bus-other-remedy': {
    en: "install NVIDIA's driver and keep {driver} from being loaded",
    zh: '请安装 NVIDIA 驱动，并禁止加载 {driver}',
  },
  'doctor.bus-passed': {
    en: 'the NVIDIA card at {slot} is given to a virtual machine ({driver})',
    zh: '位于 {slot} 的 NVIDIA 显卡已直通给虚拟机（{driver}）',
  },
  'doctor.bus-elsewhere': {
    en: 'the NVIDIA card at {slot} is not given to this container',
    zh: '位于 {slot} 的 NVIDIA 显卡没有分配给当前容器',
  },
  'doctor.no-utility': {
    en: 'NVIDIA_DRIVER_CAPABILITIES is "{value}": the container is given no management library',
    zh: 'NVIDIA_DRIVER_CAPABILITIES 为“{value}”：容器中没有管理库',
  },
  'doctor.no-utility-remedy': {
    en: 'start it with NVIDIA_DRIVER_CAPABILITIES=compute,utility, or all',
    zh: '请以 NVIDIA_DRIVER_CAPABILITIES=compute,utility（或 all）启动容器',
  },
  'doctor.wsl-no-dxg': { en: 'there is no /dev/dxg', zh: '没有 /dev/dxg' },
  'doctor.wsl-no-dxg-remedy': {
    en: 'this needs WSL 2 with a current kernel: run "wsl --update" in Windows, and install the NVIDIA driver there, not here',
    zh: '需要 WSL 2 与较新的内核：请在 Windows 中执行 wsl --update，并在 Windows（而非 WSL）中安装 NVIDIA 驱动',
  },
  'doctor.wsl-no-library': { en: 'there is no {path}', zh: '没有 {path}' },
  'doctor.wsl-no-library-remedy': {
    en: 'it comes with the driver of Windows; remove any NVIDIA driver installed inside WSL, then run "wsl --shutdown" in Windows',
    zh: '该文件由 Windows 驱动提供；请卸载 WSL 内安装的 NVIDIA 驱动，然后在 Windows 中执行 wsl --shutdown',
  },
  'doctor.nodes-missing': { en: 'device files are missing: {names}', zh: '缺少设备文件：{names}' },
  'doctor.nodes-missing-remedy': {
    en: 'run "nvidia-modprobe -c 0 -u", or "nvidia-smi" once as root, which make them',
    zh: '请以 root 执行 nvidia-modprobe -c 0 -u，或运行一次 nvidia-smi，即可创建',
  },
  'doctor.nodes-revoked': {
    en: '{path} is there, and the system no longer lets this container open it',
    zh: '{path} 存在，但系统不再允许当前容器打开它',
  },
  'doctor.nodes-revoked-remedy': {
    en: 'a "systemctl daemon-reload" on the host takes devices away from running containers: recreate the container; to prevent it, make /dev/char links with "nvidia-ctk system create-dev-char-symlinks --create-all" or use CDI',
    zh: '宿主机执行 systemctl daemon-reload 后，运行中的容器会失去设备：请重建容器；可用 nvidia-ctk system create-dev-char-symlinks --create-all 或改用 CDI 预防',
  },
  'doctor.nodes-denied': { en: 'this user may not open {path}', zh: '当前用户无权打开 {path}' },
  'doctor.nodes-denied-remedy': {
    en: 'check its permissions with "ls -l /dev/nvidia*"; where a group has them (often video or vglusers), join it',
    zh: '请用 ls -l /dev/nvidia* 检查权限；若只对某个组（常为 video 或 vglusers）开放，请加入该组',
  },
  'doctor.nodes-stale': { en: '{path} belongs to a driver that is not loaded', zh: '{path} 对应的驱动没有加载' },
  'doctor.nodes-stale-remedy': { en: 'load the driver with "modprobe nvidia"', zh: '请执行 modprobe nvidia 加载驱动' },
  'doctor.no-xid': { en: 'the kernel log has no Xid', zh: '内核日志中没有 Xid' },
  'doctor.more-xids': {
    en: '{count} older Xids in the kernel log are not shown',
    zh: '内核日志中另有 {count} 条较早的 Xid 未显示',
  },
  'doctor.clock-synced': { en: 'the clock is synchronised', zh: '系统时钟已同步' },
  'doctor.clock-kept': { en: 'the clock is kept by {name}', zh: '系统时钟由 {name} 校准' },
  'doctor.clock-free': {
    en: 'nothing seems to keep the clock right: readings and training logs may disagree about the time',
    zh: '未发现时钟同步服务：采样数据与训练日志的时间可能对不上',
  },
  'doctor.clock-free-remedy': {
    en: 'run chrony or systemd-timesyncd ("timedatectl set-ntp true")',
    zh: '请启用 chrony 或 systemd-timesyncd（timedatectl set-ntp true）',
  },
  'doctor.disk': { en: '{room} are free for the history', zh: '历史数据可用空间 {room}' },
  'doctor.disk-low': {
    en: 'only {room} are free where the history is kept ({path})',
    zh: '历史数据所在磁盘（{path}）仅剩 {room}',
  },
  'doctor.disk-low-remedy': {
    en: 'free some space, or choose another directory with "serve --data DIR"; "serve --keep" limits what is kept',
    zh: '请清理磁盘，或用 serve --data DIR 换一个目录；serve --keep 可限制保留内容',
  },
} as const satisfies Record<string, Text>;
