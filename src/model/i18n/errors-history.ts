import type { ErrorEntry } from './error-entry.ts';

/** What is wrong with the history. */
export const HISTORY_ERRORS = {
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
      en: 'free some space, or choose another directory with --data DIR; a gpulse that is running resumes by itself',
      zh: '请释放空间，或用 --data DIR 换一个目录；运行中的 gpulse 会自动恢复写入',
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
  HISTORY_DAMAGED: {
    status: 503,
    exit: 5,
    message: {
      en: 'parts of the history in {path} are damaged and left out: {blocks} blocks, {rows} newest rows',
      zh: '{path} 中的历史数据有部分损坏，已跳过 {blocks} 个数据块、{rows} 行最新数据',
    },
    hint: {
      en: 'everything else can be read, and writing goes on; check the disk',
      zh: '其余数据可以正常读取，写入也照常进行；请检查磁盘',
    },
  },
  HISTORY_SALVAGED: {
    status: 503,
    exit: 5,
    message: {
      en: 'the history in {path} was damaged; {ticks} ticks up to {until} were saved, {missing} in between are lost',
      zh: '{path} 中的历史数据曾损坏；已救回截至 {until} 的 {ticks} 次采样，其间丢失 {missing} 次',
    },
    hint: {
      en: 'check the disk; the damaged file is kept there as {file} and may be deleted',
      zh: '请检查磁盘；损坏的文件保留为 {file}，可以删除',
    },
  },
  HISTORY_OLD_FORMAT: {
    status: 409,
    exit: 5,
    message: {
      en: '{path} was written by an older gpulse and has not been converted yet',
      zh: '{path} 由旧版 gpulse 写入，尚未转换',
    },
    hint: {
      en: 'start "gpulse serve" on it once, which converts it while it runs',
      zh: '请先用 “gpulse serve” 打开一次，运行时会自动转换',
    },
  },
  NO_HISTORY: {
    status: 404,
    exit: 5,
    message: { en: 'there is no history in {path}', zh: '{path} 中没有历史数据' },
    hint: {
      en: 'name the directory of "gpulse serve" with --data DIR',
      zh: '请用 --data DIR 指定 “gpulse serve” 的数据目录',
    },
  },
  NOTHING_RECORDED: {
    status: 404,
    exit: 5,
    message: { en: 'nothing was recorded from {from} to {to}', zh: '{from} 至 {to} 没有任何记录' },
    hint: {
      en: 'choose another stretch with --from and --to; --from all takes everything there is',
      zh: '请用 --from 和 --to 换一段时间；--from all 表示全部',
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
  HISTORY_ENGINE_DOWN: {
    status: 503,
    exit: 5,
    message: {
      en: 'the history engine {url} has taken nothing since {since}: {detail}; {ticks} ticks ({queued} of {room}) are queued on this host',
      zh: '历史引擎 {url} 自 {since} 起未接收数据：{detail}；本机已排队 {ticks} 次采样（{queued}，上限 {room}）',
    },
    hint: {
      en: 'check the address, the login and the engine; what is queued is delivered by itself',
      zh: '请检查地址、认证信息和引擎状态；恢复后会自动补发排队的数据',
    },
  },
  HISTORY_QUEUE_FULL: {
    status: 503,
    exit: 5,
    message: {
      en: 'the history engine {url} has taken nothing since {since}: {detail}; the queue of {room} is full, {lost} ticks are lost',
      zh: '历史引擎 {url} 自 {since} 起未接收数据：{detail}；{room} 的队列已满，已丢失 {lost} 次采样',
    },
    hint: {
      en: 'bring the engine back, or give the queue more room with history.queue',
      zh: '请恢复引擎，或用 history.queue 加大队列',
    },
  },
  HISTORY_ENGINE_UNANSWERED: {
    status: 503,
    exit: 5,
    message: { en: 'the history engine {url} does not answer: {detail}', zh: '历史引擎 {url} 没有响应：{detail}' },
    hint: {
      en: 'check that it runs and can be reached; live values are not affected',
      zh: '请检查它是否在运行、网络是否可达；实时数据不受影响',
    },
  },
  HISTORY_ENGINE_REFUSED: {
    status: 503,
    exit: 5,
    message: {
      en: 'the history engine {url} refuses the question: {detail}',
      zh: '历史引擎 {url} 拒绝了查询：{detail}',
    },
    hint: {
      en: 'check history.queryUrl and the login; a shorter time range costs the engine less',
      zh: '请检查 history.queryUrl 和认证信息；缩短时间范围可减轻引擎负担',
    },
  },
  HISTORY_ENGINE_FOREIGN: {
    status: 503,
    exit: 5,
    message: {
      en: 'what answers at {url} is not a history engine: the answer is not that of a Prometheus API ({detail})',
      zh: '{url} 不是历史引擎：应答不符合 Prometheus API（{detail}）',
    },
    hint: {
      en: 'check history.queryUrl: below it there has to be /api/v1/query',
      zh: '请检查 history.queryUrl：其下应有 /api/v1/query',
    },
  },
  HISTORY_TICKS_REFUSED: {
    status: 503,
    exit: 5,
    message: {
      en: 'the history engine {url} did not want {ticks} ticks, the last because: {detail}',
      zh: '历史引擎 {url} 拒收了 {ticks} 次采样，最近一次的原因：{detail}',
    },
    hint: {
      en: 'Prometheus takes no samples over an hour old, as after a long outage: see out_of_order_time_window',
      zh: 'Prometheus 不接收超过一小时的旧样本（例如长时间中断之后）：请参阅 out_of_order_time_window',
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
} as const satisfies Record<string, ErrorEntry>;
