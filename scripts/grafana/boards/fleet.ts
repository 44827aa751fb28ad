import { bars, chart, DEVICE_LEGEND, type Section, same, stat, table } from '../panels.ts';
import { byDevice, byHost, deviceInfo, MEMORY_SHARE, seriesOf, TEMPERATURE_MARGIN } from '../queries.ts';
import type { BoardSpec } from '../render-board.ts';
import { MARGIN_STEPS, NONE_STEPS } from './columns.ts';

const HOST_LEGEND = same('{{host}}');
const UTILISATION = byDevice(seriesOf('utilization_ratio'));
const POWER = byDevice(seriesOf('power_watts'));
const USED = byDevice(seriesOf('memory_used_bytes'));
const TOTAL = byDevice(seriesOf('memory_total_bytes'));
const BAD = byDevice('gpulse_device_state{state=~"lost|stale"}', 'cards');

const NOW: Section = {
  title: { en: 'Now', zh: '当前' },
  panels: [
    stat({
      title: { en: 'Hosts', zh: '主机' },
      description: {
        en: 'Hosts whose gpulse answers. A host that is missing here is down, or gpulse on it is: see the board on health.',
        zh: 'gpulse 正常应答的主机数。主机不在其中，说明主机或其上的 gpulse 已停止，请查看健康状况仪表盘。',
      },
      unit: 'none',
      queries: [{ expression: 'count(max by (host) (gpulse_source_info{host=~"$host"}))', legend: same('') }],
    }),
    stat({
      title: { en: 'GPUs', zh: 'GPU' },
      description: {
        en: 'Cards that are listed, lost ones included. MIG instances are parts of a card and are not counted.',
        zh: '列出的显卡数，包括已掉卡的；MIG 实例属于显卡的一部分，不单独计数。',
      },
      unit: 'none',
      queries: [{ expression: `count(${deviceInfo()})`, legend: same('') }],
    }),
    stat({
      title: { en: 'Lost or silent', zh: '掉卡或无响应' },
      description: {
        en: 'GPUs that fell off the bus or give no new data. Anything but 0 needs a look at the kernel log of the host.',
        zh: '已掉卡或不再提供新数据的 GPU 数。不为 0 时，请查看该主机的内核日志。',
      },
      unit: 'none',
      steps: NONE_STEPS,
      queries: [{ expression: `sum(${BAD})`, legend: same('') }],
    }),
    stat({
      title: { en: 'Utilisation', zh: '利用率' },
      description: {
        en: 'Mean over the GPUs that tell it. A card in MIG mode has none of its own.',
        zh: '有该读数的 GPU 的平均值；处于 MIG 模式的显卡没有整卡利用率。',
      },
      unit: 'percentunit',
      queries: [{ expression: `avg(${UTILISATION})`, legend: same('') }],
    }),
    stat({
      title: { en: 'Memory used', zh: '已用显存' },
      description: { en: 'Share of the memory of all cards.', zh: '占全部显卡显存的比例。' },
      unit: 'percentunit',
      queries: [{ expression: `sum(${USED}) / sum(${TOTAL})`, legend: same('') }],
    }),
    stat({
      title: { en: 'Power', zh: '功耗' },
      description: { en: 'Sum over all GPUs; the hosts come on top.', zh: '全部 GPU 功耗之和，不含主机其他部件。' },
      unit: 'watt',
      queries: [{ expression: `sum(${POWER})`, legend: same('') }],
    }),
  ],
};

const HOSTS: Section = {
  title: { en: 'Hosts', zh: '各主机' },
  panels: [
    table({
      title: { en: 'Hosts', zh: '主机' },
      description: {
        en: 'One row per host; click it for the node. Low utilisation with much memory held is waste.',
        zh: '每台主机一行，点击可进入节点仪表盘。显存占用高而利用率低意味着浪费。',
      },
      unit: 'short',
      labels: [{ label: 'host', name: { en: 'Host', zh: '主机' } }],
      queries: [
        { expression: `count by (host) (${deviceInfo()})`, legend: same('GPU') },
        { expression: `avg by (host) (${UTILISATION})`, legend: { en: 'Utilisation', zh: '利用率' } },
        {
          expression: `sum by (host) (${USED}) / sum by (host) (${TOTAL})`,
          legend: { en: 'Memory used', zh: '已用显存' },
        },
        { expression: `sum by (host) (${POWER})`, legend: { en: 'Power', zh: '功耗' } },
        {
          expression: `max by (host) (${byDevice(seriesOf('temperature_celsius'))})`,
          legend: { en: 'Hottest', zh: '最高温度' },
        },
        {
          expression: `min by (host) (${byDevice(TEMPERATURE_MARGIN)})`,
          legend: { en: 'Least margin', zh: '最小温度余量' },
        },
        { expression: `sum by (host) (${BAD})`, legend: { en: 'Lost or silent', zh: '掉卡或无响应' } },
      ],
      columns: [
        { name: { en: 'Utilisation', zh: '利用率' }, unit: 'percentunit' },
        { name: { en: 'Memory used', zh: '已用显存' }, unit: 'percentunit' },
        { name: { en: 'Power', zh: '功耗' }, unit: 'watt' },
        { name: { en: 'Hottest', zh: '最高温度' }, unit: 'celsius' },
        {
          name: { en: 'Least margin', zh: '最小温度余量' },
          unit: 'celsius',
          steps: MARGIN_STEPS,
        },
        {
          name: { en: 'Lost or silent', zh: '掉卡或无响应' },
          steps: NONE_STEPS,
        },
      ],
      opens: ['node'],
    }),
  ],
};

