import { type AlertRule, dcgm, dcgmOver, SAME_DEVICE, turn } from '../rule.ts';

export const LINK_RULES: readonly AlertRule[] = [
  {
    alert: 'GpuPcieReplays',
    severity: 'warning',
    holdFor: '3m',
    remark:
      'Half a replay per minute and lane at generation 3, twice as many at each one after it, as faster links meet more errors.',
    summary: {
      en: 'the PCIe link of GPU {gpu} of {host} repeats {value} packets per minute',
      zh: '{host} 的 GPU {gpu} 的 PCIe 链路每分钟重传 {value} 次',
    },
    action: { en: 'Reseat the card; look at riser, cable and slot.', zh: '重新插拔显卡，检查转接卡、线缆和插槽。' },
    gpulse: {
      expression: `60 * rate(gpulse_pcie_replay_total[5m])
> gpulse_pcie_link_width * 2 ^ (gpulse_pcie_link_generation - 4)`,
      proofs: [
        {
          series: [
            ['gpulse_pcie_replay_total', '0x8 0+10x40 400x80', '0+1x130'],
            ['gpulse_pcie_link_width', '16x130', '16x130'],
            ['gpulse_pcie_link_generation', '4x130', '4x130'],
          ],
          ...{ before: '1m', at: '9m', after: '20m', shown: '40' },
        },
      ],
    },
    dcgm: {
      expression: `60 * ${dcgmOver('rate', 'PCIE_REPLAY_COUNTER', '5m')}
> ${dcgm('PCIE_LINK_WIDTH')} * 2 ^ (${dcgm('PCIE_LINK_GEN')} - 4)`,
      proofs: [
        {
          series: [
            ['DCGM_FI_DEV_PCIE_REPLAY_COUNTER', '0x8 0+10x40 400x80', '0+1x130'],
            ['DCGM_FI_DEV_PCIE_LINK_WIDTH', '16x130', '16x130'],
            ['DCGM_FI_DEV_PCIE_LINK_GEN', '4x130', '4x130'],
          ],
          ...{ before: '1m', at: '9m', after: '20m', shown: '40' },
        },
      ],
    },
  },
  {
    alert: 'GpuPcieLinkDegraded',
    severity: 'warning',
    holdFor: '5m',
    remark: 'Idle cards lower the generation of their link on purpose.',
    summary: {
      en: 'the PCIe link of GPU {gpu} of {host} is below its best under load',
      zh: '{host} 的 GPU {gpu} 在负载下 PCIe 链路低于最佳状态',
    },
    action: {
      en: 'Reseat the card; look at riser, slot and the settings of the BIOS.',
      zh: '重新插拔显卡，检查转接卡、插槽和 BIOS 设置。',
    },
    gpulse: {
      expression: `(gpulse_pcie_link_width < gpulse_pcie_link_width_max or gpulse_pcie_link_generation < gpulse_pcie_link_generation_max)
and ${SAME_DEVICE} gpulse_utilization_ratio > 0.5`,
      proofs: [
        turn([
          ['gpulse_pcie_link_width', '16', '8'],
          ['gpulse_pcie_link_width_max', '16', '16'],
          ['gpulse_utilization_ratio', '0.9', '0.9'],
        ]),
        {
          series: [
            ['gpulse_pcie_link_generation', '1x120', '1x120'],
            ['gpulse_pcie_link_generation_max', '4x120', '4x120'],
            ['gpulse_utilization_ratio', '0.1x8 0.9x40 0.1x80', '0.1x120'],
          ],
          ...{ before: '1m', at: '9m', after: '20m' },
        },
      ],
    },
    dcgm: {
      expression: `(${dcgm('PCIE_LINK_WIDTH')} < ${dcgm('PCIE_MAX_LINK_WIDTH')} or ${dcgm('PCIE_LINK_GEN')} < ${dcgm('PCIE_MAX_LINK_GEN')})
and ${dcgm('GPU_UTIL')} > 50`,
      proofs: [
        turn([
          ['DCGM_FI_DEV_PCIE_LINK_WIDTH', '16', '8'],
          ['DCGM_FI_DEV_PCIE_MAX_LINK_WIDTH', '16', '16'],
          ['DCGM_FI_DEV_GPU_UTIL_RATIO', '90', '90'],
        ]),
      ],
    },
  },
  {
    alert: 'GpuNvlinkDown',
    severity: 'critical',
    holdFor: '1m',
    remark: 'A card of which no port is up has no bridge.',
    summary: { en: 'an NVLink of GPU {gpu} of {host} is down', zh: '{host} 的 GPU {gpu} 有 NVLink 端口断开' },
    action: {
      en: 'Collective operations of the whole node are slow: look at bridge, cable and fabric manager, then reset.',
      zh: '整个节点的集合通信都会变慢：检查桥接器、线缆和 Fabric Manager，再复位。',
    },
    gpulse: {
      expression: 'gpulse_nvlink_active_links < gpulse_nvlink_links and gpulse_nvlink_active_links > 0',
      proofs: [
        turn([
          ['gpulse_nvlink_active_links', '18', '17'],
          ['gpulse_nvlink_links', '18', '18'],
        ]),
        {
          series: [
            ['gpulse_nvlink_active_links', '4x8 3x40 4x80', '0x120'],
            ['gpulse_nvlink_links', '4x120', '4x120'],
          ],
          ...{ before: '1m', at: '9m', after: '20m' },
        },
      ],
    },
  },
  {
    alert: 'GpuNvlinkCrcErrors',
    severity: 'warning',
    holdFor: '5m',
    summary: {
      en: 'NVLinks of GPU {gpu} of {host} meet {value} checksum errors per second',
      zh: '{host} 的 GPU {gpu} 的 NVLink 每秒出现 {value} 次校验错误',
    },
    action: {
      en: 'Look at the port with most of them: bridge, cable, seat of the card.',
      zh: '检查错误最多的端口：桥接器、线缆和插接情况。',
    },
    gpulse: {
      expression: 'rate(gpulse_nvlink_crc_errors_total[5m]) > 100',
      proofs: [
        {
          series: [['gpulse_nvlink_crc_errors_total', '0x8 0+3000x60 180000x80', '0+150x150']],
          ...{ before: '1m', at: '14m', after: '25m', shown: '200' },
        },
      ],
    },
    dcgm: {
      expression: `${dcgmOver('rate', 'NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL', '5m')} > 100 or ${dcgmOver('rate', 'NVLINK_CRC_DATA_ERROR_COUNT_TOTAL', '5m')} > 100`,
      proofs: [
        {
          series: [['DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL', '0x8 0+3000x60 180000x80', '0+150x150']],
          ...{ before: '1m', at: '14m', after: '25m', shown: '200' },
        },
      ],
    },
  },
  {
    alert: 'GpuNvlinkRecovery',
    severity: 'critical',
    summary: {
      en: 'NVLinks of GPU {gpu} of {host} had to repeat packets or to recover',
      zh: '{host} 的 GPU {gpu} 的 NVLink 出现重传或链路恢复',
    },
    action: {
      en: 'Jobs on it may fail soon: look at bridge and cable, run the diagnosis of the vendor.',
      zh: '其上的作业可能很快失败：检查桥接器和线缆，并运行厂商诊断。',
    },
    gpulse: {
      expression: `increase(gpulse_nvlink_replay_errors_total[10m]) > 0
or increase(gpulse_nvlink_recovery_errors_total[10m]) > 0`,
      proofs: [
        {
          series: [['gpulse_nvlink_recovery_errors_total', '0x8 1x120', '5x130']],
          ...{ before: '1m', at: '4m', after: '15m' },
        },
      ],
    },
    dcgm: {
      expression: `${dcgmOver('increase', 'NVLINK_REPLAY_ERROR_COUNT_TOTAL', '10m')} > 0
or ${dcgmOver('increase', 'NVLINK_RECOVERY_ERROR_COUNT_TOTAL', '10m')} > 0`,
      proofs: [
        {
          series: [['DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL', '0x8 1x120', '5x130']],
          ...{ before: '1m', at: '4m', after: '15m' },
        },
      ],
    },
  },
];
