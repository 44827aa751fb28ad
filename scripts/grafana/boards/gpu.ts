import { CLOCK_EVENT_REASONS } from '../../../src/model/clock-events.ts';
import {
  chart,
  entryOf,
  limitLine,
  metricChart,
  metricLine,
  type PanelSpec,
  type Section,
  same,
  stat,
  table,
  timeline,
} from '../panels.ts';
import { byDevice, growth, MEMORY_SHARE, rate, seriesOf, share, TEMPERATURE_MARGIN } from '../queries.ts';
import type { BoardSpec } from '../render-board.ts';
import { MARGIN_STEPS, NONE_STEPS } from './columns.ts';

type Id = Parameters<typeof entryOf>[0];

const TITLE = same('{{host}} {{device}}');

function figure(id: Id, expression = byDevice(seriesOf(id)), more: Partial<PanelSpec> = {}): PanelSpec {
  const { label, help, unit } = entryOf(id);
  return stat({ title: label, description: help, unit, queries: [{ expression, legend: TITLE }], ...more });
}

const NOW: Section = {
  title: { en: 'Now', zh: '当前' },
  panels: [
    table({
      title: { en: 'Identity', zh: '设备信息' },
      description: {
        en: 'What to quote in a repair: model, UUID, serial number, slot, driver and VBIOS. MIG instances are listed too.',
        zh: '报修时需要的信息：型号、UUID、序列号、插槽、驱动和 VBIOS 版本，包括 MIG 实例。',
      },
      unit: 'none',
      height: 4,
      labels: [
        { label: 'host', name: { en: 'Host', zh: '主机' } },
        { label: 'device', name: { en: 'Device', zh: '设备' } },
        { label: 'name', name: { en: 'Model', zh: '型号' } },
        { label: 'uuid', name: same('UUID') },
        { label: 'pci_bus_id', name: { en: 'PCI bus', zh: 'PCI 总线' } },
        { label: 'serial', name: { en: 'Serial number', zh: '序列号' } },
        { label: 'driver_version', name: { en: 'Driver', zh: '驱动' } },
        { label: 'vbios', name: same('VBIOS') },
        { label: 'mig_profile', name: { en: 'MIG profile', zh: 'MIG 规格' } },
      ],
      queries: [
        {
          expression:
            'max by (host, device, name, uuid, pci_bus_id, serial, driver_version, vbios, mig_profile) ' +
            '(gpulse_device_info{host=~"$host",gpu=~"$gpu"})',
          legend: { en: 'Listed', zh: '在列' },
        },
      ],
    }),
    figure('utilization_ratio'),
    stat({
      title: { en: 'Memory used', zh: '已用显存' },
      description: { en: 'Share of the memory of the card.', zh: '占整卡显存的比例。' },
      unit: 'percentunit',
      queries: [{ expression: byDevice(MEMORY_SHARE), legend: TITLE }],
    }),
    stat({
      title: { en: 'Temperature margin', zh: '温度余量' },
      description: {
        en: 'Degrees left before it slows down, by its own limit.',
        zh: '按设备自身限值，距离降频还剩的温度。',
      },
      unit: 'celsius',
      steps: MARGIN_STEPS,
      queries: [{ expression: byDevice(TEMPERATURE_MARGIN), legend: TITLE }],
    }),
    figure('power_watts'),
    stat({
      title: { en: 'Processes', zh: '进程数' },
      description: {
        en: 'Processes on the card and its instances. Whose they are is on the board of owners.',
        zh: '显卡及其实例上的进程数，所属用户见“作业与归属”仪表盘。',
      },
      unit: 'none',
      queries: [
        {
          expression: `sum by (host, gpu) (${byDevice('gpulse_processes', 'all')})`,
          legend: same('{{host}} GPU {{gpu}}'),
        },
      ],
    }),
    figure('performance_state'),
  ],
};

