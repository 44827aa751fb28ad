import type { Text } from './text.ts';

/** What a finding is based on: one observation each. */
export const EVIDENCE_MESSAGES = {
  'evidence.nothing-found': { en: 'nothing of it in the data', zh: '数据中没有迹象' },
  'evidence.missing': { en: 'the data does not have what is needed', zh: '数据中缺少所需内容' },
  'evidence.too-short': {
    en: 'the recording is too short: {seconds} s of work',
    zh: '记录太短：工作时间仅 {seconds} 秒',
  },
  'evidence.single-sample': { en: 'a single moment shows no course', zh: '单一时刻无法反映变化' },
  'evidence.few-samples': { en: 'too few samples', zh: '样本太少' },
  'evidence.one-gpu': { en: 'there is one GPU only', zh: '只有一个 GPU' },
  'evidence.too-short-for-leak': {
    en: 'a slow rise takes longer to see than this recording lasts',
    zh: '记录时长不足以看出缓慢增长',
  },
  'evidence.no-process-list': { en: 'the data lists no processes', zh: '数据中没有进程列表' },
  'evidence.processes-hidden': {
    en: '{gpus} worked while no process of theirs was listed: the list does not show them all, as in a container',
    zh: '{gpus} 在工作，但列表中没有其进程：列表不完整，例如在容器内',
  },
  'evidence.cpu-unknown-here': {
    en: 'the data does not show what the processes use of the CPU',
    zh: '数据中没有进程的 CPU 用量',
  },
  'evidence.two-gpus': { en: 'of two GPUs it cannot be told which is the odd one', zh: '仅有两块卡时无法判断哪块异常' },
  'evidence.too-short-for-idle': {
    en: 'a GPU counts as held after a quarter of an hour',
    zh: '占用满一刻钟才算占卡空闲',
  },
  'evidence.not-busy': {
    en: 'fewer than three GPUs of a job are busy all the time',
    zh: '同一任务中持续忙碌的卡不足三块',
  },
  'evidence.no-readings': { en: 'the log has no readings of a GPU', zh: '日志中没有 GPU 读数' },
  'evidence.step-waits': {
    en: '{share} of the time of {count} steps is spent waiting for data, up to {slowest} at once',
    zh: '{count} 步中有 {share} 的时间在等数据，单次最长 {slowest}',
  },
  'evidence.program-memory': {
    en: 'the program prints its memory {count} times: from {low} to {high}, higher than before {share} of the time',
    zh: '程序共打印 {count} 次显存：由 {low} 升至 {high}，其中 {share} 高于前一次',
  },
  'evidence.per-print': { en: '{bytes} more from one print to the next', zh: '每次打印增加约 {bytes}' },
  'evidence.oom': {
    en: 'out of memory {count} times: {tried} wanted, {free} of {total} free',
    zh: '显存不足 {count} 次：申请 {tried}，{total} 中空闲 {free}',
  },
  'evidence.oom-unused': {
    en: 'the allocator holds {reserved}, of which {allocated} is in use',
    zh: '分配器保留 {reserved}，实际使用 {allocated}',
  },
  'evidence.oom-others': { en: '{bytes} belong to other processes', zh: '其他进程占用 {bytes}' },
  'evidence.no-program-log': { en: 'only the log of the program tells', zh: '只有程序自己的日志才能判断' },
  'evidence.mig': { en: 'the driver does not report it while MIG is on', zh: 'MIG 模式下驱动不上报' },
  'evidence.no-work': { en: 'no GPU works for long enough', zh: '没有 GPU 持续工作足够长的时间' },
  'evidence.serves': { en: 'it waits for requests: idle time is no fault', zh: '属于在线服务，空闲属于正常' },
  'evidence.follows': { en: 'explained by another cause: {rule}', zh: '可由另一原因解释：{rule}' },

  'evidence.lost': { en: '{gpu}: the driver reports it as lost from {time} on', zh: '{gpu}：自 {time} 起驱动报告掉卡' },
  'evidence.lost-xid': { en: 'Xid {xid} at {time}', zh: '{time} 出现 Xid {xid}' },
  'evidence.lost-last': { en: 'last readings: {readings}', zh: '最后读数：{readings}' },
  'evidence.lost-stream': {
    en: '{gpu}: its samples end at {time} while those of the others go on for {span}',
    zh: '{gpu}：样本在 {time} 中断，其他卡仍持续了 {span}',
  },
  'evidence.lost-mute': {
    en: '{gpu}: from {time} on the driver answers with errors only',
    zh: '{gpu}：自 {time} 起驱动只返回错误',
  },
  'evidence.back': { en: 'it came back after {span}', zh: '{span}后恢复' },

  'evidence.xid': {
    en: '{gpu}: Xid {xid}, {meaning}; {impact}, {times} since {time}',
    zh: '{gpu}：Xid {xid}，{meaning}；{impact}，自 {time} 起 {times}',
  },
  'evidence.xid-companion': { en: 'with it Xid {xid}, {meaning}', zh: '伴随 Xid {xid}，{meaning}' },
  'evidence.xid-unseen': {
    en: 'this log cannot contain Xids: they stand in the kernel log',
    zh: '该日志不含 Xid，需查看内核日志',
  },

  'evidence.ecc-uncorrected': {
    en: '{gpu}: {count} new uncorrected memory errors',
    zh: '{gpu}：新增 {count} 个无法纠正的显存错误',
  },
  'evidence.ecc-corrected': {
    en: '{gpu}: {count} new corrected memory errors in {span}, {rate} an hour',
    zh: '{gpu}：{span}内新增 {count} 个已纠正的显存错误，每小时 {rate} 个',
  },
  'evidence.ecc-before': {
    en: '{gpu}: {count} uncorrected memory errors since the driver was loaded, before this recording',
    zh: '{gpu}：驱动加载后、本记录之前已有 {count} 个无法纠正的显存错误',
  },
  'evidence.remap-pending': {
    en: '{gpu}: a row remapping waits for the next reset',
    zh: '{gpu}：有行重映射待下次复位后生效',
  },
  'evidence.remap-failed': { en: '{gpu}: a row remapping has failed', zh: '{gpu}：行重映射失败' },
  'evidence.rows-remapped': {
    en: '{gpu}: {count} more rows remapped after uncorrected errors',
    zh: '{gpu}：因无法纠正的错误新增 {count} 行重映射',
  },
  'evidence.pages-retired': {
    en: '{gpu}: {count} more memory pages retired',
    zh: '{gpu}：新增 {count} 个停用的显存页',
  },
  'evidence.retirement-pending': {
    en: '{gpu}: a page retirement waits for the next restart',
    zh: '{gpu}：有显存页待重启后停用',
  },

  'evidence.power-brake': {
    en: '{gpu}: the reason "power brake" was set for {span}',
    zh: '{gpu}：“外部供电制动”持续 {span}',
  },
  'evidence.brake-counter': {
    en: '{gpu}: the driver counted {span} of power brake',
    zh: '{gpu}：驱动累计供电制动 {span}',
  },
  'evidence.thermal-bits': {
    en: '{gpu}: a thermal reason held the clock down for {span} ({share} of its work)',
    zh: '{gpu}：因过热限频 {span}（占工作时间 {share}）',
  },
  'evidence.thermal-counter': {
    en: '{gpu}: the driver counted {span} of thermal slowdown',
    zh: '{gpu}：驱动累计过热降频 {span}',
  },
  'evidence.thermal-at-most': {
    en: '{gpu}: held back by heat for up to {span}, as far as the log counts it',
    zh: '{gpu}：按日志计，因过热限频至多 {span}',
  },
  'evidence.clock-drop': {
    en: 'clock {low} instead of {high}, {share} slower',
    zh: '频率 {low}，正常为 {high}，慢 {share}',
  },
  'evidence.temperature': { en: 'temperature up to {highest}', zh: '温度最高 {highest}' },
  'evidence.temperature-limit': {
    en: '{gpu}: {temperature} at a limit of {limit}',
    zh: '{gpu}：温度 {temperature}，上限 {limit}',
  },
  'evidence.limit-unusual': {
    en: 'its limit of {limit} is far below {slowdown}, where the hardware steps in: it was lowered by the firmware or a setting',
    zh: '其上限 {limit} 远低于硬件降频温度 {slowdown}：被固件或设置调低了',
  },
  'evidence.temperature-high': {
    en: '{gpu}: above {limit} for {span}, up to {highest}; its own limit is not known',
    zh: '{gpu}：高于 {limit} 持续 {span}，最高 {highest}；不清楚该卡自身的上限',
  },
  'evidence.clock-follows-heat': {
    en: 'the clock falls as the temperature rises: correlation {value}',
    zh: '频率随温度升高而下降：相关系数 {value}',
  },
  'evidence.hotter': {
    en: '{gpu}: {own} at work, the others {others} at similar power',
    zh: '{gpu}：工作时 {own}，其他卡 {others}，功耗相近',
  },
  'evidence.limit-low': {
    en: '{gpu}: power limit {limit}, by default {normal}',
    zh: '{gpu}：功耗上限 {limit}，默认为 {normal}',
  },
  'evidence.capped-early': {
    en: '{gpu}: held back by the power cap for {span} at {power} of {limit}',
    zh: '{gpu}：功耗仅 {power}（上限 {limit}）就被限频，持续 {span}',
  },
  'evidence.limit-unknown': {
    en: 'runs at its power limit: normal for heavy load, unless the limit was lowered, which only the default limit tells',
    zh: '已达到功耗上限：若上限未被调低则属正常，需默认上限才能判断',
  },
  'evidence.at-limit': {
    en: 'runs at its power limit for {share} of its work: normal for heavy load',
    zh: '{share} 的工作时间达到功耗上限，属于重负载下的正常现象',
  },
  'evidence.stuck-clock': {
    en: '{gpu}: busy at {clock} of {most}, with no reason given',
    zh: '{gpu}：忙碌时频率仅 {clock}（最高 {most}），且没有给出原因',
  },
  'evidence.pcie-link': {
    en: '{gpu}: busy at PCIe generation {gen} ×{width} of {genMax} ×{widthMax} for {span}',
    zh: '{gpu}：忙碌时 PCIe 为 {gen} 代 ×{width}，最高 {genMax} 代 ×{widthMax}，持续 {span}',
  },
  'evidence.pcie-replay': {
    en: '{gpu}: up to {rate} PCIe replays a minute',
    zh: '{gpu}：PCIe 重传每分钟最多 {rate} 次',
  },
  'evidence.pcie-full': { en: 'the link carries {share} of what it can', zh: '链路流量达到其能力的 {share}' },
  'evidence.nvlink-down': {
    en: '{gpu}: {active} of {total} NVLinks active',
    zh: '{gpu}：{total} 条 NVLink 中 {active} 条激活',
  },
  'evidence.nvlink-errors': {
    en: '{gpu}: {count} NVLink errors ({kind})',
    zh: '{gpu}：{count} 个 NVLink 错误（{kind}）',
  },

  'evidence.hang': {
    en: '{count} GPUs at {util} busy and {power} of their power for {span}',
    zh: '{count} 个 GPU 利用率 {util}、功耗仅为 {power}，持续 {span}',
  },
  'evidence.ranks-wait': {
    en: '{count} other GPUs of its job waited for it in a collective operation for {span}',
    zh: '同一任务的另外 {count} 个 GPU 在集合通信中等待它 {span}',
  },
  'evidence.hang-before': { en: 'before it they drew {power}', zh: '此前功耗为 {power}' },
  'evidence.hang-unworked': {
    en: 'they were not seen at work before: small kernels, or clocks that are held down, would look the same',
    zh: '此前没有看到它们正常工作：小算子或频率被压低也会呈现同样的形态',
  },
  'evidence.hang-traffic': { en: 'their memory is not used: {share} busy', zh: '显存几乎没有读写：占用率 {share}' },
  'evidence.hang-odd': {
    en: '{gpu} behaves differently: look at its process first',
    zh: '{gpu} 表现不同，请先检查其进程',
  },

  'evidence.leak': {
    en: '{gpu}: the lowest memory use rises from {low} to {high} in {span} without levelling off',
    zh: '{gpu}：显存低位在 {span}内由 {low} 升至 {high}，没有趋平',
  },
  'evidence.leak-steps': {
    en: '{share} of the {count} stretches are higher than the one before, none clearly lower',
    zh: '{count} 段中有 {share} 高于前一段，没有明显回落',
  },
  'evidence.leak-eta': { en: 'full in about {span} at this pace', zh: '按此速度约 {span}后占满' },
  'evidence.leak-full': {
    en: 'it reached {share} and fell: the process ended {count} times',
    zh: '升至 {share} 后回落，进程结束 {count} 次',
  },
  'evidence.memory-full': {
    en: '{gpu}: memory at {share} or more for {span}, up to {highest}',
    zh: '{gpu}：显存达到 {share} 以上持续 {span}，最高 {highest}',
  },
  'evidence.memory-flat-at-work': {
    en: '{gpu}: memory is {share} full but does not move during the work: taken in advance looks the same',
    zh: '{gpu}：显存占用 {share}，但工作期间没有变化：预先分配也是如此',
  },
  'evidence.memory-flat': {
    en: '{gpu}: memory is full but level from the start: taken in advance',
    zh: '{gpu}：显存虽满，但从一开始就持平，属于预先分配',
  },
  'evidence.foreign': {
    en: '{gpu}: process {pid} ({user}) ran beside process {own} ({ownUser}) for {span}',
    zh: '{gpu}：进程 {pid}（{user}）与进程 {own}（{ownUser}）同时运行 {span}',
  },
  'evidence.foreign-memory': { en: 'together they left {share} of the memory free', zh: '两者合计仅剩 {share} 显存' },
  'evidence.foreign-power': {
    en: 'while it ran, the GPU was {after} busy, before {before}',
    zh: '其运行期间利用率 {after}，此前 {before}',
  },
  'evidence.ghost': {
    en: '{gpu}: {bytes} in use for {span} and no process that computes',
    zh: '{gpu}：{bytes} 显存被占用 {span}，但没有计算进程',
  },
  'evidence.nameless': {
    en: '{gpu}: process {pid} holds {bytes} and cannot be named: it has ended, or runs in another container',
    zh: '{gpu}：进程 {pid} 占用 {bytes} 但查不到名称：可能已结束，或在其他容器中',
  },
  'evidence.cpu-only': {
    en: '{gpu}: process {pid} fills a CPU core in {share} of the samples while the GPU is {util} busy',
    zh: '{gpu}：进程 {pid} 在 {share} 的样本中占满一个 CPU 核，而 GPU 利用率为 {util}',
  },
  'evidence.program-denies': {
    en: 'the program itself hardly waits for data: the pauses have another cause',
    zh: '程序自身几乎不等待数据，停顿另有原因',
  },
} as const satisfies Record<string, Text>;
