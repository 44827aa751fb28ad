import type { Text } from './text.ts';

export interface ErrorEntry {
  /** HTTP status when the API answers with it. */
  readonly status: 400 | 401 | 403 | 404 | 409 | 413 | 429 | 500 | 503;
  /** Exit code of a command that fails with it: 2 usage, 3 no device or driver, 4 permission, 5 data, 1 anything else. */
  readonly exit: 1 | 2 | 3 | 4 | 5;
  /** What happened and where. */
  readonly message: Text;
  /** What to do about it. */
  readonly hint: Text;
}

/** Every operational failure gpulse can report. `docs/errors.md` is generated from this table. */
export const ERRORS = {
  NVML_LIBRARY_NOT_FOUND: {
    status: 503,
    exit: 3,
    message: {
      en: 'the NVIDIA management library {library} was not found; looked in: {places}',
      zh: '找不到 NVIDIA 管理库 {library}，已查找：{places}',
    },
    hint: {
      en: 'install the NVIDIA driver, or name the library with --nvml-library; in a container set NVIDIA_DRIVER_CAPABILITIES=utility',
      zh: '请安装 NVIDIA 驱动，或用 --nvml-library 指定库文件；容器内请设置 NVIDIA_DRIVER_CAPABILITIES=utility',
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
      en: 'this is a container, and no /dev/nvidia* device was passed into it',
      zh: '当前运行在容器中，且没有 /dev/nvidia* 设备',
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
  UNKNOWN_SOURCE: {
    status: 400,
    exit: 2,
    message: { en: 'there is no source "{name}"', zh: '没有名为“{name}”的数据源' },
    hint: {
      en: 'use auto, nvml, simulate:SCENARIO or replay:FILE',
      zh: '可用：auto、nvml、simulate:SCENARIO、replay:FILE',
    },
  },
  UNKNOWN_SCENARIO: {
    status: 400,
    exit: 2,
    message: { en: 'there is no scenario "{name}"', zh: '没有名为“{name}”的场景' },
    hint: { en: 'the scenarios are: {known}', zh: '可用场景：{known}' },
  },
  BAD_OPTION: {
    status: 400,
    exit: 2,
    message: { en: '{option} does not take "{value}"', zh: '{option} 不接受“{value}”' },
    hint: { en: 'it takes {expected}', zh: '应为：{expected}' },
  },
  FILE_UNREADABLE: {
    status: 404,
    exit: 5,
    message: { en: '{path} cannot be read: {detail}', zh: '无法读取 {path}：{detail}' },
    hint: { en: 'check the path and its permissions', zh: '请检查路径与权限' },
  },
  RECORDING_NOT_RECOGNISED: {
    status: 400,
    exit: 5,
    message: {
      en: '{path} is not a log gpulse can read: no row of {rows} looks like nvidia-smi --format=csv output',
      zh: '无法识别 {path}：{rows} 行中没有一行像 nvidia-smi --format=csv 的输出',
    },
    hint: {
      en: 'record one with: nvidia-smi --query-gpu=timestamp,index,uuid,name,utilization.gpu,memory.used,memory.total,power.draw,temperature.gpu --format=csv -l 1',
      zh: '可这样记录：nvidia-smi --query-gpu=timestamp,index,uuid,name,utilization.gpu,memory.used,memory.total,power.draw,temperature.gpu --format=csv -l 1',
    },
  },
  PORT_IN_USE: {
    status: 503,
    exit: 1,
    message: { en: 'port {port} on {host} is in use', zh: '{host} 上的端口 {port} 已被占用' },
    hint: {
      en: 'see who holds it with "ss -ltnp sport = :{port}", or choose another with --listen {host}:PORT',
      zh: '可用 ss -ltnp sport = :{port} 查看占用者，或用 --listen {host}:PORT 换一个端口',
    },
  },
  LISTEN_FAILED: {
    status: 503,
    exit: 1,
    message: { en: 'cannot listen on {host}:{port}: {detail}', zh: '无法监听 {host}:{port}：{detail}' },
    hint: { en: 'choose another address with --listen HOST:PORT', zh: '请用 --listen HOST:PORT 换一个地址' },
  },
  ANONYMOUS_LISTEN: {
    status: 403,
    exit: 2,
    message: {
      en: '{host} can be reached from other machines, and gpulse has no authentication yet',
      zh: '其他机器可以访问 {host}，而 gpulse 目前没有身份验证',
    },
    hint: {
      en: 'listen on 127.0.0.1, or add --allow-anonymous if everybody who can reach it may see it',
      zh: '请监听 127.0.0.1；若允许任何人查看，请加 --allow-anonymous',
    },
  },
  HISTORY_UNUSABLE: {
    status: 503,
    exit: 5,
    message: { en: 'the history in {path} cannot be opened: {detail}', zh: '无法打开 {path} 中的历史数据：{detail}' },
    hint: { en: 'choose another directory with --data DIR', zh: '请用 --data DIR 换一个目录' },
  },
  HISTORY_LOCKED: {
    status: 409,
    exit: 5,
    message: { en: 'another gpulse (pid {pid}) is writing {path}', zh: '另一个 gpulse（进程 {pid}）正在写入 {path}' },
    hint: { en: 'stop it, or choose another directory with --data DIR', zh: '请先停止它，或用 --data DIR 换一个目录' },
  },
  HISTORY_OTHER_ORIGIN: {
    status: 409,
    exit: 5,
    message: {
      en: '{path} holds {found} data, which must not be mixed with {wanted} data',
      zh: '{path} 中是{found}数据，不能与{wanted}数据混在一起',
    },
    hint: { en: 'choose another directory with --data DIR', zh: '请用 --data DIR 换一个目录' },
  },
  HISTORY_NEWER_FORMAT: {
    status: 409,
    exit: 5,
    message: {
      en: '{path} was written by a newer gpulse (format {found}, this one knows {known})',
      zh: '{path} 由更新版本的 gpulse 写入（格式 {found}，当前支持 {known}）',
    },
    hint: {
      en: 'upgrade gpulse, or choose another directory with --data DIR',
      zh: '请升级 gpulse，或用 --data DIR 换一个目录',
    },
  },
  NOT_FOUND: {
    status: 404,
    exit: 1,
    message: { en: 'there is nothing at {path}', zh: '{path} 不存在' },
    hint: { en: 'the API is described at /api/openapi.json', zh: 'API 说明见 /api/openapi.json' },
  },
  BAD_QUERY: {
    status: 400,
    exit: 2,
    message: { en: 'the query is not valid: {detail}', zh: '查询无效：{detail}' },
    hint: { en: 'the parameters are described at /api/openapi.json', zh: '参数说明见 /api/openapi.json' },
  },
  UNKNOWN_METRIC: {
    status: 400,
    exit: 2,
    message: { en: 'there is no metric "{name}"', zh: '没有名为“{name}”的指标' },
    hint: {
      en: 'did you mean {nearest}? all metrics are listed in docs/metrics.md',
      zh: '是否想用 {nearest}？全部指标见 docs/metrics.md',
    },
  },
  UNKNOWN_GPU: {
    status: 404,
    exit: 2,
    message: { en: 'there is no GPU "{name}"', zh: '没有名为“{name}”的 GPU' },
    hint: { en: 'give an index or a UUID from /api/v1/gpus', zh: '请使用 /api/v1/gpus 中的序号或 UUID' },
  },
  BUSY: {
    status: 503,
    exit: 1,
    message: { en: 'too many requests are waiting', zh: '等待中的请求过多' },
    hint: { en: 'try again in a moment', zh: '请稍后重试' },
  },
  INTERNAL: {
    status: 500,
    exit: 1,
    message: { en: 'something went wrong inside gpulse: {detail}', zh: 'gpulse 内部出错：{detail}' },
    hint: { en: 'this is a bug; please report it with the log', zh: '这是程序缺陷，请附日志反馈' },
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;
