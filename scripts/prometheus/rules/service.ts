import { type AlertRule, dcgm, SAME_DEVICE, turn } from '../rule.ts';

const OF_HOST = { isOfHost: true } as const;

/** Whether anybody watches at all, and what the driver itself does. */
export const SERVICE_RULES: readonly AlertRule[] = [
  {
    alert: 'GpulseDown',
    severity: 'warning',
    holdFor: '2m',
    summary: {
      en: 'the exporter on {host} does not answer; its GPUs are not watched',
      zh: '{host} 上的采集程序没有应答，其 GPU 无人监控',
    },
    action: {
      en: 'Look whether the machine is up, then at its service, such as "systemctl status gpulse".',
      zh: '先确认主机是否在线，再查看其服务，例如 systemctl status gpulse。',
    },
    gpulse: {
      expression: 'up{job="gpulse"} == 0',
      proofs: [turn([['up{job="gpulse"}', '1', '0']], { ...OF_HOST, labels: { job: 'gpulse' } })],
    },
    dcgm: {
      expression: 'up{job=~"gpulse|dcgm-exporter|nvidia-dcgm-exporter"} == 0',
      proofs: [turn([['up{job="dcgm-exporter"}', '1', '0']], { ...OF_HOST, labels: { job: 'dcgm-exporter' } })],
    },
  },
  {
    alert: 'GpuDriverSilent',
    severity: 'critical',
    holdFor: '1m',
    remark: 'Not while "gpulse release" has let go of the GPUs on purpose.',
    summary: {
      en: 'the GPU driver on {host} has given no data for {duration}',
      zh: '{host} 的 GPU 驱动已有 {duration} 没有提供数据',
    },
    action: {
      en: 'Run "gpulse doctor" there and read the kernel log; a driver that hangs often needs a restart of the machine.',
      zh: '在该主机上运行 gpulse doctor 并查看内核日志；驱动挂起往往需要重启主机。',
    },
    gpulse: {
      expression: 'gpulse_data_age_seconds > 60 and on (instance) gpulse_source_state{state="released"} == 0',
      proofs: [
        {
          series: [
            ['gpulse_data_age_seconds', '0x20 75+15x40 0x20', '0x120'],
            ['gpulse_source_state{state="released"}', '0x120', null],
          ],
          ...{ before: '5m', at: '8m', after: '17m', shown: '4m 0s', ...OF_HOST },
        },
      ],
    },
  },
  {
    alert: 'GpuDriverSlow',
    severity: 'warning',
    holdFor: '2m',
    summary: {
      en: 'the GPU driver on {host} takes {duration} for one round of readings',
      zh: '{host} 的 GPU 驱动完成一轮采样需要 {duration}',
    },
    action: {
      en: 'A GPU that is about to fail answers slowly. "gpulse doctor" on the machine names it.',
      zh: '即将失效的 GPU 往往应答缓慢，可在该主机上运行 gpulse doctor 定位。',
    },
    gpulse: {
      expression: 'gpulse_tick_duration_seconds > 2',
      proofs: [turn([['gpulse_tick_duration_seconds', '0.02', '3']], { ...OF_HOST, shown: '3s' })],
    },
  },
  {
    alert: 'GpuCollectiveHang',
    severity: 'warning',
    holdFor: '10m',
    remark:
      'Waiting in a collective operation keeps a GPU busy at little power. Steps of the training are not seen from here, and ' +
      'a very light kernel looks the same: hence ten minutes, and no page.',
    summary: {
      en: 'GPU {gpu} of {host} is busy at a quarter of its power: the job may hang',
      zh: '{host} 的 GPU {gpu} 满负载但功耗不足四分之一，作业可能已挂起',
    },
    action: {
      en: 'Look whether the job still makes steps; the rank that waits for nobody is the one to look at.',
      zh: '确认作业是否仍在推进，并检查没有在等待的那个 rank。',
    },
    gpulse: {
      expression: `gpulse_utilization_ratio >= 0.99
and ${SAME_DEVICE} gpulse_power_watts / gpulse_power_limit_watts <= 0.25`,
      proofs: [
        {
          series: [
            ['gpulse_utilization_ratio', '1x200', '1x200'],
            ['gpulse_power_watts', '600x8 150x60 600x100', '600x200'],
            ['gpulse_power_limit_watts', '700x200', '700x200'],
          ],
          ...{ before: '11m', at: '15m', after: '25m' },
        },
      ],
    },
    dcgm: {
      expression: `${dcgm('GPU_UTIL')} >= 99
and ${dcgm('POWER_USAGE')} <= 0.25 * (${dcgm('ENFORCED_POWER_LIMIT')} or ${dcgm('POWER_MGMT_LIMIT')})`,
      proofs: [
        {
          series: [
            ['DCGM_FI_DEV_GPU_UTIL', '100x200', '100x200'],
            ['DCGM_FI_DEV_POWER_USAGE', '600x8 150x60 600x100', '600x200'],
            ['DCGM_FI_DEV_ENFORCED_POWER_LIMIT', '700x200', '700x200'],
          ],
          ...{ before: '11m', at: '15m', after: '25m' },
        },
      ],
    },
  },
  {
    alert: 'GpuModeChanged',
    severity: 'info',
    summary: {
      en: 'the ECC or MIG mode of GPU {gpu} of {host} has changed',
      zh: '{host} 的 GPU {gpu} 的 ECC 或 MIG 模式已变更',
    },
    action: { en: 'Nothing, if it was meant.', zh: '若为计划内变更，无需处理。' },
    gpulse: {
      expression: 'changes(gpulse_ecc_mode[1h]) > 0 or changes(gpulse_mig_mode[1h]) > 0',
      proofs: [
        { series: [['gpulse_mig_mode', '0x8 1x400', '1x400']], ...{ before: '1m', at: '5m', after: '70m' } },
        { series: [['gpulse_ecc_mode', '1x8 0x400', '1x400']], ...{ before: '1m', at: '5m', after: '70m' } },
      ],
    },
    dcgm: {
      expression: 'changes(DCGM_FI_DEV_ECC_CURRENT[1h]) > 0 or changes(DCGM_FI_DEV_MIG_MODE[1h]) > 0',
      proofs: [
        { series: [['DCGM_FI_DEV_MIG_MODE', '0x8 1x400', '1x400']], ...{ before: '1m', at: '5m', after: '70m' } },
      ],
    },
  },
  {
    alert: 'GpulseSinkLosesSamples',
    severity: 'warning',
    summary: {
      en: 'gpulse on {host} could not deliver samples to {sink}',
      zh: '{host} 上的 gpulse 有样本未能送达 {sink}',
    },
    action: {
      en: 'Look whether the receiver is up and takes what it is sent: /api/v1/health of gpulse has its last answer.',
      zh: '检查接收端是否可用、是否拒绝数据；gpulse 的 /api/v1/health 中有其最近一次应答。',
    },
    gpulse: {
      expression: 'increase(gpulse_sink_lost_samples_total[10m]) > 0',
      proofs: [
        {
          series: [
            ['gpulse_sink_lost_samples_total{sink="otlp"}', '0x8 500x120', null],
            ['gpulse_sink_lost_samples_total{sink="influx"}', '0x130', null],
          ],
          ...{ before: '1m', at: '4m', after: '15m', labels: { sink: 'otlp' }, ...OF_HOST },
        },
      ],
    },
  },
  {
    alert: 'GpulsePushStale',
    severity: 'warning',
    holdFor: '1m',
    remark: 'A Pushgateway never forgets: without this a host that died goes on with its last values for ever.',
    summary: {
      en: 'gpulse on {host} has pushed nothing for {duration}: what the Pushgateway shows of it is old',
      zh: '{host} 上的 gpulse 已有 {duration} 没有推送，Pushgateway 中的数据已过时',
    },
    action: {
      en: 'Look whether the machine is up. If it is gone for good, delete its group at the Pushgateway.',
      zh: '检查主机是否在线；若已下线，请在 Pushgateway 中删除其分组。',
    },
    gpulse: {
      expression: 'time() - push_time_seconds{job="gpulse"} > 120',
      proofs: [
        {
          series: [['push_time_seconds{job="gpulse"}', '0+15x20 300x20 600+15x100', '0+15x140']],
          ...{ before: '6m', at: '9m', after: '15m', shown: '4m 0s', labels: { job: 'gpulse' }, ...OF_HOST },
        },
      ],
    },
  },
];
