import { chart, DEVICE_LEGEND, metricChart, type Query, type Section, same, table } from '../panels.ts';
import { byDevice, byHost, MEMORY_SHARE, seriesOf, share, TEMPERATURE_MARGIN } from '../queries.ts';
import type { BoardSpec } from '../render-board.ts';
import { DEVICE_LABELS, MARGIN_STEPS, STATE_STEPS } from './columns.ts';

const LABELS = 'host, gpu, device';
const perGpu = (expression: string): string => `max by (${LABELS}) (${byDevice(expression, 'cards', 'host, device')})`;

const GPUS: Section = {
  title: { en: 'GPUs', zh: 'GPU' },
  panels: [
    table({
      title: { en: 'GPUs of this host', zh: '本机 GPU' },
      description: {
        en: 'One row per card; click it for all that is known of it. A lost card stays in the list without readings.',
        zh: '每张显卡一行，点击可查看详情。已掉卡的显卡仍在列表中，但没有读数。',
      },
      unit: 'short',
      labels: DEVICE_LABELS,
      queries: [
        { expression: perGpu('gpulse_device_up'), legend: { en: 'Answers', zh: '应答' } },
        { expression: perGpu(seriesOf('utilization_ratio')), legend: { en: 'Utilisation', zh: '利用率' } },
        { expression: perGpu(MEMORY_SHARE), legend: { en: 'Memory used', zh: '已用显存' } },
        { expression: perGpu(seriesOf('power_watts')), legend: { en: 'Power', zh: '功耗' } },
        { expression: perGpu(seriesOf('temperature_celsius')), legend: { en: 'Temperature', zh: '温度' } },
        { expression: perGpu(TEMPERATURE_MARGIN), legend: { en: 'Margin', zh: '温度余量' } },
        { expression: perGpu('gpulse_processes'), legend: { en: 'Processes', zh: '进程数' } },
      ],
      columns: [
        { name: { en: 'Answers', zh: '应答' }, words: STATE_STEPS },
        { name: { en: 'Utilisation', zh: '利用率' }, unit: 'percentunit' },
        { name: { en: 'Memory used', zh: '已用显存' }, unit: 'percentunit' },
        { name: { en: 'Power', zh: '功耗' }, unit: 'watt' },
        { name: { en: 'Temperature', zh: '温度' }, unit: 'celsius' },
        { name: { en: 'Margin', zh: '温度余量' }, unit: 'celsius', steps: MARGIN_STEPS },
      ],
      opens: ['gpu'],
    }),
    metricChart({ id: 'utilization_ratio', opens: ['gpu'] }),
    chart({
      title: { en: 'Memory used', zh: '已用显存' },
      description: { en: 'Share of the memory of each card.', zh: '占各显卡显存的比例。' },
      unit: 'percentunit',
      min: 0,
      max: 1,
      queries: [{ expression: byDevice(MEMORY_SHARE), legend: DEVICE_LEGEND }],
      opens: ['gpu'],
    }),
    chart({
      title: { en: 'Temperature margin', zh: '温度余量' },
      description: {
        en: 'Degrees left before each device slows down, by its own limit. At 0 it lowers its clocks.',
        zh: '按各设备自身限值，距离降频还剩的温度，到 0 即开始降频。',
      },
      unit: 'celsius',
      queries: [{ expression: byDevice(TEMPERATURE_MARGIN), legend: DEVICE_LEGEND }],
      opens: ['gpu'],
    }),
    chart({
      title: { en: 'Power, as a share of the limit', zh: '功耗占上限的比例' },
      description: {
        en: 'At 100% a device is held back by the limit that is set for it, which is normal under full load.',
        zh: '达到 100% 时，设备受其功耗上限约束；满载时属于正常现象。',
      },
      unit: 'percentunit',
      min: 0,
      queries: [
        { expression: byDevice(share(seriesOf('power_watts'), seriesOf('power_limit_watts'))), legend: DEVICE_LEGEND },
      ],
      opens: ['gpu'],
    }),
    chart({
      title: { en: 'PCIe traffic', zh: 'PCIe 流量' },
      description: {
        en: 'Sent and received together. Much of it with low utilisation means that the GPU waits for data.',
        zh: '发送与接收之和。流量大而利用率低，说明 GPU 在等待数据。',
      },
      unit: 'binBps',
      min: 0,
      queries: [
        {
          expression: byDevice(`${seriesOf('pcie_tx_bytes_per_second')} + ${seriesOf('pcie_rx_bytes_per_second')}`),
          legend: DEVICE_LEGEND,
        },
      ],
      opens: ['gpu'],
    }),
    metricChart({ id: 'sm_clock_hertz', opens: ['gpu'] }),
  ],
};

