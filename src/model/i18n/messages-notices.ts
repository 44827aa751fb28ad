import { OWNER_NOTICES } from './messages-owners.ts';
import { REPORTING_NOTICES } from './messages-reporting.ts';
import type { Text } from './text.ts';

/** Remarks of a source on its own data. */
export const NOTICE_MESSAGES = {
  ...OWNER_NOTICES,
  ...REPORTING_NOTICES,
  'notice.columns-inferred': {
    en: 'The log has no header; its columns were worked out from the values: {columns}',
    zh: '日志没有表头，列含义由数值推断：{columns}',
  },
  'notice.columns-inferred-partly': {
    en: 'The log has no header; its columns were worked out from the values: {columns}. Left out (?), since several meanings fit: no. {positions}',
    zh: '日志没有表头，列含义由数值推断：{columns}。其中第 {positions} 列含义不明确（?），未采用',
  },
  'notice.recording-simulated': {
    en: 'this is a recording of a simulation, not of a machine',
    zh: '这是模拟数据的录制，不是真实机器的数据',
  },
  'notice.recording-newer': {
    en: 'Line {line}: recorded by a newer gpulse (format {version}); what this one does not know is left out',
    zh: '第 {line} 行：由更新版本的 gpulse 录制（格式版本 {version}），本版本不认识的内容已略过',
  },
  'notice.columns-ignored': {
    en: 'Columns that may mean several things were left out: {columns}',
    zh: '以下列含义不明确，未采用：{columns}',
  },
  'notice.times-local': {
    en: 'The times of the log carry no zone and were read as {zone}',
    zh: '日志时间不含时区，按 {zone} 解读',
  },
  'notice.times-elapsed': {
    en: 'The log only has the time since its start, which was taken to be {start}',
    zh: '日志只有相对时间，起点按 {start} 计算',
  },
  'notice.times-assumed': {
    en: 'The log has no times that can be read: its samples were taken to be 1 s apart, from {start} on',
    zh: '日志没有可识别的时间，按从 {start} 起每秒一次采样处理',
  },
  'notice.date-assumed': {
    en: 'The times of the log have no date; it was taken to begin on {date}',
    zh: '日志时间不含日期，按 {date} 开始计算',
  },
  'notice.columns-without-metric': {
    en: 'Columns that gpulse has no metric for were left out: {columns}',
    zh: '以下列没有对应的指标，未采用：{columns}',
  },
  'notice.identity-ignored': {
    en: '{columns} is the same for different GPUs; they were told apart by {used}',
    zh: '{columns} 无法区分不同的 GPU，改用 {used} 区分',
  },
  'notice.gpus-by-place': {
    en: 'No column tells the GPUs apart: the {count} rows of each moment were taken for {count} GPUs in this order',
    zh: '没有可区分 GPU 的列：同一时刻的 {count} 行按顺序视为 {count} 块 GPU',
  },
  'notice.gpu-per-name': {
    en: 'No column tells the GPUs apart: one GPU for each product name was assumed',
    zh: '没有可区分 GPU 的列：假定每个产品名称对应一块 GPU',
  },
  'notice.one-gpu-assumed': {
    en: 'No column names the GPU: one GPU was assumed',
    zh: '没有标识 GPU 的列：假定只有一块 GPU',
  },
  'notice.nul-bytes': {
    en: 'NUL bytes removed, as a file has that is cut while it is being written: {count}',
    zh: '已去除 NUL 字节（文件在写入过程中被截断时会出现）：{count} 个',
  },
  'notice.utf16-mixed': {
    en: 'A part of the file is UTF-16, the rest is not; NUL bytes removed: {count}',
    zh: '文件中混有 UTF-16 编码的内容，已去除 NUL 字节：{count} 个',
  },
  'notice.error-rows': {
    en: 'Rows in which the driver gave errors and no values: {count} (the first in line {line})',
    zh: '驱动只返回错误、没有数值的行：{count}（首处在第 {line} 行）',
  },
  'notice.impossible-values': {
    en: 'Values no GPU can have, shown as read errors: {count} (the first in line {line}: {column} = {value})',
    zh: '不可能出现的数值，按读取出错处理：{count}（首处在第 {line} 行：{column} = {value}）',
  },
  'notice.unreadable-cells': {
    en: 'Cells that hold no number, shown as read errors: {count} (the first in line {line}: {column} = {value})',
    zh: '不是数值的单元格，按读取出错处理：{count}（首处在第 {line} 行：{column} = {value}）',
  },
  'notice.cut-cells': {
    en: 'The file does not end with a line end, so that its last value may be cut off and was left out: line {line}, {column} = {value}',
    zh: '文件末尾没有换行，最后一个数值可能不完整，未采用：第 {line} 行，{column} = {value}',
  },
  'notice.multi-line-cells': {
    en: 'Cells of several lines, of which the first was taken: {count} (the first in line {line})',
    zh: '含多行内容的单元格，只取第一行：{count}（首处在第 {line} 行）',
  },
  'notice.skipped-stray-text': {
    en: 'Skipped lines that are not part of the log: {count} (the first is line {line})',
    zh: '跳过与日志无关的文本：{count} 行（首处为第 {line} 行）',
  },
  'notice.skipped-table': {
    en: "Skipped lines of nvidia-smi's table: {count} (the first is line {line})",
    zh: '跳过 nvidia-smi 表格内容：{count} 行（首处为第 {line} 行）',
  },
  'notice.skipped-no-devices': {
    en: 'nvidia-smi found no GPU: {count} times (first in line {line})',
    zh: 'nvidia-smi 没有找到 GPU：{count} 次（首处为第 {line} 行）',
  },
  'notice.skipped-device-handle': {
    en: 'nvidia-smi could not reach a GPU: {count} times (first in line {line})',
    zh: 'nvidia-smi 无法访问某块 GPU：{count} 次（首处为第 {line} 行）',
  },
  'notice.skipped-driver-failure': {
    en: 'nvidia-smi could not talk to the driver: {count} lines say so (the first is line {line})',
    zh: 'nvidia-smi 无法与驱动通信：{count} 行（首处为第 {line} 行）',
  },
  'notice.skipped-wrong-columns': {
    en: 'Skipped rows with more or fewer cells than columns: {count} (the first is line {line})',
    zh: '跳过列数不符的行：{count} 行（首处为第 {line} 行）',
  },
  'notice.skipped-no-time': {
    en: 'Skipped rows whose time cannot be read: {count} (the first is line {line})',
    zh: '跳过时间无法识别的行：{count} 行（首处为第 {line} 行）',
  },
  'notice.skipped-unknown-device': {
    en: 'Skipped rows that do not tell their GPU: {count} (the first is line {line})',
    zh: '跳过无法确定 GPU 的行：{count} 行（首处为第 {line} 行）',
  },
  'notice.skipped-unplaced': {
    en: 'Skipped rows of moments that have more or fewer rows than GPUs, so that their GPUs cannot be told: {count} (the first is line {line})',
    zh: '同一时刻的行数与 GPU 数不符，无法确定各行属于哪块 GPU，已跳过：{count} 行（首处为第 {line} 行）',
  },
  'notice.skipped-truncated': {
    en: 'The last row is cut off and was skipped: line {line}',
    zh: '最后一行不完整，已跳过：第 {line} 行',
  },
  'notice.skipped-too-long': {
    en: 'Skipped lines of more than 64 KiB: {count} (the first is line {line})',
    zh: '跳过超过 64 KiB 的行：{count} 行（首处为第 {line} 行）',
  },
  'notice.skipped-open-quote': {
    en: 'Skipped lines with a quotation mark that is not closed: {count} (the first is line {line})',
    zh: '跳过引号未闭合的行：{count} 行（首处为第 {line} 行）',
  },
  'notice.skipped-other-query': {
    en: 'Skipped rows of another query of nvidia-smi: {count} (the first is line {line})',
    zh: '跳过 nvidia-smi 其他查询的输出：{count} 行（首处为第 {line} 行）',
  },
  'notice.skipped-broken-document': {
    en: 'Skipped JSON that is cut off or not valid: {count} (the first in line {line})',
    zh: '跳过不完整或无效的 JSON：{count} 处（首处在第 {line} 行）',
  },
  'notice.skipped-too-large': {
    en: 'More data than is kept at a time, left out: {count} (the first in line {line})',
    zh: '数据量超出一次可保留的上限，未读取：{count}（首处在第 {line} 行）',
  },
  'notice.skipped-unknown-series': {
    en: 'Series that are not about GPUs, or that no metric is known for: {count} (the first in line {line})',
    zh: '与 GPU 无关或没有对应指标的时间序列：{count}（首处在第 {line} 行）',
  },
  'notice.times-no-year': {
    en: 'The times of the log carry no year; the first one was taken to be in {year}',
    zh: '日志时间不含年份，首条按 {year} 年处理',
  },
  'notice.driver-starts': {
    en: 'The NVIDIA driver is being started (in {call}, {seconds} s so far)',
    zh: '正在启动 NVIDIA 驱动（正在调用 {call}，已 {seconds} 秒）',
  },
  'notice.driver-hangs': {
    en: 'The NVIDIA driver has not returned from {call} for {seconds} s',
    zh: 'NVIDIA 驱动调用 {call} 已 {seconds} 秒没有返回',
  },
  'notice.gpu-hangs': {
    en: 'GPU {index} has not answered for {seconds} s (in {call})',
    zh: 'GPU {index} 已 {seconds} 秒没有响应（正在调用 {call}）',
  },
  'notice.gpu-slow': {
    en: 'GPU {index} answers slowly: its readings are {seconds} s apart',
    zh: 'GPU {index} 响应缓慢：约每 {seconds} 秒才能读取一次',
  },
  'notice.mig-unlisted': {
    en: 'The driver does not tell which MIG instances GPU {index} has',
    zh: '驱动没有给出 GPU {index} 的 MIG 实例',
  },
  'notice.gpu-closed': {
    en: 'GPU {index} is listed by the driver and cannot be read (code {code})',
    zh: '驱动列出了 GPU {index}，但无法读取（代码 {code}）',
  },
  'notice.kernel-log-no-permission': {
    en: 'The kernel log ({path}) may be read by root or with CAP_SYSLOG only: Xids that stand nowhere else are not seen',
    zh: '读取内核日志（{path}）需要 root 或 CAP_SYSLOG 权限，仅记录在其中的 Xid 无法看到',
  },
  'notice.kernel-log-missing': {
    en: 'There is no kernel log ({path}) here, as in most containers: Xids that stand nowhere else are not seen',
    zh: '此处没有内核日志（{path}，容器内通常如此），仅记录在其中的 Xid 无法看到',
  },
  'notice.kernel-log-failed': {
    en: 'The kernel log ({path}) cannot be read: {detail}',
    zh: '无法读取内核日志（{path}）：{detail}',
  },
  'notice.processes-hidden': {
    en: '{count} processes of other users cannot be looked into; those of them that use a GPU are missing (run as root, or with CAP_SYS_PTRACE)',
    zh: '无权查看其他用户的 {count} 个进程，其中使用 GPU 的进程未列出（请以 root 或 CAP_SYS_PTRACE 权限运行）',
  },
  'notice.processes-namespace': {
    en: 'Only the processes of this container can be seen; other processes on the GPU are missing (run with the pid namespace of the host)',
    zh: '只能看到当前容器内的进程，GPU 上的其他进程未列出（请使用宿主机的 pid 命名空间运行）',
  },
  'notice.processes-hang': {
    en: 'The list of GPU processes has not answered for {seconds} s; the readings go on without it',
    zh: 'GPU 进程列表已 {seconds} 秒没有响应，其余读数不受影响',
  },
  'notice.source-missing': {
    en: 'Other GPUs of this machine cannot be read ({name}: {code}); see "gpulse doctor"',
    zh: '本机还有 GPU 无法读取（{name}：{code}），请运行 gpulse doctor 查看原因',
  },
  'notice.source-failed': {
    en: 'The GPUs of {name} cannot be read at the moment ({code})',
    zh: '{name} 的 GPU 暂时无法读取（{code}）',
  },
  'notice.source-late': {
    en: '{name} has not answered for {seconds} s; the other GPUs go on without it',
    zh: '{name} 已 {seconds} 秒没有响应，其余 GPU 不受影响',
  },
} as const satisfies Record<`notice.${string}`, Text>;

export type NoticeKey = keyof typeof NOTICE_MESSAGES;
