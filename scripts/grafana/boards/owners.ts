import { bars, chart, type Section, same, stat, table } from '../panels.ts';
import { byDevice, seriesOf } from '../queries.ts';
import type { BoardSpec } from '../render-board.ts';
import { DEVICE_LABELS } from './columns.ts';

/** Labels that say whom a process works for. */
const OWNER = 'namespace, pod, container, hpc_job, user';
const OWNER_NAMES = [
  { label: 'user', name: { en: 'User', zh: '用户' } },
  { label: 'hpc_job', name: { en: 'Slurm job', zh: 'Slurm 作业' } },
  { label: 'namespace', name: { en: 'Namespace', zh: '命名空间' } },
  { label: 'pod', name: same('Pod') },
  { label: 'container', name: { en: 'Container', zh: '容器' } },
] as const;
/** Parts that an owner does not have are empty and leave no trace. */
const OWNER_LEGEND = same('{{host}} {{device}} {{user}} {{hpc_job}} {{namespace}} {{pod}} {{container}}');

const perOwner = (series: string): string => byDevice(series, 'all');
const rows = (series: string): string => `max by (host, gpu, device, ${OWNER}) (${perOwner(series)})`;

const MEMORY = 'gpulse_owner_memory_used_bytes';
const SM = 'gpulse_owner_sm_ratio';

/** What every owner has: the figures alone say nothing of those whose processes the driver hides. */
const USERS = `count by (user) (max by (user, instance, uuid) (gpulse_owner_info{user!=""} * on (instance, uuid) group_left () max by (instance, uuid) (gpulse_device_info{host=~"$host",gpu=~"$gpu"})))`;

const NOW: Section = {
  title: { en: 'Who uses what', zh: '使用情况' },
  panels: [
    stat({
      title: { en: 'GPUs in use', zh: '使用中的 GPU' },
      description: {
        en: 'Cards and MIG instances with at least one process.',
        zh: '至少有一个进程的显卡和 MIG 实例数。',
      },
      unit: 'none',
      width: 6,
      queries: [{ expression: `count((${byDevice('gpulse_processes', 'all')}) > 0) or vector(0)`, legend: same('') }],
    }),
    stat({
      title: { en: 'GPUs free', zh: '空闲 GPU' },
      description: {
        en: 'Without a process. A card in MIG mode counts by its instances.',
        zh: '没有进程的 GPU；MIG 模式的显卡按实例计。',
      },
      unit: 'none',
      width: 6,
      queries: [
        {
          expression: `count((${byDevice('gpulse_processes unless on (instance, uuid) gpulse_mig_mode == 1', 'all')}) == 0) or vector(0)`,
          legend: same(''),
        },
      ],
    }),
    stat({
      title: { en: 'Processes', zh: '进程数' },
      description: { en: 'On all GPUs that are chosen.', zh: '所选全部 GPU 上的进程总数。' },
      unit: 'none',
      width: 6,
      queries: [{ expression: `sum(${byDevice('gpulse_processes', 'all')})`, legend: same('') }],
    }),
    stat({
      title: { en: 'Memory held', zh: '占用显存' },
      description: { en: 'By all processes together.', zh: '全部进程占用显存之和。' },
      unit: 'bytes',
      width: 6,
      queries: [{ expression: `sum(${perOwner(MEMORY)})`, legend: same('') }],
    }),
    table({
      title: { en: 'Owners', zh: '归属' },
      description: {
        en: 'One row per owner and device. A figure is missing where the driver does not tell it per process. Whoever has no name is a process that gpulse may not look up: see its documentation on owners.',
        zh: '每个归属在每台设备上一行。驱动未按进程提供的数据为空；没有名称的行表示 gpulse 无权查询该进程，请参阅归属文档。',
      },
      unit: 'short',
      labels: [...DEVICE_LABELS, ...OWNER_NAMES],
      queries: [
        { expression: rows('gpulse_owner_processes'), legend: { en: 'Processes', zh: '进程数' } },
        { expression: rows(MEMORY), legend: { en: 'Memory', zh: '显存' } },
        { expression: rows(SM), legend: { en: 'SM share', zh: 'SM 占比' } },
      ],
      columns: [
        { name: { en: 'Memory', zh: '显存' }, unit: 'bytes' },
        { name: { en: 'SM share', zh: 'SM 占比' }, unit: 'percentunit' },
      ],
      opens: ['gpu'],
    }),
  ],
};

const TIME: Section = {
  title: { en: 'Over time', zh: '变化' },
  panels: [
    chart({
      title: { en: 'Memory by owner', zh: '各归属显存占用' },
      description: { en: 'Device memory held by the processes of each owner.', zh: '各归属的进程占用的显存。' },
      unit: 'bytes',
      min: 0,
      isStacked: true,
      queries: [{ expression: perOwner(MEMORY), legend: OWNER_LEGEND }],
      opens: ['gpu'],
    }),
    chart({
      title: { en: 'Multiprocessors by owner', zh: '各归属 SM 占用' },
      description: {
        en: 'Share of the multiprocessors used by the processes of each owner, where the driver tells it.',
        zh: '各归属的进程使用 SM 的比例（驱动提供时）。',
      },
      unit: 'percentunit',
      min: 0,
      queries: [{ expression: perOwner(SM), legend: OWNER_LEGEND }],
      opens: ['gpu'],
    }),
    bars({
      title: { en: 'GPUs by user', zh: '各用户 GPU 数' },
      description: {
        en: 'Cards and MIG instances on which a user has processes.',
        zh: '用户有进程运行的显卡和 MIG 实例数。',
      },
      unit: 'none',
      min: 0,
      queries: [{ expression: USERS, legend: same('{{user}}') }],
    }),
    bars({
      title: { en: 'Held, but idle', zh: '占用但空闲' },
      description: {
        en: 'Memory held on GPUs that were used less than 5% of the last 15 minutes, by owner. Talk to them before you end anything.',
        zh: '最近 15 分钟利用率低于 5% 的 GPU 上，各归属占用的显存。终止进程前请先与其沟通。',
      },
      unit: 'bytes',
      min: 0,
      queries: [
        {
          expression: `topk(20, ${byDevice(`${MEMORY} and on (instance, uuid) avg_over_time(${seriesOf('utilization_ratio')}[15m]) < 0.05`, 'all')})`,
          legend: OWNER_LEGEND,
        },
      ],
      opens: ['gpu'],
    }),
  ],
};

export const OWNERS: BoardSpec = {
  name: 'owners',
  description: {
    en: 'Whose processes are on which GPU: users, containers, pods and Slurm jobs.',
    zh: '各 GPU 上的进程属于谁：用户、容器、Pod 与 Slurm 作业。',
  },
  isSingle: false,
  sections: [NOW, TIME],
};
