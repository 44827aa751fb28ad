import type { Text } from './text.ts';

export interface ErrorEntry {
  /** HTTP status when the API answers with it. */
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 429 | 431 | 500 | 503;
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
  BAD_USAGE: {
    status: 400,
    exit: 2,
    message: { en: '{detail}', zh: '{detail}' },
    hint: { en: 'see "gpulse {command}--help"', zh: '请查看 gpulse {command}--help' },
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
      zh: '{path} 中数据的来源是 {found}，不能与来源为 {wanted} 的数据混在一起',
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
  HISTORY_DISK_FULL: {
    status: 503,
    exit: 5,
    message: {
      en: 'the disk with {path} is full; no history is written',
      zh: '{path} 所在磁盘已满，历史数据暂停写入',
    },
    hint: {
      en: 'free some space; writing resumes by itself',
      zh: '请释放空间，之后会自动恢复写入',
    },
  },
  HISTORY_WRITE_FAILED: {
    status: 503,
    exit: 5,
    message: { en: 'the history in {path} cannot be written: {detail}', zh: '无法写入 {path} 中的历史数据：{detail}' },
    hint: {
      en: 'check the disk and the permissions; writing resumes by itself',
      zh: '请检查磁盘与权限，之后会自动恢复写入',
    },
  },
  HISTORY_READ_FAILED: {
    status: 503,
    exit: 5,
    message: { en: 'the history in {path} cannot be read: {detail}', zh: '无法读取 {path} 中的历史数据：{detail}' },
    hint: { en: 'check the disk and the permissions', zh: '请检查磁盘与权限' },
  },
  HISTORY_BEHIND: {
    status: 503,
    exit: 5,
    message: {
      en: 'the disk with {path} cannot keep up; newer samples are not kept',
      zh: '{path} 所在磁盘写入跟不上，新的采样暂不保存',
    },
    hint: {
      en: 'the disk hangs or is overloaded; writing resumes by itself',
      zh: '磁盘无响应或负载过高，之后会自动恢复写入',
    },
  },
  HISTORY_STOPPED: {
    status: 503,
    exit: 5,
    message: { en: 'the history in {path} is not running: {detail}', zh: '{path} 的历史服务未在运行：{detail}' },
    hint: {
      en: 'it is started again by itself; if this keeps happening, please report it with the log',
      zh: '稍后会自动重新启动；若反复出现，请附日志反馈',
    },
  },
  HISTORY_QUERY_TOO_LARGE: {
    status: 400,
    exit: 2,
    message: {
      en: '{series} series of {points} points are more than one query may ask for ({limit} values)',
      zh: '查询了 {series} 条曲线、每条 {points} 个点，超出单次查询的上限（{limit} 个值）',
    },
    hint: { en: 'ask for fewer GPUs, metrics or points', zh: '请减少 GPU、指标或点数' },
  },
  NOT_FOUND: {
    status: 404,
    exit: 1,
    message: { en: 'there is nothing at {path}', zh: '{path} 不存在' },
    hint: { en: 'the API is described at /api/openapi.json', zh: 'API 说明见 /api/openapi.json' },
  },
  BAD_REQUEST: {
    status: 400,
    exit: 2,
    message: { en: 'this is not a valid HTTP request: {detail}', zh: '不是有效的 HTTP 请求：{detail}' },
    hint: { en: 'check the address and how it is percent-encoded', zh: '请检查地址及其百分号编码' },
  },
  REQUEST_TOO_LARGE: {
    status: 431,
    exit: 2,
    message: {
      en: 'address and headers together are larger than {limit} bytes',
      zh: '地址与请求头合计超过 {limit} 字节',
    },
    hint: { en: 'ask for fewer GPUs or metrics at a time', zh: '请减少单次请求的 GPU 或指标数量' },
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    exit: 2,
    message: { en: 'the API can only be read: {method} is not allowed', zh: 'API 只供读取，不允许 {method}' },
    hint: { en: 'use GET or HEAD', zh: '请使用 GET 或 HEAD' },
  },
  HOST_NOT_ALLOWED: {
    status: 403,
    exit: 2,
    message: { en: 'gpulse does not answer to the host name "{host}"', zh: 'gpulse 不接受主机名“{host}”' },
    hint: {
      en: 'open it as localhost; behind a reverse proxy, name the host with --allowed-host {host}',
      zh: '请用 localhost 访问；若位于反向代理之后，请加 --allowed-host {host}',
    },
  },
  DASHBOARD_NOT_BUILT: {
    status: 503,
    exit: 1,
    message: { en: 'the dashboard has not been built', zh: '尚未构建网页界面' },
    hint: {
      en: 'run "npm run build" in the folder of gpulse and start it again; the API works without it, see /api/openapi.json',
      zh: '请在 gpulse 目录下运行 npm run build 后重新启动；API 不受影响，见 /api/openapi.json',
    },
  },
  BAD_QUERY: {
    status: 400,
    exit: 2,
    message: {
      en: 'the query is not valid: {parameter} does not take "{given}"',
      zh: '查询无效：{parameter} 不接受“{given}”',
    },
    hint: {
      en: 'expected: {expected}; the parameters are described at /api/openapi.json',
      zh: '应为：{expected}；参数说明见 /api/openapi.json',
    },
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
  SERVER_UNREACHABLE: {
    status: 503,
    exit: 1,
    message: { en: 'gpulse does not answer: {detail}', zh: 'gpulse 没有响应：{detail}' },
    hint: {
      en: 'see whether "gpulse serve" is still running, and whether the network or proxy in between works',
      zh: '请检查 gpulse serve 是否仍在运行，以及中间的网络或代理是否正常',
    },
  },
  SERVER_ANSWER: {
    status: 503,
    exit: 1,
    message: { en: 'the answer did not come from gpulse: {detail}', zh: '收到的不是 gpulse 的应答：{detail}' },
    hint: {
      en: 'see what answers at this address; a proxy in between must pass /api/ through unchanged',
      zh: '请检查该地址上的服务；中间的代理必须原样转发 /api/',
    },
  },
  STREAM_SILENT: {
    status: 503,
    exit: 1,
    message: {
      en: 'the live stream has been silent for {seconds} s',
      zh: '实时数据流已 {seconds} 秒没有任何消息',
    },
    hint: {
      en: 'gpulse connects again by itself; if this repeats, a proxy in between may be buffering /api/v1/stream',
      zh: '会自动重新连接；若反复出现，可能是中间的代理缓冲了 /api/v1/stream',
    },
  },
  STREAM_ENDED: {
    status: 503,
    exit: 1,
    message: { en: 'gpulse closed the live stream', zh: 'gpulse 关闭了实时数据流' },
    hint: {
      en: 'it was stopped or restarted; see whether "gpulse serve" is still running',
      zh: '服务可能已停止或重启，请检查 gpulse serve 是否仍在运行',
    },
  },
  INTERNAL: {
    status: 500,
    exit: 1,
    message: { en: 'something went wrong inside gpulse: {detail}', zh: 'gpulse 内部出错：{detail}' },
    hint: { en: 'this is a bug; please report it with the log', zh: '这是程序缺陷，请附日志反馈' },
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;