const line = (expression: string, en: string, zh: string): Query => ({
  expression: byHost(expression),
  legend: { en: `{{host}} ${en}`, zh: `{{host}} ${zh}` },
});

const MACHINE: Section = {
  title: { en: 'The machine', zh: '主机' },
  panels: [
    chart({
      title: { en: 'Processor', zh: 'CPU' },
      description: {
        en: 'Busy, and waiting for disks. Data loaders that cannot keep up show here first.',
        zh: '占用率与等待磁盘的时间。数据加载跟不上时，最先反映在这里。',
      },
      unit: 'percentunit',
      min: 0,
      max: 1,
      queries: [
        line(seriesOf('host_cpu_ratio'), 'busy', '占用率'),
        line(seriesOf('host_iowait_ratio'), 'waiting for disks', '等待磁盘'),
      ],
    }),
    chart({
      title: { en: 'Memory', zh: '内存' },
      description: {
        en: 'Near the top the kernel ends processes. Swap in use slows everything.',
        zh: '接近上限时内核会终止进程；使用交换分区会拖慢整机。',
      },
      unit: 'bytes',
      min: 0,
      queries: [
        line(seriesOf('host_memory_used_bytes'), 'used', '已用'),
        { ...line(seriesOf('host_memory_total_bytes'), 'total', '总量'), isLimit: true },
        line(seriesOf('host_swap_used_bytes'), 'swap used', '交换分区已用'),
      ],
    }),
    chart({
      title: { en: 'Disks', zh: '磁盘' },
      description: {
        en: 'All disks together. Compare with the PCIe traffic of the GPUs.',
        zh: '全部磁盘合计，可与 GPU 的 PCIe 流量对照。',
      },
      unit: 'binBps',
      min: 0,
      queries: [
        line(seriesOf('host_disk_read_bytes_per_second'), 'read', '读取'),
        line(seriesOf('host_disk_write_bytes_per_second'), 'written', '写入'),
      ],
    }),
    chart({
      title: { en: 'Network', zh: '网络' },
      description: {
        en: 'All interfaces that lead out of the machine.',
        zh: '全部对外网络接口合计。',
      },
      unit: 'binBps',
      min: 0,
      queries: [
        line(seriesOf('host_network_rx_bytes_per_second'), 'received', '接收'),
        line(seriesOf('host_network_tx_bytes_per_second'), 'sent', '发送'),
      ],
    }),
    chart({
      title: { en: 'Pressure', zh: '资源压力' },
      description: {
        en: 'Share of time in which some task waited for a resource, as the kernel tells it. Above 10% for long is a bottleneck.',
        zh: '内核统计的任务等待资源的时间占比，长期高于 10% 即为瓶颈。',
      },
      unit: 'percentunit',
      min: 0,
      queries: [
        line(seriesOf('host_pressure_cpu_some_ratio'), 'processor', 'CPU'),
        line(seriesOf('host_pressure_memory_some_ratio'), 'memory', '内存'),
        line(seriesOf('host_pressure_io_some_ratio'), 'disks', '磁盘'),
      ],
    }),
    chart({
      title: { en: 'Load', zh: '负载' },
      description: {
        en: 'Tasks that run or wait, mean over a minute.',
        zh: '正在运行或等待的任务数，1 分钟均值。',
      },
      unit: 'short',
      min: 0,
      queries: [{ expression: byHost(seriesOf('host_load_1m')), legend: same('{{host}}') }],
    }),
  ],
};

export const NODE: BoardSpec = {
  name: 'node',
  description: {
    en: 'One host: its GPUs side by side, and what the machine around them is doing.',
    zh: '单台主机：各 GPU 对比，以及主机自身的运行状况。',
  },
  isSingle: false,
  sections: [GPUS, MACHINE],
};
