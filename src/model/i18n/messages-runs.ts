import type { Text } from './text.ts';

/** What `gpulse record`, `run`, `runs`, `wait` and `pick` print. */
export const RUN_MESSAGES = {
  'record.about': {
    en: 'write what the GPUs do to a file that "gpulse report" and any other program can read',
    zh: '把 GPU 状态录制到文件，供 gpulse report 及其他任何程序读取',
  },
  'record.output': {
    en: 'file; .gz and .zst compress it, - is standard output (default: gpulse-TIME.ndjson)',
    zh: '输出文件；以 .gz 或 .zst 结尾则压缩，- 为标准输出（默认 gpulse-时间.ndjson）',
  },
  'record.format': {
    en: 'ndjson holds everything; csv is what "nvidia-smi --query-gpu" would write',
    zh: 'ndjson 含全部内容；csv 与 nvidia-smi --query-gpu 的输出一致',
  },
  'record.fields': { en: 'fields of a csv, as nvidia-smi names them', zh: 'csv 的字段，名称与 nvidia-smi 相同' },
  'record.fields-csv': { en: '--fields needs --format csv', zh: '--fields 只能与 --format csv 一起使用' },
  'record.duration': { en: 'end after this time, such as 90s, 30m or 8h', zh: '录制时长，例如 90s、30m、8h' },
  'record.rotate-size': {
    en: 'put the file aside and begin another one at this size, such as 100MB',
    zh: '文件达到该大小后另起新文件，例如 100MB',
  },
  'record.rotate-time': {
    en: 'the same after this time, such as 1h or 1d',
    zh: '文件达到该时长后另起新文件，例如 1h、1d',
  },
  'record.keep': {
    en: 'how many files that were put aside are kept (default: all)',
    zh: '保留的旧文件个数（默认全部保留）',
  },
  'record.gpu': {
    en: 'only these GPUs: indexes or UUIDs, separated by commas',
    zh: '只录制这些 GPU：编号或 UUID，用逗号分隔',
  },
  'record.no-commands': {
    en: 'leave out the command lines of processes, which may hold secrets',
    zh: '不记录进程的命令行（其中可能含有敏感信息）',
  },
  'record.progress': { en: '{path}: ticks {ticks}, {size}, {time}', zh: '{path}：{ticks} 次采样，{size}，{time}' },
  'record.trouble': {
    en: '{text}; sampling goes on, ticks wait in memory until they can be written (lost for want of room there: {dropped})',
    zh: '{text}；采样继续进行，数据暂存内存，待可写入时补写（因内存暂存已满而丢失：{dropped} 次）',
  },
  'record.resumed': { en: '{path} can be written again', zh: '{path} 已恢复写入' },
  'record.aside': { en: 'the file of this name was put aside', zh: '同名的旧文件已改名保留' },
} as const satisfies Record<string, Text>;

/** What `gpulse wait` and `pick` print. */
export const WAIT_MESSAGES = {
  'wait.about': {
    en: 'wait until GPUs are free, hold them, and run a command on them',
    zh: '等待空闲 GPU，占住后在其上运行命令',
  },
  'wait.command': {
    en: 'command to run, behind --; without one the choice is printed',
    zh: '要运行的命令，写在 -- 之后；不写则只输出选中的 GPU',
  },
  'wait.gpus': { en: 'how many GPUs', zh: '需要的 GPU 数量' },
  'wait.free-memory': {
    en: 'memory that must be free on each: 40GiB, or a share such as 90%',
    zh: '每块 GPU 需要的空闲显存：40GiB，或比例 90%',
  },
  'wait.idle': { en: 'how long each must have been idle', zh: '每块 GPU 须持续空闲的时长' },
  'wait.max-utilization': { en: 'utilisation up to which a GPU counts as idle', zh: '利用率不高于该值视为空闲' },
  'wait.shared': {
    en: 'take GPUs on which somebody has a process that does nothing',
    zh: '允许选用有进程但未在计算的 GPU',
  },
  'wait.timeout': { en: 'give up after this time, with exit code 124', zh: '超过该时间仍未等到则放弃，退出码 124' },
  'wait.gpu': {
    en: 'only these GPUs: indexes or UUIDs, separated by commas',
    zh: '只考虑这些 GPU：编号或 UUID，用逗号分隔',
  },
  'wait.hold': {
    en: 'how long the GPUs stay held for whoever reads the choice, or for what a command has left in the background',
    zh: '为读取结果的程序，或命令留在后台的进程，继续占住 GPU 的时长',
  },
  'wait.quiet': { en: 'say nothing while waiting', zh: '等待时不输出进度' },
  'wait.head': {
    en: 'free GPUs waited for: {gpus}; free now: {free}; {time}',
    zh: '等待 {gpus} 块空闲 GPU，当前 {free} 块；已等待 {time}',
  },
  'wait.ahead': { en: '{count} before: {names}', zh: '前面还有 {count} 个：{names}' },
  'wait.is-free': { en: 'free', zh: '空闲' },
  'wait.settling': { en: 'idle for {time} of {needed}', zh: '已空闲 {time}（需 {needed}）' },
  'wait.unwell': { en: 'gives no data', zh: '没有数据' },
  'wait.claimed': { en: 'held for {name}', zh: '已被 {name} 占住' },
  'wait.busy': { en: 'utilisation {use}', zh: '利用率 {use}' },
  'wait.memory': { en: '{free} free', zh: '空闲显存 {free}' },
  'wait.unknown': { en: 'memory not known', zh: '显存未知' },
  'wait.starting': { en: '{gpus} taken after {time}', zh: '已占用 {gpus}，等待了 {time}' },
  'pick.about': {
    en: 'print which GPUs are free now; exit code 1 where there are too few',
    zh: '输出当前空闲的 GPU；不足时退出码为 1',
  },
  'pick.hold': {
    en: 'hold them for this time, so that the next pick chooses others; those who wait come first',
    zh: '在该时长内占住选中的 GPU，下一次 pick 会选其他 GPU；正在 wait 排队的优先',
  },
  'pick.format': { en: 'how they are printed', zh: '输出格式' },
} as const satisfies Record<string, Text>;

