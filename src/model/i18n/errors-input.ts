import type { ErrorEntry } from './error-entry.ts';

/** What is wrong with arguments and files. */
export const INPUT_ERRORS = {
  BAD_USAGE: {
    status: 400,
    exit: 2,
    message: { en: '{detail}', zh: '{detail}' },
    hint: { en: 'see "gpulse {command}--help"', zh: '请查看 gpulse {command}--help' },
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
  RECORDING_EMPTY: {
    status: 400,
    exit: 5,
    message: {
      en: '{path} looks like a log of nvidia-smi, but has no row that can be read; lines skipped: {skipped}',
      zh: '{path} 像是 nvidia-smi 的日志，但没有一行数据可读；跳过的行：{skipped}',
    },
    hint: {
      en: 'compare the rows with the header; a recording that was just started has no rows yet',
      zh: '请对照表头检查数据行；刚开始的录制可能还没有数据行',
    },
  },
} as const satisfies Record<string, ErrorEntry>;
