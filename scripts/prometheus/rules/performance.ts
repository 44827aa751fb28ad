import { type AlertRule, dcgm, dcgmOver, type RecordingRule, SAME_DEVICE } from '../rule.ts';

const SHARE = `${dcgm('FB_USED')} / (${dcgm('FB_USED')} + ${dcgm('FB_FREE')})`;
const HOST_LABELS = 'instance="a"';

export const RECORDINGS: readonly RecordingRule[] = [
  {
    record: 'instance:gpulse_utilization_ratio:mean',
    expression: 'avg by (instance) (gpulse_utilization_ratio)',
    help: { en: 'mean utilisation of the GPUs of a machine', zh: '一台主机各 GPU 的平均利用率' },
    proof: {
      series: ['gpulse_utilization_ratio{gpu="0"} 0.5', 'gpulse_utilization_ratio{gpu="1"} 1'],
      ...{ labels: HOST_LABELS, value: 0.75 },
    },
  },
  {
    record: 'instance:gpulse_memory_used_bytes:sum',
    expression: 'sum by (instance) (gpulse_memory_used_bytes{mig_profile=""})',
    help: {
      en: 'device memory in use on a machine, MIG instances not counted twice',
      zh: '一台主机已用显存之和，MIG 实例不重复计算',
    },
    proof: {
      series: [
        'gpulse_memory_used_bytes{gpu="0"} 7',
        'gpulse_memory_used_bytes{gpu="0",mig_profile="1g.10gb"} 5',
        'gpulse_memory_used_bytes{gpu="1"} 1',
      ],
      ...{ labels: HOST_LABELS, value: 8 },
    },
  },
  {
    record: 'instance:gpulse_power_watts:sum',
    expression: 'sum by (instance) (gpulse_power_watts)',
    help: { en: 'power of the GPUs of a machine', zh: '一台主机各 GPU 功耗之和' },
    proof: {
      series: ['gpulse_power_watts{gpu="0"} 300', 'gpulse_power_watts{gpu="1"} 400'],
      ...{ labels: HOST_LABELS, value: 700 },
    },
  },
  {
    record: 'gpu:gpulse_memory_used_ratio',
    expression: 'gpulse_memory_used_bytes / gpulse_memory_total_bytes',
    help: { en: 'share of the memory of each device that is in use', zh: '各设备显存使用比例' },
    proof: {
      series: ['gpulse_memory_used_bytes{gpu="0"} 60', 'gpulse_memory_total_bytes{gpu="0"} 80'],
      ...{ labels: 'instance="a",gpu="0"', value: 0.75 },
    },
  },
];

export const DCGM_RECORDINGS: readonly RecordingRule[] = [
  {
    record: 'instance:dcgm_gpu_utilization_ratio:mean',
    expression: `avg by (instance) (${dcgm('GPU_UTIL')}) / 100`,
    help: { en: 'mean utilisation of the GPUs of a machine', zh: '一台主机各 GPU 的平均利用率' },
    proof: {
      series: ['DCGM_FI_DEV_GPU_UTIL{gpu="0"} 50', 'DCGM_FI_DEV_GPU_UTIL{gpu="1"} 100'],
      ...{ labels: HOST_LABELS, value: 0.75 },
    },
  },
  {
    record: 'instance:dcgm_power_watts:sum',
    expression: `sum by (instance) (max by (instance, gpu, UUID) (${dcgm('POWER_USAGE')}))`,
    help: { en: 'power of the GPUs of a machine', zh: '一台主机各 GPU 功耗之和' },
    proof: {
      series: [
        'DCGM_FI_DEV_POWER_USAGE{gpu="0"} 300',
        'DCGM_FI_DEV_POWER_USAGE{gpu="1",GPU_I_ID="1"} 400',
        'DCGM_FI_DEV_POWER_USAGE{gpu="1",GPU_I_ID="2"} 400',
      ],
      ...{ labels: HOST_LABELS, value: 700 },
    },
  },
  {
    record: 'gpu:dcgm_memory_used_ratio',
    expression: SHARE,
    help: { en: 'share of the memory of each device that is in use', zh: '各设备显存使用比例' },
    proof: {
      series: ['DCGM_FI_DEV_FB_USED{gpu="0"} 60', 'DCGM_FI_DEV_FB_FREE{gpu="0"} 20'],
      ...{ labels: 'instance="a",gpu="0"', value: 0.75 },
    },
  },
];

