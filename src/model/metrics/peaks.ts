import type { MetricEntry } from './entry.ts';

/**
 * Extremes between two samples, from the samples that the driver takes by itself, some ten to fifty per second. A trough
 * or peak of nothing, where the driver took none, is absent.
 */
export const PEAK_METRICS = [
  {
    id: 'power_peak_watts',
    unit: 'watts',
    kind: 'gauge',
    layer: 'performance',
    cadence: 'fast',
    label: { en: 'Power, peak', zh: '功耗峰值' },
    help: {
      en: 'Highest power among the driver’s own samples since the sample before.',
      zh: '自上次采样以来驱动内部采样的功耗最高值。',
    },
  },
  {
    id: 'power_trough_watts',
    unit: 'watts',
    kind: 'gauge',
    layer: 'performance',
    cadence: 'fast',
    label: { en: 'Power, trough', zh: '功耗谷值' },
    help: {
      en: 'Lowest power among the driver’s own samples since the sample before.',
      zh: '自上次采样以来驱动内部采样的功耗最低值。',
    },
  },
  {
    id: 'power_mean_watts',
    unit: 'watts',
    kind: 'gauge',
    layer: 'performance',
    cadence: 'fast',
    label: { en: 'Power, mean', zh: '功耗均值' },
    help: {
      en: 'Mean power among the driver’s own samples since the sample before.',
      zh: '自上次采样以来驱动内部采样的功耗平均值。',
    },
  },
  {
    id: 'utilization_peak_ratio',
    unit: 'ratio',
    kind: 'gauge',
    layer: 'performance',
    cadence: 'fast',
    label: { en: 'Utilisation, peak', zh: '利用率峰值' },
    help: {
      en: 'Highest utilisation among the driver’s own samples since the sample before.',
      zh: '自上次采样以来驱动内部采样的利用率最高值。',
    },
  },
  {
    id: 'utilization_trough_ratio',
    unit: 'ratio',
    kind: 'gauge',
    layer: 'performance',
    cadence: 'fast',
    label: { en: 'Utilisation, trough', zh: '利用率谷值' },
    help: {
      en: 'Lowest utilisation among the driver’s own samples since the sample before.',
      zh: '自上次采样以来驱动内部采样的利用率最低值。',
    },
  },
  {
    id: 'utilization_mean_ratio',
    unit: 'ratio',
    kind: 'gauge',
    layer: 'performance',
    cadence: 'fast',
    label: { en: 'Utilisation, mean', zh: '利用率均值' },
    help: {
      en: 'Mean utilisation among the driver’s own samples since the sample before.',
      zh: '自上次采样以来驱动内部采样的利用率平均值。',
    },
  },
  {
    id: 'sm_clock_peak_hertz',
    unit: 'hertz',
    kind: 'gauge',
    layer: 'performance',
    cadence: 'fast',
    label: { en: 'SM clock, peak', zh: 'SM 频率峰值' },
    help: {
      en: 'Highest SM clock among the driver’s own samples since the sample before.',
      zh: '自上次采样以来驱动内部采样的 SM 频率最高值。',
    },
  },
  {
    id: 'sm_clock_trough_hertz',
    unit: 'hertz',
    kind: 'gauge',
    layer: 'performance',
    cadence: 'fast',
    label: { en: 'SM clock, trough', zh: 'SM 频率谷值' },
    help: {
      en: 'Lowest SM clock among the driver’s own samples since the sample before.',
      zh: '自上次采样以来驱动内部采样的 SM 频率最低值。',
    },
  },
  {
    id: 'sm_clock_mean_hertz',
    unit: 'hertz',
    kind: 'gauge',
    layer: 'performance',
    cadence: 'fast',
    label: { en: 'SM clock, mean', zh: 'SM 频率均值' },
    help: {
      en: 'Mean SM clock among the driver’s own samples since the sample before.',
      zh: '自上次采样以来驱动内部采样的 SM 频率平均值。',
    },
  },
  {
    id: 'memory_utilization_peak_ratio',
    unit: 'ratio',
    kind: 'gauge',
    layer: 'performance',
    cadence: 'slow',
    label: { en: 'Memory controller busy, peak', zh: '显存控制器占用率峰值' },
    help: {
      en: 'Highest share of time in which memory was read or written among the driver’s own samples since the turn before; the buffers of this kind take turns.',
      zh: '上次轮到读取以来（此类缓冲区轮流读取）驱动内部采样的显存控制器占用率最高值。',
    },
  },
  {
    id: 'memory_utilization_trough_ratio',
    unit: 'ratio',
    kind: 'gauge',
    layer: 'performance',
    cadence: 'slow',
    label: { en: 'Memory controller busy, trough', zh: '显存控制器占用率谷值' },
    help: {
      en: 'Lowest share of time in which memory was read or written among the driver’s own samples since the turn before; the buffers of this kind take turns.',
      zh: '上次轮到读取以来（此类缓冲区轮流读取）驱动内部采样的显存控制器占用率最低值。',
    },
  },
  {
    id: 'memory_clock_peak_hertz',
    unit: 'hertz',
    kind: 'gauge',
    layer: 'performance',
    cadence: 'slow',
    label: { en: 'Memory clock, peak', zh: '显存频率峰值' },
    help: {
      en: 'Highest memory clock among the driver’s own samples since the turn before; the buffers of this kind take turns.',
      zh: '上次轮到读取以来（此类缓冲区轮流读取）驱动内部采样的显存频率最高值。',
    },
  },
  {
    id: 'memory_clock_trough_hertz',
    unit: 'hertz',
    kind: 'gauge',
    layer: 'performance',
    cadence: 'slow',
    label: { en: 'Memory clock, trough', zh: '显存频率谷值' },
    help: {
      en: 'Lowest memory clock among the driver’s own samples since the turn before; the buffers of this kind take turns.',
      zh: '上次轮到读取以来（此类缓冲区轮流读取）驱动内部采样的显存频率最低值。',
    },
  },
  {
    id: 'encoder_utilization_peak_ratio',
    unit: 'ratio',
    kind: 'gauge',
    layer: 'performance',
    cadence: 'slow',
    label: { en: 'Encoder utilisation, peak', zh: '编码器利用率峰值' },
    help: {
      en: 'Highest encoder utilisation among the driver’s own samples since the turn before; the buffers of this kind take turns.',
      zh: '上次轮到读取以来（此类缓冲区轮流读取）驱动内部采样的编码器利用率最高值。',
    },
  },
  {
    id: 'encoder_utilization_trough_ratio',
    unit: 'ratio',
    kind: 'gauge',
    layer: 'performance',
    cadence: 'slow',
    label: { en: 'Encoder utilisation, trough', zh: '编码器利用率谷值' },
    help: {
      en: 'Lowest encoder utilisation among the driver’s own samples since the turn before; the buffers of this kind take turns.',
      zh: '上次轮到读取以来（此类缓冲区轮流读取）驱动内部采样的编码器利用率最低值。',
    },
  },
  {
    id: 'decoder_utilization_peak_ratio',
    unit: 'ratio',
    kind: 'gauge',
    layer: 'performance',
    cadence: 'slow',
    label: { en: 'Decoder utilisation, peak', zh: '解码器利用率峰值' },
    help: {
      en: 'Highest decoder utilisation among the driver’s own samples since the turn before; the buffers of this kind take turns.',
      zh: '上次轮到读取以来（此类缓冲区轮流读取）驱动内部采样的解码器利用率最高值。',
    },
  },
  {
    id: 'decoder_utilization_trough_ratio',
    unit: 'ratio',
    kind: 'gauge',
    layer: 'performance',
    cadence: 'slow',
    label: { en: 'Decoder utilisation, trough', zh: '解码器利用率谷值' },
    help: {
      en: 'Lowest decoder utilisation among the driver’s own samples since the turn before; the buffers of this kind take turns.',
      zh: '上次轮到读取以来（此类缓冲区轮流读取）驱动内部采样的解码器利用率最低值。',
    },
  },
] as const satisfies readonly MetricEntry[];
