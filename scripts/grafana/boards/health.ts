import { chart, DEVICE_LEGEND, type PanelSpec, type Section, same, stat, table, timeline } from '../panels.ts';
import { byDevice, byHost, growth, rate, seriesOf, TEMPERATURE_MARGIN } from '../queries.ts';
import type { BoardSpec } from '../render-board.ts';
import { MARGIN_STEPS, NONE_STEPS } from './columns.ts';

const HOST_LEGEND = same('{{host}}');

/** A number that should be 0. A sum over nothing is shown as 0 where that is true: the series exist on every device. */
const alarm = (title: PanelSpec['title'], description: PanelSpec['description'], expression: string): PanelSpec =>
  stat({ title, description, unit: 'none', steps: NONE_STEPS, queries: [{ expression, legend: same('') }] });

const TROUBLE: Section = {
  title: { en: 'Anything but 0 needs a look', zh: '不为 0 即需关注' },
  panels: [
    alarm(
      { en: 'Lost GPUs', zh: '已掉卡' },
      {
        en: 'Fell off the bus. Drain the node, read the kernel log, reset or restart; exchange the card if it comes back.',
        zh: '已从总线上消失。请排空节点、查看内核日志并复位或重启；反复出现时更换显卡。',
      },
      `sum(${byDevice('gpulse_device_state{state="lost"}')})`,
    ),
    alarm(
      { en: 'Silent GPUs', zh: '无响应的 GPU' },
      {
        en: 'Give no new data while others do: a driver call hangs. Processes on them may be stuck too.',
        zh: '不再提供新数据，说明驱动调用挂起，其上的进程也可能卡住。',
      },
      `sum(${byDevice('gpulse_device_state{state="stale"}', 'all')})`,
    ),
    alarm(
      { en: 'Slowed by heat', zh: '过热降频' },
      {
        en: 'GPUs that lower their clocks because they are too hot. Look at fans, dust, air and neighbours.',
        zh: '因过热正在降频的 GPU 数。请检查风扇、积灰、风道和相邻设备。',
      },
      `sum(max by (instance, uuid) (${byDevice('gpulse_clock_event_active{reason=~"sw-thermal|hw-thermal"}')}))`,
    ),
    alarm(
      { en: 'Uncorrected memory errors', zh: '不可纠正的显存错误' },
      {
        en: 'In the time that is shown. Results may be wrong: end the job, reset the GPU.',
        zh: '所选时间内的次数。计算结果可能有误，请终止作业并复位 GPU。',
      },
      `sum(${byDevice(growth(seriesOf('ecc_uncorrected_volatile_total')))})`,
    ),
    alarm(
      { en: 'Memory beyond repair', zh: '显存无法修复' },
      {
        en: 'Row remapping has failed: exchange the card.',
        zh: '行重映射失败，请更换显卡。',
      },
      `sum(${byDevice(seriesOf('remapped_rows_failure'))})`,
    ),
    alarm(
      { en: 'NVLink ports down', zh: 'NVLink 端口断开' },
      {
        en: 'Ports that are down on GPUs of which others are up.',
        zh: '部分端口正常的 GPU 上断开的端口数。',
      },
      `sum(${byDevice(`${seriesOf('nvlink_links')} - ${seriesOf('nvlink_active_links')} and ${seriesOf('nvlink_active_links')} > 0`)})`,
    ),
  ],
};

const DEVICES: Section = {
  title: { en: 'Devices', zh: '设备' },
  panels: [
    timeline({
      title: { en: 'State of the devices', zh: '设备状态' },
      description: {
        en: 'Whether each device answers. Gaps mean that gpulse itself did not.',
        zh: '各设备是否应答；空白表示 gpulse 自身没有应答。',
      },
      unit: 'none',
      words: [
        { value: 0, text: { en: 'no answer', zh: '无应答' }, color: 'red' },
        { value: 1, text: { en: 'answers', zh: '正常' }, color: 'green' },
      ],
      queries: [{ expression: byDevice('gpulse_device_up', 'all'), legend: DEVICE_LEGEND }],
      opens: ['gpu'],
    }),
    table({
      title: { en: 'Xids since gpulse was started', zh: 'gpulse 启动以来的 Xid' },
      description: {
        en: 'Errors that the NVIDIA driver reported. What each number means and what to do is in docs/xid.md.',
        zh: 'NVIDIA 驱动上报的错误，各编号的含义与处理办法见 docs/xid.md。',
      },
      unit: 'short',
      width: 12,
      height: 8,
      labels: [
        { label: 'host', name: { en: 'Host', zh: '主机' } },
        { label: 'device', name: { en: 'Device', zh: '设备' } },
        { label: 'gpu', name: same('gpu') },
        { label: 'xid', name: same('Xid') },
      ],
      queries: [
        {
          expression: `max by (host, gpu, device, xid) (${byDevice('gpulse_xid_errors_total', 'all')})`,
          legend: { en: 'Count', zh: '次数' },
        },
        {
          expression: `max by (host, gpu, device, xid) (${byDevice('gpulse_xid_last_timestamp_seconds * 1000', 'all')})`,
          legend: { en: 'Last', zh: '最近一次' },
        },
      ],
      columns: [{ name: { en: 'Last', zh: '最近一次' }, unit: 'dateTimeAsIso' }],
      opens: ['gpu'],
    }),
    chart({
      title: { en: 'Temperature margin', zh: '温度余量' },
      description: {
        en: 'Degrees left before each device slows down, by its own limit.',
        zh: '按各设备自身限值，距离降频还剩的温度。',
      },
      unit: 'celsius',
      steps: MARGIN_STEPS,
      queries: [{ expression: byDevice(TEMPERATURE_MARGIN), legend: DEVICE_LEGEND }],
      opens: ['gpu'],
    }),
    chart({
      title: { en: 'Corrected memory errors', zh: '已纠正的显存错误' },
      description: {
        en: 'Per second. A few are normal; a burst that goes on announces worse ones.',
        zh: '每秒次数。少量属于正常，持续突增往往预示更严重的错误。',
      },
      unit: 'cps',
      min: 0,
      queries: [{ expression: byDevice(rate(seriesOf('ecc_corrected_volatile_total'))), legend: DEVICE_LEGEND }],
      opens: ['gpu'],
    }),
    chart({
      title: { en: 'PCIe replays', zh: 'PCIe 重传' },
      description: {
        en: 'Per second. Steady replays under load: riser, cable or slot.',
        zh: '每秒次数。负载下持续重传，请检查转接卡、线缆和插槽。',
      },
      unit: 'cps',
      min: 0,
      queries: [{ expression: byDevice(rate(seriesOf('pcie_replay_total'))), legend: DEVICE_LEGEND }],
      opens: ['gpu'],
    }),
  ],
};

