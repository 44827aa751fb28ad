import type { Text } from './text.ts';

/** What `gpulse export` prints. */
export const EXPORT_MESSAGES = {
  'export.about': {
    en: 'print every sample of a stretch of time, as it was sampled; "gpulse serve" may be running',
    zh: '输出一段时间内的全部采样，与采样时一致；可在 “gpulse serve” 运行时使用',
  },
  'export.data': {
    en: 'directory of the history (default: that of "gpulse serve")',
    zh: '历史数据目录（默认与 “gpulse serve” 相同）',
  },
  'export.from': {
    en: 'start, inclusive: 2026-01-31, 2026-01-31T12:00:00Z, epoch milliseconds, -15m, -1h30m or all',
    zh: '起始时间（含）：2026-01-31、2026-01-31T12:00:00Z、毫秒时间戳、-15m、-1h30m 或 all',
  },
  'export.to': { en: 'end, exclusive, written likewise, or now', zh: '结束时间（不含），写法同上，也可为 now' },
  'export.format': {
    en: 'csv and ndjson hold every metric in base units; nvidia-smi-csv is read by whatever reads such logs, gpulse too',
    zh: 'csv 与 ndjson 含全部指标，使用基本单位；nvidia-smi-csv 可供能读此类日志的工具使用，gpulse 自己也能回放',
  },
  'export.gpu': {
    en: 'only these GPUs: indexes or UUIDs, separated by commas',
    zh: '只输出这些 GPU：编号或 UUID，用逗号分隔',
  },
  'export.metric': {
    en: 'only these metrics, separated by commas (default: all that have a value)',
    zh: '只输出这些指标，用逗号分隔（默认：所有有值的指标）',
  },
  'export.converting': {
    en: 'older data in {path} is still being converted and is not in this export; repeat it in a few minutes',
    zh: '{path} 中较早的数据仍在转换，未包含在本次导出中；请过几分钟再导出一次',
  },
  'export.damaged': {
    en: '{count} parts of the history in {path} are damaged and were left out',
    zh: '{path} 中的历史数据有 {count} 处损坏，已跳过',
  },
  'export.empty': { en: 'there are no samples between {from} and {to}', zh: '{from} 至 {to} 之间没有采样' },
} as const satisfies Record<string, Text>;