/** What `gpulse run` and `runs` print. */
export const TRAINING_MESSAGES = {
  'run.about': {
    en: 'run a command, record what its GPUs do and what it prints, and say what to look at',
    zh: '运行命令，同时录制其 GPU 状态和输出，结束后给出值得关注的问题',
  },
  'run.command': { en: 'command to run, behind --', zh: '要运行的命令，写在 -- 之后' },
  'run.data': {
    en: 'directory in which runs are kept (default: that of "gpulse serve")',
    zh: '保存训练记录的目录（默认与 gpulse serve 相同）',
  },
  'run.log': {
    en: 'file to which the trainer writes its figures, such as logging.jsonl of ms-swift',
    zh: '训练程序写入指标的文件，例如 ms-swift 的 logging.jsonl',
  },
  'run.no-pty': {
    en: 'give the command pipes instead of a terminal of its own',
    zh: '不为命令分配终端，改用管道',
  },
  'run.no-summary': { en: 'print no summary at the end', zh: '结束时不输出摘要' },
  'run.keep': { en: 'how many runs are kept', zh: '最多保留的记录个数' },
  'run.keep-size': { en: 'how much room they may take', zh: '记录最多占用的空间' },
  'run.trouble': { en: '{text}; {hint} (the command goes on)', zh: '{text}；{hint}（命令继续运行）' },
  'run.not-copied': {
    en: 'the output is not recorded, since {programs} of coreutils is not installed; the GPUs are',
    zh: '未安装 coreutils 的 {programs}，因此不录制输出；GPU 状态照常录制',
  },
  'run.no-script': {
    en: 'the command gets pipes instead of a terminal, since "{programs}" of util-linux is not installed (Debian: bsdutils)',
    zh: '未安装 util-linux 的 {programs}（Debian 中为 bsdutils），命令的输出改经管道，没有终端',
  },
  'run.ended': { en: '{command} ended after {time} with {end}', zh: '{command} 运行 {time}后结束，{end}' },
  'run.exit': { en: 'exit code {code}', zh: '退出码 {code}' },
  'run.exit-signal': { en: 'exit code {code} ({signal})', zh: '退出码 {code}（{signal}）' },
  'run.signal': { en: 'signal {signal}', zh: '信号 {signal}' },
  'run.use': { en: 'utilisation {mean} mean, {p95} P95', zh: '利用率平均 {mean}，P95 {p95}' },
  'run.peak': { en: 'memory up to {peak}', zh: '显存峰值 {peak}' },
  'run.peak-of': { en: 'memory up to {peak} of {all}', zh: '显存峰值 {peak}（共 {all}）' },
  'run.total': { en: 'together {energy}', zh: '合计 {energy}' },
  'run.step': { en: 'step {step}', zh: '步数 {step}' },
  'run.epoch': { en: 'epoch {epoch}', zh: '轮次 {epoch}' },
  'run.per-step': { en: '{time} per step', zh: '每步 {time}' },
  'run.loss': { en: 'loss {loss}', zh: '损失 {loss}' },
  'run.eval-loss': { en: 'eval loss {loss}', zh: '验证损失 {loss}' },
  'run.more': { en: 'more: gpulse report {id}', zh: '详细报告：gpulse report {id}' },
  'runs.about': { en: 'list the runs that "gpulse run" has kept', zh: '列出 gpulse run 保存的训练记录' },
  'runs.rm': { en: 'remove runs', zh: '删除训练记录' },
  'runs.run': { en: 'id of a run, the beginning of one, or last', zh: '记录编号、编号开头，或 last' },
  'runs.prune': { en: 'remove the oldest runs beyond a limit', zh: '删除超出限制的最旧记录' },
  'runs.none': { en: 'there are no runs in {path}', zh: '{path} 中没有训练记录' },
  'runs.running': { en: 'goes on', zh: '运行中' },
  'runs.broken': { en: 'its recorder was killed', zh: '录制进程被终止' },
  'runs.use': { en: 'GPUs: {gpus}, utilisation {mean}', zh: '{gpus} 块 GPU，利用率 {mean}' },
  'runs.unknown': {
    en: '\'{word}\' is no subcommand; there are rm and prune, and "gpulse runs" alone lists the runs',
    zh: '没有子命令“{word}”；可用 rm 和 prune，单独使用 gpulse runs 则列出训练记录',
  },
  'runs.removed': { en: 'removed {id}', zh: '已删除 {id}' },
} as const satisfies Record<string, Text>;