const GPULSE: Section = {
  title: { en: 'gpulse itself', zh: 'gpulse 自身' },
  panels: [
    chart({
      title: { en: 'Age of the data', zh: '数据时效' },
      description: {
        en: 'Time since the newest tick. It grows while the driver is silent.',
        zh: '距最近一次采样的时间，驱动无响应时持续增长。',
      },
      unit: 's',
      min: 0,
      queries: [{ expression: byHost('gpulse_data_age_seconds'), legend: HOST_LEGEND }],
    }),
    chart({
      title: { en: 'Duration of a tick', zh: '单次采样耗时' },
      description: {
        en: 'Waiting for the driver included. As long as the interval means that ticks are missed.',
        zh: '包含等待驱动的时间；达到采样间隔时会漏采。',
      },
      unit: 's',
      min: 0,
      queries: [
        { expression: byHost('gpulse_tick_duration_seconds'), legend: HOST_LEGEND },
        {
          expression: byHost('gpulse_interval_seconds'),
          legend: { en: '{{host}} interval', zh: '{{host}} 采样间隔' },
          isLimit: true,
        },
      ],
    }),
    chart({
      title: { en: 'Missed ticks and failed readings', zh: '漏采与读取失败' },
      description: {
        en: 'Per second. Readings fail where the driver answers with an error or an impossible value.',
        zh: '每秒次数。驱动返回错误或不可能的值时计为读取失败。',
      },
      unit: 'cps',
      min: 0,
      queries: [
        {
          expression: byHost(rate('gpulse_missed_ticks_total')),
          legend: { en: '{{host}} missed ticks', zh: '{{host}} 漏采' },
        },
        {
          expression: byHost(`sum by (instance) (${rate('gpulse_reading_errors_total')})`),
          legend: { en: '{{host}} failed readings', zh: '{{host}} 读取失败' },
        },
      ],
    }),
    chart({
      title: { en: 'Cost', zh: '资源开销' },
      description: { en: 'Share of one processor.', zh: '占单个 CPU 核心的比例。' },
      unit: 'percentunit',
      min: 0,
      queries: [{ expression: byHost(rate('process_cpu_seconds_total')), legend: HOST_LEGEND }],
    }),
    chart({
      title: { en: 'Batches that wait to be pushed', zh: '待推送批次' },
      description: {
        en: 'Empty where nothing is pushed. A queue that is full gives up its oldest batches.',
        zh: '未配置推送时为空；队列满后最旧的批次会被丢弃。',
      },
      unit: 'short',
      min: 0,
      queries: [
        { expression: byHost('gpulse_sink_queue_batches'), legend: same('{{host}} {{sink}}') },
        {
          expression: byHost('gpulse_sink_queue_capacity_batches'),
          legend: { en: '{{host}} {{sink}} room', zh: '{{host}} {{sink}} 容量' },
          isLimit: true,
        },
      ],
    }),
    chart({
      title: { en: 'Samples lost, and failures of pushing', zh: '丢失样本与推送失败' },
      description: {
        en: 'Per second. Lost samples do not come back.',
        zh: '每秒次数，丢失的样本不会恢复。',
      },
      unit: 'cps',
      min: 0,
      queries: [
        {
          expression: byHost(rate('gpulse_sink_lost_samples_total')),
          legend: { en: '{{host}} {{sink}} lost', zh: '{{host}} {{sink}} 丢失' },
        },
        {
          expression: byHost(rate('gpulse_sink_failures_total')),
          legend: { en: '{{host}} {{sink}} failures', zh: '{{host}} {{sink}} 失败' },
        },
      ],
    }),
    table({
      title: { en: 'What is missing, and why', zh: '缺失的指标与原因' },
      description: {
        en: 'Readings that the devices do not give. Errors and missing rights can be repaired; what is not supported cannot.',
        zh: '设备未提供的读数。错误和权限不足可以修复，设备不支持的则不能。',
      },
      unit: 'none',
      labels: [
        { label: 'host', name: { en: 'Host', zh: '主机' } },
        { label: 'reason', name: { en: 'Reason', zh: '原因' } },
      ],
      queries: [
        {
          expression: `count by (host, reason) (${byHost('gpulse_metric_absent_info')})`,
          legend: { en: 'Series', zh: '序列数' },
        },
      ],
    }),
  ],
};

export const HEALTH: BoardSpec = {
  name: 'health',
  description: {
    en: 'What must be looked at: lost and hot GPUs, memory and link errors, and gpulse itself.',
    zh: '需要处理的问题：掉卡与过热、显存与链路错误，以及 gpulse 自身状况。',
  },
  isSingle: false,
  sections: [TROUBLE, DEVICES, GPULSE],
};
