import { type AlertRule, dcgm, dcgmOver, dcgmReason, SAME_DEVICE, turn } from '../rule.ts';

const BUSY = `and ${SAME_DEVICE} gpulse_utilization_ratio > 0.5`;
const DCGM_BUSY = `and ${dcgm('GPU_UTIL')} > 50`;

const reason = (id: string): string => `gpulse_clock_event_active{reason="${id}"} == 1`;

/** A reason that goes on for a while on a GPU that works, and on a neighbour only where `quiet` says so. */
const reasonTurn = (id: string, more: readonly (readonly [string, string, string])[] = []) =>
  turn([[`gpulse_clock_event_active{reason="${id}"}`, '0', '1'], ...more], { labels: { reason: id } });

export const HEAT_RULES: readonly AlertRule[] = [
  {
    alert: 'GpuHwThermalSlowdown',
    severity: 'critical',
    holdFor: '1m',
    summary: {
      en: 'GPU {gpu} of {host} is far too hot and slowed by its hardware',
      zh: '{host} 的 GPU {gpu} 严重过热，硬件已强制降频',
    },
    action: {
      en: 'Look at fans, dust and air now; it may switch itself off.',
      zh: '立即检查风扇、积灰和风道，GPU 可能自行关断。',
    },
    remark: 'The counter of violations is in nanoseconds: more than 2% of the time.',
    gpulse: { expression: reason('hw-thermal'), proofs: [reasonTurn('hw-thermal')] },
    dcgm: {
      expression: `${dcgmReason(64)}
or (${dcgmOver('rate', 'THERMAL_VIOLATION', '5m')} > 0.02 * 1e9 ${DCGM_BUSY})`,
      proofs: [
        turn([['DCGM_FI_DEV_CLOCKS_EVENT_REASONS', '4', '68']]),
        {
          series: [
            ['DCGM_FI_DEV_THERMAL_VIOLATION', '0x8 0+1000000000x40 40000000000x80', '0+1000000000x120'],
            ['DCGM_FI_DEV_GPU_UTIL', '90x120', '10x120'],
          ],
          ...{ before: '1m', at: '8m', after: '20m' },
        },
      ],
    },
  },
  {
    alert: 'GpuSwThermalSlowdown',
    severity: 'warning',
    holdFor: '5m',
    summary: {
      en: 'GPU {gpu} of {host} is slowed by heat while it works',
      zh: '{host} 的 GPU {gpu} 在负载下因过热降频',
    },
    action: {
      en: 'Compare with its neighbours: one hot card means fan or dust, all of them mean the air of the machine.',
      zh: '与相邻设备比较：只有一块过热多为风扇或积灰，全部过热则是机箱风道问题。',
    },
    gpulse: {
      expression: `${reason('sw-thermal')}\n${BUSY}`,
      proofs: [
        reasonTurn('sw-thermal', [['gpulse_utilization_ratio', '0.9', '0.9']]),
        {
          series: [
            ['gpulse_clock_event_active{reason="sw-thermal"}', '1x120', '1x120'],
            ['gpulse_utilization_ratio', '0.1x8 0.9x40 0.1x80', '0.1x120'],
          ],
          ...{ before: '1m', at: '9m', after: '20m', labels: { reason: 'sw-thermal' } },
        },
      ],
    },
    dcgm: {
      expression: `${dcgmReason(32)} ${DCGM_BUSY}`,
      proofs: [
        turn([
          ['DCGM_FI_DEV_CLOCKS_EVENT_REASONS', '4', '36'],
          ['DCGM_FI_DEV_GPU_UTIL', '90', '90'],
        ]),
      ],
    },
  },
  {
    alert: 'GpuTemperatureHigh',
    severity: 'warning',
    holdFor: '5m',
    remark:
      "Against the device's own limit, which newer ones tell as the degrees that are left. 85 °C only where none is told.",
    summary: {
      en: 'GPU {gpu} of {host} is within 5 degrees of slowing down',
      zh: '{host} 的 GPU {gpu} 距降频温度不足 5 度',
    },
    action: { en: 'Look at fans, dust, air and neighbours.', zh: '检查风扇、积灰、风道和相邻设备。' },
    gpulse: {
      expression: `gpulse_temperature_margin_celsius < 5
or (gpulse_temperature_celsius > gpulse_temperature_slowdown_celsius - 5 unless gpulse_temperature_margin_celsius)`,
      proofs: [
        turn([['gpulse_temperature_margin_celsius', '20', '4']]),
        turn([
          ['gpulse_temperature_celsius', '70', '86'],
          ['gpulse_temperature_slowdown_celsius', '90', '90'],
        ]),
      ],
    },
    dcgm: {
      expression: `${dcgm('GPU_TEMP_LIMIT')} < 5
or (${dcgm('GPU_TEMP')} > ${dcgm('SLOWDOWN_TEMP')} - 5 unless ${dcgm('GPU_TEMP_LIMIT')})
or (${dcgm('GPU_TEMP')} > 85 unless (${dcgm('SLOWDOWN_TEMP')} or ${dcgm('GPU_TEMP_LIMIT')}))`,
      proofs: [
        turn([['DCGM_FI_DEV_GPU_TEMP_LIMIT', '20', '4']]),
        turn([
          ['DCGM_FI_DEV_GPU_TEMP', '70', '86'],
          ['DCGM_FI_DEV_SLOWDOWN_TEMP', '90', '90'],
        ]),
        turn([['DCGM_FI_DEV_GPU_TEMP_CELSIUS', '84', '86']]),
      ],
    },
  },
  {
    alert: 'GpuMemoryTemperatureHigh',
    severity: 'critical',
    holdFor: '2m',
    remark: "Against the device's own limit: an absolute one would be wrong for most models.",
    summary: {
      en: 'memory of GPU {gpu} of {host} has reached its limit of temperature',
      zh: '{host} 的 GPU {gpu} 显存已达到温度上限',
    },
    action: { en: 'Cool it or lower its load: errors follow.', zh: '改善散热或降低负载，否则会出现显存错误。' },
    gpulse: {
      expression: 'gpulse_memory_temperature_celsius >= gpulse_memory_temperature_max_celsius',
      proofs: [
        turn([
          ['gpulse_memory_temperature_celsius', '80', '95'],
          ['gpulse_memory_temperature_max_celsius', '95', '95'],
        ]),
      ],
    },
    dcgm: {
      expression: `${dcgm('MEMORY_TEMP')} >= ${dcgm('MEM_MAX_OP_TEMP')} > 0`,
      proofs: [
        turn([
          ['DCGM_FI_DEV_MEMORY_TEMP', '80', '95'],
          ['DCGM_FI_DEV_MEM_MAX_OP_TEMP', '95', '95'],
        ]),
      ],
    },
  },
  {
    alert: 'GpuPowerBrake',
    severity: 'critical',
    holdFor: '30s',
    summary: {
      en: 'the power supply holds GPU {gpu} of {host} down',
      zh: '{host} 的 GPU {gpu} 受外部供电制动',
    },
    action: {
      en: 'Look at power supplies, their cables and the power cap of the chassis.',
      zh: '检查电源、供电线缆以及机箱功率上限。',
    },
    gpulse: { expression: reason('power-brake'), proofs: [reasonTurn('power-brake')] },
    dcgm: { expression: dcgmReason(128), proofs: [turn([['DCGM_FI_DEV_CLOCKS_EVENT_REASONS', '4', '132']])] },
  },
  {
    alert: 'GpuPowerCapAbnormal',
    severity: 'warning',
    holdFor: '5m',
    summary: {
      en: 'GPU {gpu} of {host} is held down by power although it draws less than 80% of its limit',
      zh: '{host} 的 GPU {gpu} 功耗不足上限的 80%，却因功耗受限',
    },
    action: {
      en: 'Being at the limit under load is normal, this is not: look at the limit that is set, cables and power supply.',
      zh: '满载达到上限属于正常，此情况则不正常：请检查设定的上限、线缆和电源。',
    },
    gpulse: {
      expression: `${reason('power-cap')}
and ${SAME_DEVICE} gpulse_power_watts / gpulse_power_limit_watts < 0.8
and ${SAME_DEVICE} gpulse_utilization_ratio > 0.8`,
      proofs: [
        reasonTurn('power-cap', [
          ['gpulse_power_watts', '300', '300'],
          ['gpulse_power_limit_watts', '700', '700'],
          ['gpulse_utilization_ratio', '0.9', '0.9'],
        ]),
        {
          series: [
            ['gpulse_clock_event_active{reason="power-cap"}', '1x120', '1x120'],
            ['gpulse_power_watts', '690x8 300x40 690x80', '690x120'],
            ['gpulse_power_limit_watts', '700x120', '700x120'],
            ['gpulse_utilization_ratio', '0.9x120', '0.9x120'],
          ],
          ...{ before: '1m', at: '9m', after: '20m', labels: { reason: 'power-cap' } },
        },
      ],
    },
    dcgm: {
      expression: `${dcgmReason(4)}
and ${dcgm('POWER_USAGE')} < 0.8 * (${dcgm('ENFORCED_POWER_LIMIT')} or ${dcgm('POWER_MGMT_LIMIT')})
and ${dcgm('GPU_UTIL')} > 80`,
      proofs: [
        turn([
          ['DCGM_FI_DEV_CLOCKS_EVENT_REASONS', '0', '4'],
          ['DCGM_FI_DEV_POWER_USAGE', '300', '300'],
          ['DCGM_FI_DEV_POWER_MGMT_LIMIT', '700', '700'],
          ['DCGM_FI_DEV_GPU_UTIL', '90', '90'],
        ]),
      ],
    },
  },
];
