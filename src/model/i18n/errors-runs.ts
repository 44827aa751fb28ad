import type { ErrorEntry } from './error-entry.ts';

/** What can go wrong while recording, running commands and waiting for GPUs. */
export const RUN_ERRORS = {
  RECORD_NOT_WRITTEN: {
    status: 500,
    exit: 1,
    message: { en: '{path} cannot be written: {detail}', zh: '无法写入 {path}：{detail}' },
    hint: { en: 'make room on the disk, or choose another file', zh: '请清理磁盘空间，或换一个文件' },
  },
  RECORD_NOT_CREATED: {
    status: 500,
    exit: 1,
    message: { en: '{path} cannot be created: {detail}', zh: '无法创建 {path}：{detail}' },
    hint: { en: 'check the path and its permissions, or choose another file', zh: '请检查路径与权限，或换一个文件' },
  },
  RECORD_NO_DIRECTORY: {
    status: 404,
    exit: 1,
    message: {
      en: '{path} cannot be created: there is no directory {directory}',
      zh: '无法创建 {path}：目录 {directory} 不存在',
    },
    hint: { en: 'create the directory, or choose another file', zh: '请先创建该目录，或换一个文件' },
  },
  RECORD_PIPE_UNREAD: {
    status: 500,
    exit: 1,
    message: { en: '{path} is a pipe that nobody reads', zh: '{path} 是管道，但没有程序在读取' },
    hint: { en: 'start its reader first', zh: '请先启动读取它的程序' },
  },
  RECORD_FIELD_UNKNOWN: {
    status: 400,
    exit: 2,
    message: { en: '--fields does not take "{field}"', zh: '--fields 不接受“{field}”' },
    hint: { en: '"gpulse smi --help-query-gpu" lists the fields', zh: '可用 gpulse smi --help-query-gpu 查看全部字段' },
  },
  RECORD_INCOMPLETE: {
    status: 500,
    exit: 5,
    message: {
      en: '{dropped} of {total} ticks are not in {path}: {detail}',
      zh: '{path} 缺少 {total} 次采样中的 {dropped} 次：{detail}',
    },
    hint: { en: 'what was written can be read', zh: '已写入的部分可以正常读取' },
  },
  OUTPUT_EXISTS: {
    status: 409,
    exit: 2,
    message: { en: '{path} exists and is no recording', zh: '{path} 已存在，且不是录制文件' },
    hint: { en: 'give another name; gpulse does not overwrite it', zh: '请换一个文件名；gpulse 不会覆盖它' },
  },
  COMMAND_NOT_FOUND: {
    status: 400,
    exit: 127,
    message: { en: 'there is no command "{command}"', zh: '找不到命令“{command}”' },
    hint: { en: 'check its name, or give its path', zh: '请检查命令名，或写出完整路径' },
  },
  COMMAND_NOT_EXECUTABLE: {
    status: 400,
    exit: 126,
    message: { en: '"{command}" cannot be executed: {detail}', zh: '无法执行“{command}”：{detail}' },
    hint: { en: 'check its permissions', zh: '请检查执行权限' },
  },
  RUN_NOT_KEPT: {
    status: 500,
    exit: 1,
    message: { en: 'the run cannot be kept in {path}: {detail}', zh: '无法在 {path} 保存训练记录：{detail}' },
    hint: { en: 'make room, or give another directory with --data', zh: '请清理空间，或用 --data 指定其他目录' },
  },
  RUN_TOO_SHORT: {
    status: 503,
    exit: 3,
    message: { en: 'the command ended before a GPU could be read', zh: '读到 GPU 之前命令已经结束' },
    hint: { en: 'enable persistence mode if the driver is slow to start', zh: '如果驱动启动缓慢，请开启持久模式' },
  },
  RUNS_NO_DIRECTORY: {
    status: 404,
    exit: 2,
    message: { en: '{path} is no directory', zh: '{path} 不是目录' },
    hint: {
      en: 'give --data the directory that "gpulse run --data" was given',
      zh: '--data 应与 gpulse run --data 指定的目录相同',
    },
  },
  RUN_NOT_FOUND: {
    status: 404,
    exit: 5,
    message: { en: 'there is no run "{id}" in {path}', zh: '{path} 中没有训练任务“{id}”' },
    hint: { en: '"gpulse runs" lists them', zh: '可用 gpulse runs 查看' },
  },
  REPORT_NOT_FOUND: {
    status: 404,
    exit: 5,
    message: {
      en: '"{word}" is neither a file nor a run in {path}',
      zh: '“{word}”既不是文件，也不是 {path} 中的训练任务',
    },
    hint: { en: 'check the name; "gpulse runs" lists the runs', zh: '请检查名称；可用 gpulse runs 查看训练任务' },
  },
  REPORT_NOT_WRITTEN: {
    status: 500,
    exit: 1,
    message: { en: 'the report cannot be written to {path}: {detail}', zh: '无法将报告写入 {path}：{detail}' },
    hint: { en: 'check the path and its permissions', zh: '请检查路径与权限' },
  },
  RUN_WITHOUT_READINGS: {
    status: 404,
    exit: 5,
    message: { en: 'no GPU could be read during run {id}', zh: '训练任务 {id} 运行期间没有读到任何 GPU 数据' },
    hint: { en: '"gpulse doctor" tells why', zh: '可用 gpulse doctor 查看原因' },
  },
  RUN_AMBIGUOUS: {
    status: 400,
    exit: 2,
    message: { en: '"{id}" may be several runs: {found}', zh: '“{id}”对应多个训练任务：{found}' },
    hint: { en: 'give more of the id', zh: '请给出更完整的编号' },
  },
  RUN_GOES_ON: {
    status: 409,
    exit: 2,
    message: { en: 'run {id} has not ended yet', zh: '训练任务 {id} 尚未结束' },
    hint: { en: 'wait for its end', zh: '请等它结束' },
  },
  TOO_FEW_GPUS: {
    status: 400,
    exit: 2,
    message: {
      en: 'GPUs asked for: {wanted}; at most {found} can ever be given ({why})',
      zh: '需要 {wanted} 块 GPU，但符合条件的最多只有 {found} 块（{why}）',
    },
    hint: { en: 'ask for less; "gpulse stat" lists the GPUs', zh: '请降低要求；可用 gpulse stat 查看 GPU' },
  },
  VISIBLE_AMBIGUOUS: {
    status: 400,
    exit: 2,
    message: {
      en: 'CUDA_VISIBLE_DEVICES="{value}" does not say which GPUs: this machine has different ones, which CUDA counts the fastest first',
      zh: 'CUDA_VISIBLE_DEVICES="{value}" 无法确定指哪些 GPU：本机装有不同型号，CUDA 默认按速度从快到慢编号',
    },
    hint: {
      en: 'set CUDA_DEVICE_ORDER=PCI_BUS_ID if the numbers are those of nvidia-smi, name them by UUID, or say which with --gpu',
      zh: '若编号与 nvidia-smi 一致，请设置 CUDA_DEVICE_ORDER=PCI_BUS_ID；也可改用 UUID，或用 --gpu 指定',
    },
  },
  VISIBLE_TOO_FEW: {
    status: 400,
    exit: 2,
    message: {
      en: 'GPUs asked for: {wanted}; CUDA_VISIBLE_DEVICES="{value}" leaves {found} of this machine',
      zh: '需要 {wanted} 块 GPU，但 CUDA_VISIBLE_DEVICES="{value}" 在本机只留下 {found} 块',
    },
    hint: {
      en: 'unset CUDA_VISIBLE_DEVICES, or say which GPUs with --gpu, which overrides it',
      zh: '请取消该变量，或用 --gpu 指定 GPU（优先于该变量）',
    },
  },
  NO_FREE_GPU: {
    status: 503,
    exit: 1,
    message: { en: 'GPUs asked for: {wanted}; free now: {found}', zh: '需要 {wanted} 块空闲 GPU，当前只有 {found} 块' },
    hint: { en: '"gpulse wait" waits for them', zh: '可用 gpulse wait 等待' },
  },
  WAIT_TIMED_OUT: {
    status: 503,
    exit: 124,
    message: {
      en: 'GPUs asked for: {wanted}; fewer were free for {time}',
      zh: '在 {time}内没有等到 {wanted} 块空闲 GPU',
    },
    hint: { en: 'give --timeout more time, or ask for less', zh: '请延长 --timeout，或降低要求' },
  },
  NO_QUEUE: {
    status: 500,
    exit: 1,
    message: { en: 'there can be no queue on this system: {detail}', zh: '无法在本系统上排队：{detail}' },
    hint: { en: 'it needs abstract sockets of Linux', zh: '排队需要 Linux 的抽象套接字' },
  },
} as const satisfies Record<string, ErrorEntry>;
