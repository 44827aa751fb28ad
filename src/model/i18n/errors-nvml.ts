import type { ErrorEntry } from './error-entry.ts';

/** Why the NVIDIA driver cannot be read. */
export const NVML_ERRORS = {
  NVML_LIBRARY_NOT_FOUND: {
    status: 503,
    exit: 3,
    message: {
      en: 'the NVIDIA management library {library} was not found; looked in: {places}',
      zh: '找不到 NVIDIA 管理库 {library}，已查找：{places}',
    },
    hint: {
      en: 'install the NVIDIA driver, or name the library with --nvml-library; in a container set NVIDIA_DRIVER_CAPABILITIES=utility; AMD and Intel GPUs need no library, only their kernel driver (amdgpu, i915, xe)',
      zh: '请安装 NVIDIA 驱动，或用 --nvml-library 指定库文件；容器内请设置 NVIDIA_DRIVER_CAPABILITIES=utility；AMD 与 Intel GPU 不需要库，只需内核驱动（amdgpu、i915、xe）',
    },
  },
  NVML_LIBRARY_UNUSABLE: {
    status: 503,
    exit: 3,
    message: { en: '{library} cannot be loaded: {detail}', zh: '无法加载 {library}：{detail}' },
    hint: {
      en: 'give --nvml-library the libnvidia-ml.so.1 that belongs to the running driver',
      zh: '请用 --nvml-library 指定与当前驱动匹配的 libnvidia-ml.so.1',
    },
  },
  NVML_DRIVER_NOT_LOADED: {
    status: 503,
    exit: 3,
    message: {
      en: 'the library {library} is there, but the NVIDIA kernel driver is not loaded',
      zh: '已找到 {library}，但 NVIDIA 内核驱动没有加载',
    },
    hint: {
      en: 'load it with "modprobe nvidia", and look for the reason in "dmesg | grep -i nvrm"',
      zh: '请执行 modprobe nvidia，并在 dmesg | grep -i nvrm 中查看原因',
    },
  },
  NVML_VERSION_MISMATCH: {
    status: 503,
    exit: 3,
    message: {
      en: 'the NVIDIA driver in the kernel and the library {library} have different versions',
      zh: '内核中的 NVIDIA 驱动与 {library} 版本不一致',
    },
    hint: {
      en: 'the driver was upgraded while loaded: reboot, or unload and load the nvidia modules',
      zh: '驱动升级后未重新加载：请重启，或卸载后重新加载 nvidia 模块',
    },
  },
  NVML_NO_PERMISSION: {
    status: 503,
    exit: 4,
    message: { en: 'this user may not open the NVIDIA driver', zh: '当前用户无权打开 NVIDIA 驱动' },
    hint: {
      en: 'check the permissions of /dev/nvidiactl and /dev/nvidia*, or run as a user that may read them',
      zh: '请检查 /dev/nvidiactl 与 /dev/nvidia* 的权限，或换用有权限的用户运行',
    },
  },
  NVML_CONTAINER_WITHOUT_DEVICES: {
    status: 503,
    exit: 3,
    message: {
      en: 'the NVIDIA driver {version} is loaded on the host, but no /dev/nvidia* device was passed into this container',
      zh: '宿主机已加载 NVIDIA 驱动 {version}，但没有把 /dev/nvidia* 设备传入当前容器',
    },
    hint: {
      en: 'start the container with "--gpus all" (or the nvidia runtime) and NVIDIA_DRIVER_CAPABILITIES=utility',
      zh: '请以 --gpus all（或 nvidia runtime）启动容器，并设置 NVIDIA_DRIVER_CAPABILITIES=utility',
    },
  },
  NVML_NO_DEVICES: {
    status: 503,
    exit: 3,
    message: { en: 'the NVIDIA driver answers, but it lists no GPU', zh: 'NVIDIA 驱动正常，但没有列出任何 GPU' },
    hint: {
      en: 'check "lspci | grep -i nvidia"; a card that is there but not listed has failed or is bound to another driver',
      zh: '请检查 lspci | grep -i nvidia；能看到卡但驱动未列出，说明卡已故障或被其他驱动占用',
    },
  },
  NVML_INIT_FAILED: {
    status: 503,
    exit: 3,
    message: {
      en: 'the NVIDIA driver refused to start: {detail} (code {code})',
      zh: 'NVIDIA 驱动初始化失败：{detail}（代码 {code}）',
    },
    hint: { en: 'look for the reason in "dmesg | grep -i nvrm"', zh: '请在 dmesg | grep -i nvrm 中查看原因' },
  },
  NVML_DRIVER_GONE: {
    status: 503,
    exit: 3,
    message: {
      en: 'the NVIDIA driver has stopped answering: {detail} (code {code}); gpulse keeps trying to open it again',
      zh: 'NVIDIA 驱动已停止响应：{detail}（代码 {code}），gpulse 正在尝试重新打开',
    },
    hint: {
      en: 'it was unloaded, replaced or has failed: see "dmesg | grep -i nvrm"; if it was upgraded, load the new modules or reboot',
      zh: '驱动可能被卸载、替换或已故障：请查看 dmesg | grep -i nvrm；若刚升级过，请重新加载模块或重启',
    },
  },
  NVML_STARTING: {
    status: 503,
    exit: 3,
    message: {
      en: 'the NVIDIA driver has been starting for {seconds} s (in {call})',
      zh: 'NVIDIA 驱动正在启动，已 {seconds} 秒（正在调用 {call}）',
    },
    hint: {
      en: 'without persistence mode the driver first wakes every GPU, which takes seconds; if it does not end, see "dmesg | grep -i nvrm"',
      zh: '未开启持久模式时，驱动会先唤醒每块 GPU，需要数秒；若一直不结束，请查看 dmesg | grep -i nvrm',
    },
  },
  NVML_TIMEOUT: {
    status: 503,
    exit: 3,
    message: {
      en: 'the NVIDIA driver has not answered for {seconds} s (in {call})',
      zh: 'NVIDIA 驱动已 {seconds} 秒没有响应（正在调用 {call}）',
    },
    hint: {
      en: 'a GPU or the driver hangs: see "dmesg | grep -i xid"; a reboot is often the only way out',
      zh: 'GPU 或驱动挂起：请查看 dmesg | grep -i xid，通常只能重启',
    },
  },
} as const satisfies Record<string, ErrorEntry>;