const WORK: Section = {
  title: { en: 'Work', zh: '工作情况' },
  panels: [
    chart({
      title: entryOf('utilization_ratio').label,
      description: {
        en: 'Share of time in which anything ran. High here with low activity beside it means small or waiting kernels.',
        zh: '有任务运行的时间占比。此处高而右侧活跃度低，说明计算核函数过小或在等待。',
      },
      unit: 'percentunit',
      min: 0,
      max: 1,
      queries: [metricLine('utilization_ratio'), metricLine('memory_utilization_ratio')],
    }),
    chart({
      title: { en: 'Activity of the parts', zh: '各单元活跃度' },
      description: {
        en: 'How much of the chip works: needs Hopper or newer. MIG instances are lines of their own.',
        zh: '芯片各单元的实际活跃程度，需要 Hopper 或更新架构；MIG 实例单独成线。',
      },
      unit: 'percentunit',
      min: 0,
      max: 1,
      queries: (['sm_active_ratio', 'sm_occupancy_ratio', 'tensor_active_ratio', 'dram_active_ratio'] as const).map(
        (id) => metricLine(id, 'all'),
      ),
    }),
    chart({
      title: { en: 'Memory', zh: '显存' },
      description: {
        en: 'Card and MIG instances; the memory of an instance is part of the memory of its card.',
        zh: '整卡与各 MIG 实例；实例的显存包含在整卡之内。',
      },
      unit: 'bytes',
      min: 0,
      queries: [metricLine('memory_used_bytes', 'all'), limitLine('memory_total_bytes')],
    }),
    chart({
      title: { en: 'Transfers', zh: '数据传输' },
      description: {
        en: 'PCIe to the host and NVLink to other GPUs.',
        zh: '经 PCIe 与主机、经 NVLink 与其他 GPU 的传输速率。',
      },
      unit: 'binBps',
      min: 0,
      queries: (
        [
          'pcie_tx_bytes_per_second',
          'pcie_rx_bytes_per_second',
          'nvlink_tx_bytes_per_second',
          'nvlink_rx_bytes_per_second',
        ] as const
      ).map((id) => metricLine(id)),
    }),
    chart({
      title: { en: 'MIG instances: memory used', zh: 'MIG 实例显存占用' },
      description: {
        en: 'Share of the memory of each instance. Empty where the card is not in MIG mode.',
        zh: '占各实例自身显存的比例；显卡未启用 MIG 时为空。',
      },
      unit: 'percentunit',
      min: 0,
      max: 1,
      queries: [{ expression: byDevice(MEMORY_SHARE, 'instances'), legend: TITLE }],
    }),
    chart({
      title: { en: 'Clocks', zh: '频率' },
      description: {
        en: 'Multiprocessors and memory, with the highest that the device can do. What holds them down is below.',
        zh: 'SM 与显存频率及设备可达最高值；降频原因见下方。',
      },
      unit: 'hertz',
      min: 0,
      queries: [metricLine('sm_clock_hertz'), metricLine('memory_clock_hertz'), limitLine('sm_clock_max_hertz')],
    }),
  ],
};

const HEAT: Section = {
  title: { en: 'Heat and power', zh: '温度与功耗' },
  panels: [
    chart({
      title: entryOf('temperature_celsius').label,
      description: {
        en: 'Core, with the limits that this device sets itself: at the first it slows down, at the second it stops.',
        zh: '核心温度，以及设备自身的限值：到第一条线降频，到第二条线关机。',
      },
      unit: 'celsius',
      queries: [
        metricLine('temperature_celsius'),
        limitLine('temperature_slowdown_celsius'),
        limitLine('temperature_shutdown_celsius'),
      ],
    }),
    chart({
      title: entryOf('memory_temperature_celsius').label,
      description: {
        en: 'Memory, with the highest that this device allows. Many models do not tell it.',
        zh: '显存温度及设备允许的最高值，许多型号不提供该读数。',
      },
      unit: 'celsius',
      queries: [metricLine('memory_temperature_celsius'), limitLine('memory_temperature_max_celsius')],
    }),
    chart({
      title: entryOf('power_watts').label,
      description: {
        en: 'With the limit that is in force. At the limit the clocks are lowered, which is normal under full load.',
        zh: '功耗与当前生效的上限。到达上限时会降频，满载时属于正常现象。',
      },
      unit: 'watt',
      min: 0,
      queries: [metricLine('power_watts'), limitLine('power_limit_watts')],
    }),
    metricChart({
      id: 'fan_speed_ratio',
      advice: { en: 'Passively cooled cards have none.', zh: '被动散热的显卡没有该读数。' },
    }),
    timeline({
      title: { en: 'What holds the clocks down', zh: '降频原因' },
      description: {
        en: `Trouble: ${troubles('en')}. The rest is normal operation.`,
        zh: `异常：${troubles('zh')}；其余属于正常运行。`,
      },
      unit: 'none',
      words: [
        { value: 0, text: { en: 'no', zh: '否' }, color: 'text' },
        { value: 1, text: { en: 'yes', zh: '是' }, color: 'orange' },
      ],
      queries: [{ expression: byDevice('gpulse_clock_event_active'), legend: same('{{host}} {{device}} {{reason}}') }],
    }),
    chart({
      title: { en: 'Time held down', zh: '受限时间占比' },
      description: {
        en: 'Share of time, counted by the driver: nothing between two samples is missed.',
        zh: '由驱动累计的时间占比，不会漏掉两次采样之间的情况。',
      },
      unit: 'percentunit',
      min: 0,
      queries: (['power_cap', 'thermal', 'hw_thermal', 'power_brake'] as const).map((cause) => {
        const id = `clock_event_${cause}_seconds_total` as const;
        const { label } = entryOf(id);
        return {
          expression: byDevice(rate(seriesOf(id))),
          legend: { en: `{{host}} {{device}} ${label.en}`, zh: `{{host}} {{device}} ${label.zh}` },
        };
      }),
    }),
    chart({
      title: { en: 'Energy', zh: '能耗' },
      description: {
        en: 'Mean power by the energy counter of the device, which misses no peaks.',
        zh: '由设备能耗计数器算出的平均功率，不会漏掉峰值。',
      },
      unit: 'watt',
      min: 0,
      queries: [{ expression: byDevice(rate(seriesOf('energy_joules_total'))), legend: TITLE }],
    }),
  ],
};

