import type { Text } from './text.ts';

/** What `stat` prints and explains. */
export const STAT_MESSAGES = {
  'stat.about': {
    en: 'one line per GPU; takes the flags of gpustat',
    zh: '每个 GPU 一行；兼容 gpustat 的选项',
  },
  'stat.allotted': { en: '(allotted to {pods})', zh: '（已分配给 {pods}）' },
  'stat.partial': { en: '(some processes missing: {reason})', zh: '（部分进程未列出：{reason}）' },
  'stat.interval': {
    en: 'look again every so many seconds, 1 without a number: in place on a terminal, with --json one line each',
    zh: '每隔若干秒刷新（不带数值为 1 秒）：在终端中原地刷新，与 --json 合用时每次一行',
  },
  'stat.interval-takes': {
    en: 'seconds from 0.1 to 86400, such as 2 or 0.5; to choose GPUs use --id 0,1',
    zh: '0.1 到 86400 之间的秒数，如 2 或 0.5；选择 GPU 请用 --id 0,1',
  },
  'stat.no-gpu-fits': { en: 'no GPU fits the filters', zh: '没有符合条件的 GPU' },
  'stat.user': {
    en: 'only GPUs that these users work on, and their processes',
    zh: '只看这些用户正在使用的 GPU 及其进程',
  },
  'stat.job': { en: 'only GPUs that these Slurm jobs work on', zh: '只看这些 Slurm 作业正在使用的 GPU' },
  'stat.state': {
    en: 'only GPUs in one of these states: ok, lost, asleep, stale, busy, idle, throttled',
    zh: '只看处于这些状态的 GPU：ok、lost、asleep、stale、busy、idle、throttled',
  },
  'stat.json': {
    en: 'print JSON: the keys of gpustat, and those of /api/v1/gpus in base units',
    zh: '输出 JSON：包含 gpustat 的字段，以及 /api/v1/gpus 的字段（基本单位）',
  },
  'stat.server': {
    en: 'ask this gpulse instead of the driver (a "serve" of this machine is asked without it)',
    zh: '向该 gpulse 查询，不读取驱动（本机正在运行的 serve 无需指定）',
  },
  'stat.no-server': { en: 'read the driver, whether or not "serve" runs', zh: '直接读取驱动，不询问 serve' },
  'stat.exit-code': {
    en: 'exit with this code, 5 without one, where a GPU gives no data, is slowed by heat or a fault, or has worn-out memory; with -i where one ever was in such a state',
    zh: '有 GPU 没有数据、因过热或故障降频、或显存行重映射失败时，以该代码退出（不带数值为 5）；与 -i 合用时，运行期间出现过即算',
  },
  'stat.layout': {
    en: "text layout: gpulse, or gpustat, which any of gpustat's own flags below choose too",
    zh: '文本布局：gpulse 或 gpustat；使用以下任一 gpustat 选项时也采用 gpustat 布局',
  },
  'stat.show-cmd': { en: 'gpustat: show the program of each process', zh: 'gpustat：显示进程的程序名' },
  'stat.show-user': { en: 'gpustat: show the user of each process', zh: 'gpustat：显示进程的用户' },
  'stat.show-pid': { en: 'gpustat: show the pid of each process', zh: 'gpustat：显示进程号' },
  'stat.show-full-cmd': {
    en: 'gpustat: show command line, CPU and memory of each process, a line each',
    zh: 'gpustat：逐行显示进程的完整命令行、CPU 与内存',
  },
  'stat.show-fan': {
    en: 'gpustat: show the fan speed; also --show-fan-speed',
    zh: 'gpustat：显示风扇转速；也可写作 --show-fan-speed',
  },
  'stat.show-codec': { en: 'gpustat: show encoder and decoder: enc,dec', zh: 'gpustat：显示编码器与解码器：enc,dec' },
  'stat.show-power': { en: 'gpustat: show power: draw,limit', zh: 'gpustat：显示功耗：draw,limit' },
  'stat.show-all': { en: 'gpustat: all of that', zh: 'gpustat：显示以上全部' },
  'stat.color': {
    en: 'gpustat: colours also in a pipe; also --force-color',
    zh: 'gpustat：管道中也使用颜色；也可写作 --force-color',
  },
  'stat.no-color': { en: 'gpustat: no colours', zh: 'gpustat：不使用颜色' },
  'stat.no-header': {
    en: 'gpustat: without the line of host, time and driver',
    zh: 'gpustat：不显示主机、时间与驱动行',
  },
  'stat.no-processes': { en: 'gpustat: without processes', zh: 'gpustat：不显示进程' },
  'stat.gpuname-width': { en: 'gpustat: places for the name, 0 for none', zh: 'gpustat：名称宽度，0 表示不显示' },
  'stat.debug': { en: 'say where the values come from and how long it took', zh: '说明数据来自哪里、用时多久' },
  'stat.debug-line': { en: 'read from {source} in {ms} ms', zh: '数据来自 {source}，用时 {ms} 毫秒' },
  'stat.unhealthy': { en: 'not healthy: {names}', zh: '状态不正常：{names}' },
  'stat.unhealthy-word': { en: 'slowed or worn', zh: '降频或显存损坏' },
} as const satisfies Record<string, Text>;
