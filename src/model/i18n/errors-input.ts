import type { ErrorEntry } from './error-entry.ts';

/** What is wrong with arguments and files. */
export const INPUT_ERRORS = {
  BAD_USAGE: {
    status: 400,
    exit: 2,
    message: { en: '{detail}', zh: '{detail}' },
    hint: { en: 'see "gpulse {command}--help"', zh: '请查看 gpulse {command}--help' },
  },
  CONFIG_UNREADABLE: {
    status: 400,
    exit: 2,
    message: { en: '{path} cannot be read: {detail}', zh: '无法读取 {path}：{detail}' },
    hint: { en: 'check the path and its permissions', zh: '请检查路径和权限' },
  },
  CONFIG_INVALID: {
    status: 400,
    exit: 2,
    message: { en: 'the configuration in {path} is wrong: {detail}', zh: '配置文件 {path} 有误：{detail}' },
    hint: { en: 'gpulse.example.yaml explains every key', zh: '所有配置项的说明见 gpulse.example.yaml' },
  },
  NO_TERMINAL: {
    status: 400,
    exit: 2,
    message: { en: '"gpulse {command}" needs a terminal for {stream}', zh: 'gpulse {command} 的{stream}必须是终端' },
    hint: {
      en: 'use "gpulse stat" for one look, "gpulse watch" for lines in a log; over ssh give -t',
      zh: '只看一次请用 gpulse stat，逐行记录请用 gpulse watch；通过 ssh 运行时请加 -t',
    },
  },
  OUTPUT_FAILED: {
    status: 500,
    exit: 1,
    message: { en: 'the output cannot be written: {detail}', zh: '无法写出结果：{detail}' },
    hint: { en: 'check where standard output goes', zh: '请检查标准输出的去向' },
  },
  NO_DEVICE: {
    status: 503,
    exit: 3,
    message: { en: '{source} has no GPU', zh: '{source} 中没有 GPU' },
    hint: { en: 'see "gpulse doctor"', zh: '请运行 gpulse doctor 查看原因' },
  },
  GPU_UNWELL: {
    status: 503,
    exit: 5,
    message: { en: 'not every GPU gives data: {names}', zh: '有 GPU 没有数据：{names}' },
    hint: { en: 'see "gpulse doctor"', zh: '请运行 gpulse doctor 查看原因' },
  },
  GPU_NOT_LISTED: {
    status: 404,
    exit: 2,
    message: { en: 'there is no GPU "{name}"', zh: '没有名为“{name}”的 GPU' },
    hint: {
      en: 'give an index or a UUID; "gpulse stat --json" lists them',
      zh: '请使用序号或 UUID，可用 gpulse stat --json 查看',
    },
  },
  UNKNOWN_SOURCE: {
    status: 400,
    exit: 2,
    message: { en: 'there is no source "{name}"', zh: '没有名为“{name}”的数据源' },
    hint: {
      en: 'use auto, nvml, nvidia-smi, amdgpu, intel, simulate:SCENARIO or replay:FILE',
      zh: '可用：auto、nvml、nvidia-smi、amdgpu、intel、simulate:SCENARIO、replay:FILE',
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
  LEFT_TO_NVIDIA_SMI: {
    status: 400,
    exit: 2,
    message: { en: 'gpulse only reads: it does not offer {word}', zh: 'gpulse 只读取状态，不提供 {word}' },
    hint: { en: 'use nvidia-smi for that', zh: '请使用 nvidia-smi' },
  },
  SMI_NOT_OFFERED: {
    status: 400,
    exit: 2,
    message: { en: 'gpulse does not offer {word}', zh: 'gpulse 不提供 {word}' },
    hint: { en: 'use nvidia-smi for that', zh: '请使用 nvidia-smi' },
  },
  NO_TOPOLOGY: {
    status: 400,
    exit: 3,
    message: { en: '{source} does not tell how the GPUs are joined', zh: '{source} 不提供 GPU 之间的连接方式' },
    hint: { en: "only NVIDIA's driver tells it", zh: '只有 NVIDIA 驱动提供该信息' },
  },
  FILE_UNWRITABLE: {
    status: 500,
    exit: 1,
    message: { en: '{path} cannot be written: {detail}', zh: '无法写入 {path}：{detail}' },
    hint: {
      en: 'check that the directory {directory} exists, has room, and may be written to',
      zh: '请确认目录 {directory} 存在、有空间且可写',
    },
  },
  FILE_UNREADABLE: {
    status: 404,
    exit: 5,
    message: { en: '{path} cannot be read: {detail}', zh: '无法读取 {path}：{detail}' },
    hint: { en: 'check the path and its permissions', zh: '请检查路径与权限' },
  },
  FINDINGS_FOUND: {
    status: 409,
    exit: 1,
    message: {
      en: 'findings of severity {severity} or above: {rules}',
      zh: '存在级别不低于 {severity} 的结论：{rules}',
    },
    hint: { en: 'see the report for cause and fix', zh: '原因与解决办法见报告' },
  },
  RECORDING_BLANK: {
    status: 400,
    exit: 5,
    message: { en: '{path} is empty', zh: '{path} 是空文件' },
    hint: {
      en: 'look whether the recording has started, and whether the disk is full; of a pipe, whether the program before it writes anything',
      zh: '请检查录制是否已经开始、磁盘是否已满；若来自管道，请检查前面的程序是否有输出',
    },
  },
  RECORDING_NOT_RECOGNISED: {
    status: 400,
    exit: 5,
    message: {
      en: '{path} is not a log gpulse can read: none of its {rows} lines looks like one',
      zh: '无法识别 {path}：{rows} 行中没有一行像 gpulse 支持的日志',
    },
    hint: {
      en: 'it reads nvidia-smi (CSV, -q, -q -x, the table, -L, dmon, pmon), dcgmi dmon, exporter metrics and Prometheus answers, gpustat, nvtop, rocm-smi, amd-smi, npu-smi, tegrastats and kernel logs, see docs/logs.md; to record one: nvidia-smi --query-gpu=timestamp,index,uuid,name,utilization.gpu,memory.used,memory.total,power.draw,temperature.gpu --format=csv -l 1',
      zh: '可读取：nvidia-smi（CSV、-q、-q -x、表格、-L、dmon、pmon）、dcgmi dmon、导出器指标与 Prometheus 查询结果、gpustat、nvtop、rocm-smi、amd-smi、npu-smi、tegrastats 以及内核日志，详见 docs/logs.zh.md。可这样录制：nvidia-smi --query-gpu=timestamp,index,uuid,name,utilization.gpu,memory.used,memory.total,power.draw,temperature.gpu --format=csv -l 1',
    },
  },
  RECORDING_EMPTY: {
    status: 400,
    exit: 5,
    message: {
      en: '{path} is a log of a known kind, but nothing in it is about a GPU or can be read; lines skipped: {skipped}',
      zh: '{path} 属于已知的日志类型，但没有可读取的 GPU 内容；跳过的行：{skipped}',
    },
    hint: {
      en: 'compare the rows with the header; a recording that was just started has no rows yet, and a kernel log without faults has none',
      zh: '请对照表头检查数据行；刚开始的录制可能还没有数据行，没有故障的内核日志也没有可读内容',
    },
  },
} as const satisfies Record<string, ErrorEntry>;