function troubles(lang: 'en' | 'zh'): string {
  const words = CLOCK_EVENT_REASONS.filter(({ trouble }) => trouble).map(({ id, word }) => `${id} (${word[lang]})`);
  return lang === 'en' ? words.join(', ') : words.map((word) => word.replace(' (', '（').replace(')', '）')).join('、');
}

const errors = (id: Id): PanelSpec => figure(id, byDevice(growth(seriesOf(id))), { steps: NONE_STEPS, unit: 'short' });

const ERRORS: Section = {
  title: { en: 'Errors in the time that is shown', zh: '所选时间内的错误' },
  panels: [
    errors('ecc_uncorrected_volatile_total'),
    errors('ecc_corrected_volatile_total'),
    errors('pcie_replay_total'),
    errors('nvlink_crc_errors_total'),
    figure('remapped_rows_uncorrectable_total', undefined, { steps: NONE_STEPS }),
    figure('remapped_rows_pending', undefined, { steps: NONE_STEPS }),
    chart({
      title: { en: 'PCIe link', zh: 'PCIe 链路' },
      description: {
        en: 'Width and generation as a share of the best. Below 100% under load: reseat the card, look at riser and slot. Idle cards lower the generation on purpose.',
        zh: '链路宽度与代数占最高值的比例。负载下低于 100% 时，请重新插拔显卡并检查转接卡与插槽；空闲时降低代数属于正常。',
      },
      unit: 'percentunit',
      min: 0,
      max: 1,
      queries: [
        {
          expression: byDevice(share(seriesOf('pcie_link_width'), seriesOf('pcie_link_width_max'))),
          legend: { en: '{{host}} {{device}} width', zh: '{{host}} {{device}} 宽度' },
        },
        {
          expression: byDevice(share(seriesOf('pcie_link_generation'), seriesOf('pcie_link_generation_max'))),
          legend: { en: '{{host}} {{device}} generation', zh: '{{host}} {{device}} 代数' },
        },
      ],
    }),
    timeline({
      title: { en: 'NVLink ports', zh: 'NVLink 端口' },
      description: {
        en: 'A port that is down beside others that are up slows every collective operation of the node.',
        zh: '部分端口断开会拖慢整个节点的集合通信。',
      },
      unit: 'none',
      width: 12,
      words: [
        { value: 0, text: { en: 'down', zh: '断开' }, color: 'red' },
        { value: 1, text: { en: 'up', zh: '正常' }, color: 'green' },
      ],
      queries: [{ expression: byDevice('gpulse_nvlink_link_up'), legend: same('{{host}} {{device}} NVLink {{link}}') }],
    }),
  ],
};

export const GPU: BoardSpec = {
  name: 'gpu',
  description: {
    en: 'One GPU with its MIG instances: work, heat, power, limits and errors.',
    zh: '单张 GPU 及其 MIG 实例：负载、温度、功耗、限值与错误。',
  },
  isSingle: true,
  sections: [NOW, WORK, HEAT, ERRORS],
};