const TIME: Section = {
  title: { en: 'Over time', zh: '变化' },
  panels: [
    chart({
      title: { en: 'Utilisation by host', zh: '各主机利用率' },
      description: { en: 'Mean over the GPUs of each host.', zh: '每台主机上 GPU 的平均值。' },
      unit: 'percentunit',
      min: 0,
      max: 1,
      queries: [{ expression: `avg by (host) (${UTILISATION})`, legend: HOST_LEGEND }],
      opens: ['node'],
    }),
    chart({
      title: { en: 'Memory used by host', zh: '各主机显存占用' },
      description: { en: 'Over the cards of each host.', zh: '每台主机上全部显卡合计。' },
      unit: 'percentunit',
      min: 0,
      max: 1,
      queries: [{ expression: `sum by (host) (${USED}) / sum by (host) (${TOTAL})`, legend: HOST_LEGEND }],
      opens: ['node'],
    }),
    chart({
      title: { en: 'Power by host', zh: '各主机功耗' },
      description: { en: 'Sum over the GPUs of each host.', zh: '每台主机上 GPU 功耗之和。' },
      unit: 'watt',
      min: 0,
      isStacked: true,
      queries: [{ expression: `sum by (host) (${POWER})`, legend: HOST_LEGEND }],
      opens: ['node'],
    }),
    chart({
      title: { en: 'Processor of the hosts', zh: '主机 CPU' },
      description: {
        en: 'A host whose processors are all busy often leaves its GPUs without work.',
        zh: 'CPU 占满的主机往往无法及时为 GPU 供给数据。',
      },
      unit: 'percentunit',
      min: 0,
      max: 1,
      queries: [{ expression: byHost(seriesOf('host_cpu_ratio')), legend: HOST_LEGEND }],
      opens: ['node'],
    }),
  ],
};

const EXTREMES: Section = {
  title: { en: 'Who stands out', zh: '突出的 GPU' },
  panels: [
    bars({
      title: { en: 'Least temperature margin', zh: '温度余量最小' },
      description: {
        en: 'Degrees left before the device slows down, by its own limit. At 0 it lowers its clocks: look at fans, dust and air.',
        zh: '按设备自身限值，距离降频还剩的温度。到 0 即开始降频，请检查风扇、积灰和风道。',
      },
      unit: 'celsius',
      min: 0,
      steps: MARGIN_STEPS,
      queries: [{ expression: `bottomk(10, ${byDevice(TEMPERATURE_MARGIN)})`, legend: DEVICE_LEGEND }],
      opens: ['gpu'],
    }),
    bars({
      title: { en: 'Memory held without work', zh: '占用显存但空闲' },
      description: {
        en: 'Share of memory held on GPUs that were used less than 5% of the last 15 minutes. Ask their owners whether they still need them.',
        zh: '最近 15 分钟利用率低于 5% 的 GPU 上被占用的显存比例。请向使用者确认是否仍然需要。',
      },
      unit: 'percentunit',
      min: 0,
      max: 1,
      steps: [
        { from: null, color: 'text' },
        { from: 0.1, color: 'yellow' },
        { from: 0.5, color: 'orange' },
      ],
      queries: [
        {
          expression: `topk(10, ${byDevice(`(${MEMORY_SHARE}) and on (instance, uuid) avg_over_time(${seriesOf('utilization_ratio')}[15m]) < 0.05`)})`,
          legend: DEVICE_LEGEND,
        },
      ],
      opens: ['gpu'],
    }),
  ],
};

export const FLEET: BoardSpec = {
  name: 'fleet',
  description: {
    en: 'All hosts at a glance: how many GPUs there are, how they are used, and which need a look.',
    zh: '集群总览：GPU 数量、使用情况，以及需要关注的设备。',
  },
  isSingle: false,
  sections: [NOW, HOSTS, TIME, EXTREMES],
};
