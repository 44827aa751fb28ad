import type { Text } from './text.ts';

/** Observations behind findings on performance. */
export const PERFORMANCE_EVIDENCE_MESSAGES = {
  'evidence.uneven': {
    en: '{gpu} does {share} of the work: {levels} busy',
    zh: '{gpu} 承担了 {share} 的工作：利用率 {levels}',
  },
  'evidence.uneven-coefficient': {
    en: 'imbalance {value} (0 is even), median over minutes',
    zh: '不均衡度 {value}（0 为均衡），按分钟取中位数',
  },
  'evidence.job-together': {
    en: 'the log lists no processes, but they took or gave back their memory within {span} of each other, as one job does',
    zh: '日志没有列出进程，但各卡在 {span}内同时占用或释放显存，属于同一任务',
  },
  'evidence.job-alike': {
    en: 'the log lists no processes, but all of them hold the same share of their memory, {share}, as the ranks of one job do',
    zh: '日志没有列出进程，但各卡显存占用相同，均为 {share}，像是同一任务的各个进程',
  },
  'evidence.job-assumed': {
    en: 'the log lists no processes: that these GPUs work on one job is assumed',
    zh: '日志没有列出进程，假定这些 GPU 属于同一任务',
  },
  'evidence.memory-uneven': {
    en: '{gpu} holds {own} of its memory, the others {others}',
    zh: '{gpu} 显存占用 {own}，其他卡 {others}',
  },
  'evidence.extra-contexts': {
    en: '{count} processes compute on it, the other GPUs have {others}',
    zh: '该卡上有 {count} 个计算进程，其他卡为 {others} 个',
  },
  'evidence.slow-clock': { en: '{gpu} runs at {own}, the others at {others}', zh: '{gpu} 频率 {own}，其他卡 {others}' },
  'evidence.works-alone': {
    en: '{gpu} draws {own} while the others, as busy, draw {others}: they wait for it',
    zh: '{gpu} 功耗 {own}，同样忙碌的其他卡只有 {others}：它们在等它',
  },
  'evidence.slow-link': {
    en: '{gpu} has PCIe generation {own}, the others {others}',
    zh: '{gpu} 为 PCIe {own} 代，其他卡 {others} 代',
  },
  'evidence.warmer': { en: 'it is {own} warm, the others {others}', zh: '温度 {own}，其他卡 {others}' },

  'evidence.sawtooth': {
    en: '{gpus}: idle {share} of the time in a beat of {period}',
    zh: '{gpus}：{share} 的时间空闲，周期约 {period}',
  },
  'evidence.idle-in-turns': {
    en: '{gpus}: idle {share} of the time, {rate} times a minute',
    zh: '{gpus}：{share} 的时间空闲，每分钟 {rate} 次',
  },
  'evidence.steady-middle': {
    en: '{gpus}: steady at {mean} busy, 95% of the time below {high}',
    zh: '{gpus}：利用率稳定在 {mean}，95% 的时间低于 {high}',
  },
  'evidence.gain': { en: 'without the waiting up to {gain} times as fast', zh: '消除等待后最多可提速至 {gain} 倍' },
  'evidence.power-follows': {
    en: 'power goes up and down with it: {low} to {high}',
    zh: '功耗随之起伏：{low} 至 {high}',
  },
  'evidence.only-input-sent': {
    en: 'requests do not come in such a beat, its memory stays, nothing runs in the pauses, and only {rate} goes back to the host: no optimiser on the CPU, no checkpoint',
    zh: '节奏规律，不像请求驱动；显存不释放，停顿时没有计算，传回主机仅 {rate}，不是 CPU 优化器，也不是保存检查点',
  },
  'evidence.only-input-room': {
    en: 'requests do not come in such a beat, its memory stays, nothing runs in the pauses, and with {share} of the memory in use an optimiser is hardly on the CPU',
    zh: '节奏规律，不像请求驱动；显存不释放，停顿时没有计算，显存只用了 {share}，优化器不大可能放在 CPU 上',
  },
  'evidence.loader-full': {
    en: 'process {pid} fills a CPU core in {share} of the samples',
    zh: '进程 {pid} 在 {share} 的样本中占满一个 CPU 核',
  },
  'evidence.cpu-full': { en: 'while the GPU waits, the CPUs are {share} busy', zh: 'GPU 等待时 CPU 利用率为 {share}' },
  'evidence.cpu-opposite': {
    en: 'the CPUs work while the GPU waits: correlation {value}',
    zh: 'GPU 等待时 CPU 在忙：相关系数 {value}',
  },
  'evidence.iowait': {
    en: 'while the GPU waits, CPUs wait for disks {share} of the time',
    zh: 'GPU 等待时 CPU 有 {share} 的时间在等磁盘',
  },
  'evidence.disk-busy': {
    en: 'while the GPU waits, the busiest disk works {share} of the time',
    zh: 'GPU 等待时最忙的磁盘有 {share} 的时间在工作',
  },
  'evidence.cpu-unknown': { en: 'the data does not show what the CPUs did', zh: '数据中没有 CPU 的情况' },
  'evidence.copies-out': {
    en: 'while it waits, it sends {rate} to the host: a checkpoint or an optimiser on the CPU, not a lack of data',
    zh: '等待期间向主机传出 {rate}，更像保存检查点或 CPU 优化器，而不是缺数据',
  },

  'evidence.gaps': {
    en: '{gpus}: {count} pauses of about {length}, one every {period}',
    zh: '{gpus}：{count} 次停顿，每次约 {length}，间隔约 {period}',
  },
  'evidence.gaps-marked': { en: '{count} of them are at the end of an epoch', zh: '其中 {count} 次位于 epoch 结束处' },
  'evidence.gaps-writing': { en: 'during them {rate} is written to disk', zh: '停顿期间磁盘写入 {rate}' },
  'evidence.gaps-sending': {
    en: 'during them {rate} goes from the GPU to the host',
    zh: '停顿期间从 GPU 传回主机 {rate}',
  },
  'evidence.gaps-quiet': {
    en: 'nothing is saved during them: {rate} written to disk',
    zh: '停顿期间没有保存：磁盘写入 {rate}',
  },
  'evidence.gaps-unknown': {
    en: 'either the time between two epochs, or a checkpoint that is saved, or an evaluation off the GPU: what is written to disk in these pauses would tell',
    zh: '可能是两个 epoch 之间的间隔，也可能是保存检查点或不用 GPU 的评估：停顿期间的磁盘写入量可以区分',
  },

  'evidence.sm-idle': {
    en: '{gpus}: {util} busy, but only {active} of the multiprocessors work',
    zh: '{gpus}：利用率 {util}，但 SM 活跃度只有 {active}',
  },
  'evidence.low-occupancy': {
    en: 'occupancy {occupancy}, tensor cores {tensor}, memory bandwidth {dram}',
    zh: '占用率 {occupancy}、张量核心 {tensor}、显存带宽 {dram}',
  },
  'evidence.low-power': {
    en: '{gpus}: {util} busy at only {power} of their power',
    zh: '{gpus}：利用率 {util}，功耗只有 {power}',
  },
  'evidence.kernels-end': {
    en: 'its kernels come and go and fill {util} of the time: one that spins, or any under a clock that is held down, would fill all of it',
    zh: '内核时有时无，占 {util} 的时间；自旋等待或频率被压低时会占满全部时间',
  },
  'evidence.kernels-work': {
    en: 'its memory is {share} busy at {pace} of its highest clock: it does not spin, and nothing holds the clock down',
    zh: '显存控制器占用率 {share}，频率为最高的 {pace}：不是自旋等待，频率也没有被压低',
  },
  'evidence.one-core': {
    en: 'process {pid} fills one CPU core in {share} of the samples',
    zh: '进程 {pid} 在 {share} 的样本中占满一个 CPU 核',
  },
  'evidence.dram': {
    en: '{gpus}: {share} of the memory bandwidth is used at {util} utilisation',
    zh: '{gpus}：利用率 {util} 时显存带宽用到 {share}',
  },
  'evidence.memory-controller': {
    en: '{gpus}: the memory controller is {share} busy at {util} utilisation',
    zh: '{gpus}：利用率 {util} 时显存控制器占用率 {share}',
  },
  'evidence.power-to-spare': {
    en: 'at full clock it draws {power} of its power: its multiprocessors wait',
    zh: '频率正常，功耗为 {power}：计算单元在等待',
  },
  'evidence.tensor': { en: 'tensor cores {share} active', zh: '张量核心活跃度 {share}' },
  'evidence.link-full': {
    en: '{gpus}: {rate} over PCIe, {share} of what the link can carry, at {util} utilisation',
    zh: '{gpus}：PCIe 流量 {rate}，达到链路能力的 {share}，利用率 {util}',
  },
  'evidence.nvlink-unused': { en: 'NVLink is there and not used', zh: '有 NVLink 却没有使用' },

  'evidence.held': {
    en: '{gpu}: {memory} of the memory held for {span} at {util} utilisation',
    zh: '{gpu}：占用 {memory} 显存 {span}，利用率 {util}',
  },
  'evidence.held-by': { en: 'held by process {pid} ({name}) of {user}', zh: '占用者：{user} 的进程 {pid}（{name}）' },
  'evidence.low': { en: '{gpus}: {mean} busy over {span} of work', zh: '{gpus}：{span} 工作时间内平均利用率 {mean}' },
  'evidence.low-power-too': { en: 'at {power} of their power', zh: '功耗为 {power}' },
  'evidence.candidates': {
    en: 'it could be a lack of data, small kernels, a small batch or synchronisation',
    zh: '可能是缺数据、小算子、batch 太小或同步等待',
  },
  'evidence.small-kernels': {
    en: 'its memory is hardly used ({share} busy): small kernels or waiting for the host fit best',
    zh: '显存几乎没有读写（占用率 {share}）：更像小算子或等待主机',
  },
  'evidence.room': {
    en: 'memory {share} full: a larger batch would fit',
    zh: '显存占用 {share}：可以尝试更大的 batch',
  },
  'evidence.irregular-low': {
    en: '{gpus}: {mean} busy over {span} of work in irregular bursts, as requests come, or data from a slow disk',
    zh: '{gpus}：{span} 工作时间内平均利用率仅 {mean}，呈不规则突发，可能是请求驱动，也可能是磁盘太慢',
  },
  'evidence.irregular': {
    en: 'the work comes in irregular bursts, as requests do',
    zh: '工作呈不规则的突发，像是请求驱动',
  },
  'evidence.poll': {
    en: 'samples every {span}: a driver that is asked so often can slow the GPUs down',
    zh: '每 {span}采样一次，如此频繁的查询可能拖慢 GPU',
  },
  'evidence.poll-fine': { en: 'samples every {span}: too seldom to matter', zh: '每 {span}采样一次，影响可以忽略' },
} as const satisfies Record<string, Text>;
