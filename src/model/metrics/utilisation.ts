import type { MetricEntry } from './entry.ts';

/** How busy the device is. */
export const UTILISATION_METRICS = [
  {
    id: 'utilization_ratio',
    unit: 'ratio',
    kind: 'gauge',
    layer: 'performance',
    cadence: 'fast',
    label: { en: 'Utilisation', zh: '利用率' },
    help: {
      en: 'Share of the last sample period in which at least one kernel was running. It does not say how much of the GPU worked.',
      zh: '最近采样周期内至少有一个内核在运行的时间占比，不代表 GPU 有多少单元在工作。',
    },
    smi: { field: 'utilization.gpu', unit: '%' },
    dcgm: 'DCGM_FI_DEV_GPU_UTIL',
  },
  {
    id: 'memory_utilization_ratio',
    unit: 'ratio',
    kind: 'gauge',
    layer: 'performance',
    cadence: 'fast',
    label: { en: 'Memory controller busy', zh: '显存控制器占用率' },
    help: {
      en: 'Share of time in which device memory was read or written. It is not how full the memory is.',
      zh: '显存被读写的时间占比，不是显存的占用量。',
    },
    smi: { field: 'utilization.memory', unit: '%' },
    dcgm: 'DCGM_FI_DEV_MEM_COPY_UTIL',
  },
  {
    id: 'encoder_utilization_ratio',
    unit: 'ratio',
    kind: 'gauge',
    layer: 'performance',
    cadence: 'fast',
    label: { en: 'Encoder utilisation', zh: '编码器利用率' },
    help: { en: 'Share of time the video encoder was busy.', zh: '视频编码器忙碌的时间占比。' },
    smi: { field: 'utilization.encoder', unit: '%' },
    dcgm: 'DCGM_FI_DEV_ENC_UTIL',
  },
  {
    id: 'decoder_utilization_ratio',
    unit: 'ratio',
    kind: 'gauge',
    layer: 'performance',
    cadence: 'fast',
    label: { en: 'Decoder utilisation', zh: '解码器利用率' },
    help: { en: 'Share of time the video decoder was busy.', zh: '视频解码器忙碌的时间占比。' },
    smi: { field: 'utilization.decoder', unit: '%' },
    dcgm: 'DCGM_FI_DEV_DEC_UTIL',
  },
] as const satisfies readonly MetricEntry[];
