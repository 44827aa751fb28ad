import type { Text } from './text.ts';

/** What the command line prints. */
export const CLI_MESSAGES = {
  'cli.about': {
    en: 'See what your GPUs are doing, keep the history, and learn why training is slow.',
    zh: '看清 GPU 在做什么，保留历史，并弄明白训练为什么慢。',
  },
  'cli.usage': { en: 'Usage:', zh: '用法：' },
  'cli.arguments': { en: 'Arguments:', zh: '参数：' },
  'cli.options': { en: 'Options:', zh: '选项：' },
  'cli.commands': { en: 'Commands:', zh: '命令：' },
  'cli.help': { en: 'show this help', zh: '显示帮助' },
  'cli.help-command': { en: 'show the help of a command', zh: '显示某个命令的帮助' },
  'cli.version': { en: 'show the version', zh: '显示版本' },
  'cli.lang': { en: 'language of messages: en or zh (default: from LANG)', zh: '提示语言：en 或 zh（默认取自 LANG）' },
  'cli.json': { en: 'print JSON, in base units', zh: '输出 JSON，使用基本单位' },
  'cli.source': {
    en: 'where readings come from: auto (every GPU of this machine), nvml, nvidia-smi, amdgpu, intel, simulate:SCENARIO or replay:FILE',
    zh: '数据来源：auto（本机全部 GPU）、nvml、nvidia-smi、amdgpu、intel、simulate:场景 或 replay:文件',
  },
  'cli.remote': {
    en: 'read the GPUs of another machine with its nvidia-smi, by ssh: ssh:[user@]host[:port]',
    zh: '通过 ssh 用对方的 nvidia-smi 读取另一台机器的 GPU：ssh:[用户@]主机[:端口]',
  },
  'cli.nvml-library': {
    en: 'path of libnvidia-ml.so.1, where it is not in a usual place',
    zh: 'libnvidia-ml.so.1 的路径（不在常规位置时）',
  },
  'cli.time-zone': {
    en: 'zone of the times in a recording that carry none, such as Asia/Shanghai (default: the zone of this host)',
    zh: '记录中未带时区的时间所属时区，如 Asia/Shanghai（默认：本机时区）',
  },
  'cli.interval': { en: 'time between samples, such as 1s or 500ms', zh: '采样间隔，如 1s 或 500ms' },
  'cli.default': { en: '(default: {value})', zh: '（默认：{value}）' },

  'usage.unknown-option': { en: "unknown option '{word}'", zh: '未知选项“{word}”' },
  'usage.unknown-command': { en: "unknown command '{word}'", zh: '未知命令“{word}”' },
  'usage.too-many-arguments': { en: "'{word}' takes no arguments", zh: '“{word}”不接受参数' },
  'usage.missing-value': { en: "option '{word}' needs a value", zh: '选项“{word}”缺少值' },
  'usage.not-both': { en: 'give {one} or {other}, not both', zh: '{one} 与 {other} 只能给出一个' },
  'usage.missing-argument': { en: "the argument '{word}' is missing", zh: '缺少参数“{word}”' },
  'usage.bad-argument': { en: "the argument '{value}' does not take '{word}'", zh: '参数“{value}”不接受“{word}”' },
  'usage.bad-value': { en: "option '{word}' does not take '{value}'", zh: '选项“{word}”不接受“{value}”' },
  'cli.waiting': { en: 'waiting for the driver …', zh: '正在等待驱动响应……' },
  'cli.simulated': { en: 'simulated, not this machine', zh: '以下为模拟数据，并非本机' },

  'serve.about': {
    en: 'sample, keep the history, and serve the dashboard and the API',
    zh: '采样、保存历史，并提供网页面板与 API',
  },
  'serve.listen': { en: 'address to listen on', zh: '监听地址' },
  'serve.data': { en: 'directory of the history', zh: '历史数据目录' },
  'serve.keep': {
    en: 'what is kept, by age and size: raw samples, sums of 1m, 5m and 1h, and events (default: raw=14d/1GB,1m=60d,5m=1y,1h=5y,events=1y)',
    zh: '按时长与大小限定保留内容：原始采样 raw，1m、5m、1h 汇总，以及事件 events（默认：raw=14d/1GB,1m=60d,5m=1y,1h=5y,events=1y）',
  },
  'serve.speed': {
    en: 'how fast a recording is played: max, or a factor such as 1 or 60',
    zh: '回放速度：max，或倍数如 1、60',
  },
  'serve.base-path': { en: 'path under which a reverse proxy serves gpulse', zh: '反向代理下的访问路径' },
  'serve.allow-anonymous': {
    en: 'listen on other addresses than loopback without authentication',
    zh: '允许在非回环地址上无身份验证地监听',
  },
  'serve.allowed-host': {
    en: 'host name under which a reverse proxy forwards requests (repeatable)',
    zh: '反向代理转发请求所用的主机名（可重复）',
  },
  'serve.demo': { en: 'where no GPU is found, play a simulated demonstration', zh: '找不到 GPU 时播放模拟演示' },
  'serve.config': {
    en: 'configuration file in YAML; flags go before it',
    zh: 'YAML 配置文件；命令行选项优先',
  },
  'serve.push-gateway-keeps': {
    en: 'A Pushgateway keeps the last values of a machine that dies: watch push_time_seconds, as the alert GpulsePushStale does.',
    zh: '主机异常宕机时，Pushgateway 会一直保留其最后的数据：请监控 push_time_seconds（见告警 GpulsePushStale）。',
  },
  'serve.push-gateway': {
    en: 'push to this Pushgateway, and delete the group of this host at the end',
    zh: '推送到该 Pushgateway，退出时删除本机分组',
  },
  'serve.influx': {
    en: 'push to this InfluxDB: http://HOST:8086?db=NAME or …?org=NAME&bucket=NAME',
    zh: '推送到该 InfluxDB：http://HOST:8086?db=NAME 或 …?org=NAME&bucket=NAME',
  },
  'serve.remote-write': {
    en: 'push by Prometheus remote write, such as http://HOST:8428/api/v1/write',
    zh: '通过 Prometheus remote write 推送，如 http://HOST:8428/api/v1/write',
  },
  'serve.otlp': {
    en: 'push by OpenTelemetry over HTTP, such as http://HOST:4318/v1/metrics',
    zh: '通过 OpenTelemetry HTTP 协议推送，如 http://HOST:4318/v1/metrics',
  },
  'serve.metrics-profile': {
    en: 'names of the series at /metrics: gpulse, dcgm, nvidia_smi, or several (default: gpulse)',
    zh: '/metrics 的指标命名方式：gpulse、dcgm、nvidia_smi，可同时给出多种（默认：gpulse）',
  },
  'serve.metrics-owner-labels': {
    en: 'put namespace, pod, container, user and job on every series of a GPU that has one owner; names of dcgm take no user, those of nvidia_smi none at all',
    zh: '为只有一个归属的 GPU 的所有序列加上命名空间、Pod、容器、用户和作业标签；dcgm 命名不含用户，nvidia_smi 命名不加标签',
  },
  'serve.dcgm-host-label': {
    en: 'host label of the dcgm names: Hostname, hostname or both (default: Hostname)',
    zh: 'dcgm 命名中的主机标签：Hostname、hostname 或 both（默认：Hostname）',
  },
  'serve.dcgm-names': {
    en: 'dcgm names: legacy, renamed (those of DCGM 4.6) or both (default: legacy)',
    zh: 'dcgm 指标名：legacy（旧名）、renamed（DCGM 4.6 的新名）或 both（默认：legacy）',
  },
  'serve.dcgm-fields': {
    en: 'dcgm fields: common, or all that gpulse knows (default: common)',
    zh: 'dcgm 字段：common（常用）或 all（gpulse 支持的全部）（默认：common）',
  },
  'serve.ready': { en: 'gpulse {version} is at {url}', zh: 'gpulse {version} 已启动：{url}' },
  'serve.no-gpu': { en: 'No GPU was found: {reason}.', zh: '未找到 GPU：{reason}。' },
  'serve.remedy': { en: 'What to do: {hint}.', zh: '解决办法：{hint}。' },
  'serve.searching': {
    en: 'gpulse keeps looking, and shows a GPU as soon as there is one.',
    zh: 'gpulse 会继续查找，一旦出现 GPU 就会显示。',
  },
  'serve.demonstration': {
    en: 'The page shows a SIMULATED DEMONSTRATION, not this machine. To watch real GPUs, run "bin/gpulse serve".',
    zh: '页面显示的是模拟演示，并非本机数据。要查看真实 GPU，请运行 bin/gpulse serve。',
  },
  'serve.stop': { en: 'Stop it with Ctrl-C.', zh: '按 Ctrl-C 停止。' },
  'serve.stopping': { en: 'stopping', zh: '正在停止' },

  'watch.about': {
    en: 'a plain line per GPU at every sample, for logs',
    zh: '每次采样为每个 GPU 输出一行纯文本，便于记录日志',
  },
  'watch.count': { en: 'stop after this many samples', zh: '采样多少次后停止' },
  'watch.gpu': {
    en: 'only these GPUs: indexes or UUIDs, separated by commas',
    zh: '只看这些 GPU：序号或 UUID，以逗号分隔',
  },
  'watch.one-line': {
    en: 'all GPUs in one line: "|" between GPUs, and commas instead of "|" between the values of one',
    zh: '所有 GPU 写在同一行：GPU 之间用“|”分隔，同一 GPU 的各项改用逗号分隔',
  },
  'watch.utc': {
    en: 'print date and time in UTC, as 2026-01-31T14:23:05Z, for logs of more than a day',
    zh: '以 UTC 显示日期与时间，如 2026-01-31T14:23:05Z，适合跨天的日志',
  },
  'watch.memory': { en: 'Mem', zh: '显存' },
  'watch.temperature': { en: 'Temp', zh: '温度' },
  'watch.power': { en: 'Power', zh: '功耗' },

  'release.about': {
    en: 'make a running "serve" let go of the GPUs, so that they can be reset or reconfigured',
    zh: '让正在运行的 serve 释放 GPU，以便复位或重新配置',
  },
  'release.for': {
    en: 'after how long it takes them up again by itself, such as 30s or 5m',
    zh: '多久后自动恢复采样，如 30s 或 5m',
  },
  'release.done': {
    en: 'the GPUs are released; they are sampled again from {time} on, or after "gpulse resume"',
    zh: 'GPU 已释放，将于 {time} 自动恢复采样，也可执行 gpulse resume 立即恢复',
  },
  'resume.about': { en: 'make "serve" take up the released GPUs again', zh: '让 serve 立即恢复对已释放 GPU 的采样' },
  'resume.done': { en: 'the GPUs are sampled again', zh: '已恢复 GPU 采样' },
  'cli.server': { en: 'address of the running gpulse', zh: '正在运行的 gpulse 的地址' },
} as const satisfies Record<string, Text>;