/** One value per minute. */
export const PERFORMANCE_RULES: readonly AlertRule[] = [
  {
    alert: 'GpuIdleHeld',
    severity: 'info',
    holdFor: '30m',
    summary: {
      en: 'GPU {gpu} of {host} is held by processes that have not used it for an hour',
      zh: '{host} 的 GPU {gpu} 被进程占用，但已有一小时未使用',
    },
    action: { en: 'Ask its owner whether it is still needed.', zh: '向使用者确认是否仍然需要。' },
    gpulse: {
      expression: `max_over_time(gpulse_utilization_ratio[30m]) < 0.05
and ${SAME_DEVICE} gpulse_processes > 0
and ${SAME_DEVICE} gpu:gpulse_memory_used_ratio > 0.1`,
      proofs: [
        {
          series: [
            ['gpulse_utilization_ratio', '0.01x80 0.9x20', '0.01x100'],
            ['gpulse_processes', '1x100', '0x100'],
            ['gpulse_memory_used_bytes', '60x100', '60x100'],
            ['gpulse_memory_total_bytes', '80x100', '80x100'],
          ],
          ...{ before: '20m', at: '70m', after: '85m' },
        },
      ],
    },
    dcgm: {
      expression: `${dcgmOver('max_over_time', 'GPU_UTIL', '30m')} < 5 and gpu:dcgm_memory_used_ratio > 0.1`,
      proofs: [
        {
          series: [
            ['DCGM_FI_DEV_GPU_UTIL', '1x80 90x20', '1x100'],
            ['DCGM_FI_DEV_FB_USED', '60x100', '1x100'],
            ['DCGM_FI_DEV_FB_FREE', '20x100', '79x100'],
          ],
          ...{ before: '20m', at: '70m', after: '85m' },
        },
      ],
    },
  },
  {
    alert: 'GpuUtilizationLow',
    severity: 'info',
    holdFor: '15m',
    summary: {
      en: 'GPU {gpu} of {host} works {percent} of the time',
      zh: '{host} 的 GPU {gpu} 仅有 {percent} 的时间在工作',
    },
    action: {
      en: '"gpulse report" names the cause: data that comes too slowly, small batches, waiting for others.',
      zh: '可用 gpulse report 找出原因，例如数据供给过慢、批次过小或等待其他进程。',
    },
    gpulse: {
      expression: `avg_over_time(gpulse_utilization_ratio[15m]) < 0.3
and ${SAME_DEVICE} min_over_time(gpulse_processes[15m]) > 0`,
      proofs: [
        {
          series: [
            ['gpulse_utilization_ratio', '0.2x60 0.9x60', '0.2x120'],
            ['gpulse_processes', '1x120', '0x120'],
          ],
          ...{ before: '10m', at: '40m', after: '90m', shown: '20%' },
        },
      ],
    },
    dcgm: {
      expression: `${dcgmOver('avg_over_time', 'GPU_UTIL', '15m')} / 100 < 0.3 and gpu:dcgm_memory_used_ratio > 0.1`,
      proofs: [
        {
          series: [
            ['DCGM_FI_DEV_GPU_UTIL', '20x60 90x60', '20x120'],
            ['DCGM_FI_DEV_FB_USED', '60x120', '1x120'],
            ['DCGM_FI_DEV_FB_FREE', '20x120', '79x120'],
          ],
          ...{ before: '10m', at: '40m', after: '90m', shown: '20%' },
        },
      ],
    },
  },
  {
    alert: 'GpuImbalance',
    severity: 'info',
    holdFor: '15m',
    remark: 'Only where the others are busy, and only for GPUs with processes: what is free is not slow.',
    summary: {
      en: 'GPU {gpu} of {host} does much less than the others of this machine',
      zh: '{host} 的 GPU {gpu} 的负载明显低于同机其他 GPU',
    },
    action: {
      en: 'In one job it is the one that the others wait for, or that waits: look at its data and its share of the work.',
      zh: '若属于同一作业，说明负载分配不均：检查其数据与任务划分。',
    },
    gpulse: {
      expression: `avg_over_time(gpulse_utilization_ratio[15m]) < on (instance) group_left () 0.7 * avg by (instance) (avg_over_time(gpulse_utilization_ratio[15m]) > 0.5)
and ${SAME_DEVICE} min_over_time(gpulse_processes[15m]) > 0`,
      proofs: [
        {
          series: [
            ['gpulse_utilization_ratio', '0.9x10 0.4x60 0.9x60', '0.9x140'],
            ['gpulse_processes', '1x140', '1x140'],
          ],
          ...{ before: '5m', at: '50m', after: '110m' },
        },
      ],
    },
    dcgm: {
      expression: `${dcgmOver('avg_over_time', 'GPU_UTIL', '15m')} < on (instance) group_left () 0.7 * avg by (instance) (${dcgmOver('avg_over_time', 'GPU_UTIL', '15m')} > 50)
and gpu:dcgm_memory_used_ratio > 0.1`,
      proofs: [
        {
          series: [
            ['DCGM_FI_DEV_GPU_UTIL', '90x10 40x60 90x60', '90x140'],
            ['DCGM_FI_DEV_FB_USED', '60x140', '60x140'],
            ['DCGM_FI_DEV_FB_FREE', '20x140', '20x140'],
          ],
          ...{ before: '5m', at: '50m', after: '110m' },
        },
      ],
    },
  },
  {
    alert: 'GpuMemoryNearlyFull',
    severity: 'info',
    holdFor: '2m',
    summary: { en: 'memory of GPU {gpu} of {host} is nearly full', zh: '{host} 的 GPU {gpu} 显存即将用尽' },
    action: {
      en: 'A little more and the job fails: smaller batches, or fewer neighbours on the card.',
      zh: '继续增长会导致作业失败：减小批次，或减少同卡进程。',
    },
    gpulse: {
      expression: 'gpu:gpulse_memory_used_ratio > 0.98',
      proofs: [
        {
          series: [
            ['gpulse_memory_used_bytes', '60x10 79x10 60x20', '60x40'],
            ['gpulse_memory_total_bytes', '80x40', '80x40'],
          ],
          ...{ before: '5m', at: '16m', after: '25m' },
        },
      ],
    },
    dcgm: {
      expression: 'gpu:dcgm_memory_used_ratio > 0.98',
      proofs: [
        {
          series: [
            ['DCGM_FI_DEV_FB_USED', '60x10 79x10 60x20', '60x40'],
            ['DCGM_FI_DEV_FB_FREE', '20x10 1x10 20x20', '20x40'],
          ],
          ...{ before: '5m', at: '16m', after: '25m' },
        },
      ],
    },
  },
  {
    alert: 'GpulseOverhead',
    severity: 'info',
    holdFor: '15m',
    summary: { en: 'gpulse on {host} uses {percent} of a processor', zh: '{host} 上的 gpulse 占用一个核的 {percent}' },
    action: {
      en: 'A longer --interval costs less; a driver that answers slowly shows the same.',
      zh: '可调大 --interval；驱动应答缓慢时也会如此。',
    },
    gpulse: {
      expression: 'rate(process_cpu_seconds_total{job="gpulse"}[15m]) > 0.1',
      proofs: [
        {
          series: [['process_cpu_seconds_total{job="gpulse"}', '0+12x60 720+0.2x60', '0+0.2x130']],
          ...{ before: '5m', at: '50m', after: '110m', shown: '20%', labels: { job: 'gpulse' }, isOfHost: true },
        },
      ],
    },
  },
];
