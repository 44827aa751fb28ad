import type { ErrorEntry } from './error-entry.ts';

/** Why nvidia-smi, here or on another machine, gives no data. `{where}` is empty or names the other machine. */
export const SMI_ERRORS = {
  SMI_NOT_FOUND: {
    status: 503,
    exit: 3,
    message: { en: 'there is no {command}{where}', zh: '{where}找不到 {command}' },
    hint: {
      en: 'install the NVIDIA driver with its tools, and check that {command} is in the PATH',
      zh: '请安装 NVIDIA 驱动及其工具，并确认 {command} 在 PATH 中',
    },
  },
  SMI_DRIVER_NOT_LOADED: {
    status: 503,
    exit: 3,
    message: {
      en: 'nvidia-smi{where} cannot talk to the NVIDIA driver',
      zh: '{where}nvidia-smi 无法与 NVIDIA 驱动通信',
    },
    hint: {
      en: 'load the driver with "modprobe nvidia", and look for the reason in "dmesg | grep -i nvrm"',
      zh: '请执行 modprobe nvidia 加载驱动，并在 dmesg | grep -i nvrm 中查看原因',
    },
  },
  SMI_VERSION_MISMATCH: {
    status: 503,
    exit: 3,
    message: {
      en: 'the NVIDIA driver in the kernel and the libraries{where} have different versions: {detail}',
      zh: '{where}内核中的 NVIDIA 驱动与库版本不一致：{detail}',
    },
    hint: {
      en: 'the driver was upgraded while loaded: reboot, or unload and load the nvidia modules',
      zh: '驱动升级后未重新加载：请重启，或卸载后重新加载 nvidia 模块',
    },
  },
  SMI_LIBRARY_NOT_FOUND: {
    status: 503,
    exit: 3,
    message: {
      en: 'nvidia-smi{where} does not find the NVIDIA management library',
      zh: '{where}nvidia-smi 找不到 NVIDIA 管理库',
    },
    hint: {
      en: 'install the library of the driver; in a container set NVIDIA_DRIVER_CAPABILITIES=utility',
      zh: '请安装驱动对应的库；容器内请设置 NVIDIA_DRIVER_CAPABILITIES=utility',
    },
  },
  SMI_NO_DEVICES: {
    status: 503,
    exit: 3,
    message: { en: 'nvidia-smi{where} finds no GPU', zh: '{where}nvidia-smi 没有找到 GPU' },
    hint: {
      en: 'check "lspci | grep -i nvidia"; a card that is there but not listed has failed or is bound to another driver',
      zh: '请检查 lspci | grep -i nvidia；能看到卡但驱动未列出，说明卡已故障或被其他驱动占用',
    },
  },
  SMI_NO_PERMISSION: {
    status: 503,
    exit: 4,
    message: {
      en: 'this user may not run nvidia-smi{where}: {detail}',
      zh: '当前用户无权运行{where}nvidia-smi：{detail}',
    },
    hint: {
      en: 'check the permissions of nvidia-smi, /dev/nvidiactl and /dev/nvidia*, or use another user',
      zh: '请检查 nvidia-smi、/dev/nvidiactl 与 /dev/nvidia* 的权限，或换用其他用户',
    },
  },
  SMI_GPU_UNREACHABLE: {
    status: 503,
    exit: 3,
    message: {
      en: 'nvidia-smi{where} cannot reach a GPU: {detail}',
      zh: '{where}nvidia-smi 无法访问某块 GPU：{detail}',
    },
    hint: {
      en: 'the GPU is lost: see "dmesg | grep -i xid", then power-cycle the machine',
      zh: '该 GPU 已掉卡：请查看 dmesg | grep -i xid，然后整机断电重启',
    },
  },
  SMI_TIMEOUT: {
    status: 503,
    exit: 3,
    message: {
      en: 'nvidia-smi{where} has given no data for {seconds} s',
      zh: '{where}nvidia-smi 已 {seconds} 秒没有输出',
    },
    hint: {
      en: 'a GPU or the driver hangs: see "dmesg | grep -i xid"; persistence mode (nvidia-smi -pm 1) makes it start faster',
      zh: 'GPU 或驱动挂起：请查看 dmesg | grep -i xid；开启持久模式（nvidia-smi -pm 1）可加快启动',
    },
  },
  SMI_FAILED: {
    status: 503,
    exit: 3,
    message: { en: 'nvidia-smi{where} failed: {detail}', zh: '{where}nvidia-smi 运行失败：{detail}' },
    hint: { en: 'run it by hand to see more', zh: '请手动运行 nvidia-smi 查看详情' },
  },
  SSH_NOT_FOUND: {
    status: 503,
    exit: 3,
    message: { en: 'there is no ssh on this machine', zh: '本机没有 ssh' },
    hint: { en: 'install the OpenSSH client', zh: '请安装 OpenSSH 客户端' },
  },
  SSH_HOST_KEY: {
    status: 503,
    exit: 3,
    message: {
      en: 'ssh does not trust the host key of {host}: {detail}',
      zh: 'ssh 不信任 {host} 的主机密钥：{detail}',
    },
    hint: {
      en: 'check the key and accept it once with "ssh {host}", as the user gpulse runs as',
      zh: '请核对密钥，并以运行 gpulse 的用户执行一次 ssh {host} 予以确认',
    },
  },
  SSH_DENIED: {
    status: 503,
    exit: 4,
    message: { en: '{host} does not let this user in by ssh: {detail}', zh: '{host} 拒绝了 ssh 登录：{detail}' },
    hint: {
      en: 'gpulse never asks for a password: set up a key, and check it with "ssh -o BatchMode=yes {host} true"',
      zh: 'gpulse 不会询问密码：请配置密钥，并用 ssh -o BatchMode=yes {host} true 检查',
    },
  },
  SSH_UNREACHABLE: {
    status: 503,
    exit: 3,
    message: { en: '{host} cannot be reached by ssh: {detail}', zh: '无法通过 ssh 连接 {host}：{detail}' },
    hint: { en: 'check the name, the network and whether ssh runs there', zh: '请检查主机名、网络以及对方的 ssh 服务' },
  },
} as const satisfies Record<string, ErrorEntry>;
