import type { Text } from './text.ts';

/** Help of `gpulse smi`. What it prints otherwise is in the words of nvidia-smi, which are English everywhere. */
export const SMI_MESSAGES = {
  'smi.about': {
    en: "nvidia-smi's options and output for every vendor, for recordings and for other machines",
    zh: '以 nvidia-smi 的参数与输出格式查看任意厂商的 GPU、录制文件和远程机器',
  },
  'smi.host': {
    en: 'ask the gpulse at this address, such as http://node7:9400',
    zh: '向该地址的 gpulse 查询，如 http://node7:9400',
  },
  'smi.conflict': { en: '{one} and {other} do not go together', zh: '{one} 与 {other} 不能同时使用' },
  'smi.incomplete': { en: '{option} needs {needed} beside it', zh: '{option} 需要与 {needed} 一起使用' },
  'smi.bad-value': {
    en: '{option} does not take "{value}"; it takes {expected}',
    zh: '{option} 不接受“{value}”，应为：{expected}',
  },
  'smi.stray-word': { en: '"{word}" is no option of this command', zh: '“{word}”不是该命令的选项' },
  'smi.processes-unlisted': {
    en: 'the processes of GPU {index} cannot be listed: {reason}',
    zh: '无法列出 GPU {index} 的进程：{reason}',
  },
  'smi.list': { en: 'list GPUs and MIG instances with their UUIDs', zh: '列出 GPU 与 MIG 实例及其 UUID' },
  'smi.query-gpu': {
    en: 'print these fields of every GPU, separated by commas',
    zh: '输出每块 GPU 的指定字段，用逗号分隔',
  },
  'smi.query-compute-apps': { en: 'print these fields of every compute process', zh: '输出每个计算进程的指定字段' },
  'smi.query-remapped-rows': {
    en: 'print these fields about remapped rows of memory',
    zh: '输出显存行重映射的指定字段',
  },
  'smi.help-query-gpu': {
    en: 'list the fields with their meaning; also --help-query-compute-apps and --help-query-remapped-rows',
    zh: '列出可用字段及含义；另有 --help-query-compute-apps 与 --help-query-remapped-rows',
  },
  'smi.format': {
    en: 'csv[,noheader][,nounits], or json or ndjson, which nvidia-smi lacks',
    zh: 'csv[,noheader][,nounits]，或 nvidia-smi 没有的 json、ndjson',
  },
  'smi.query': { en: 'print everything in sections', zh: '分节输出全部信息' },
  'smi.xml': { en: 'with -q: as XML', zh: '与 -q 合用：输出 XML' },
  'smi.display': {
    en: 'with -q: only these sections, such as MEMORY,ECC,TEMPERATURE,POWER,CLOCK,PIDS',
    zh: '与 -q 合用：只输出指定部分，如 MEMORY,ECC,TEMPERATURE,POWER,CLOCK,PIDS',
  },
  'smi.id': {
    en: 'only these GPUs: indexes, serial numbers, UUIDs or PCI bus ids, separated by commas',
    zh: '只输出指定的 GPU：序号、序列号、UUID 或 PCI 总线号，用逗号分隔',
  },
  'smi.filename': { en: 'write to this file, which is overwritten', zh: '写入该文件（覆盖原内容）' },
  'smi.loop': {
    en: 'repeat until Ctrl-C, by default every 5 s, and tell of Xids and ECC errors on standard error; of a recording, print every sample',
    zh: '循环输出直到按下 Ctrl-C，默认每 5 秒一次，并在标准错误提示 Xid 与 ECC 错误；用于录制文件时输出每个采样',
  },
  'smi.loop-ms': { en: 'the same in milliseconds, also as -lms', zh: '同上，单位为毫秒，也可写作 -lms' },
  'smi.version': { en: 'print the versions of the driver and of CUDA', zh: '输出驱动与 CUDA 版本' },
  'smi.monitors': {
    en: `dmon   a row per GPU and second: -s pucvmet, -d SECONDS, -c COUNT, -o DT, -i, -f, --format csv[,noheader][,nounit]
pmon   a row per process and second: -s um, -d SECONDS, -c COUNT, -o DT, -i, -f
topo   -m: how the GPUs are joined
Without options it prints the summary table. Exit codes are those of nvidia-smi.`,
    zh: `dmon   每秒每块 GPU 一行：-s pucvmet、-d 秒数、-c 次数、-o DT、-i、-f、--format csv[,noheader][,nounit]
pmon   每秒每个进程一行：-s um、-d 秒数、-c 次数、-o DT、-i、-f
topo   -m：GPU 之间的连接方式
不带参数时输出汇总表格。退出码与 nvidia-smi 相同。`,
  },
  'smi.field-unread': {
    en: 'Not read by gpulse: always missing.',
    zh: 'gpulse 不读取该字段，始终为缺失。',
  },
  'smi.field.timestamp': { en: 'When it was read, in local time.', zh: '读取时间（本地时间）。' },
  'smi.field.driver_version': { en: 'Version of the driver.', zh: '驱动版本。' },
  'smi.field.kmd_version': { en: 'Version of the driver in the kernel.', zh: '内核驱动版本。' },
  'smi.field.count': { en: 'How many GPUs there are.', zh: 'GPU 数量。' },
  'smi.field.name': { en: 'Name of the product.', zh: '产品名称。' },
  'smi.field.gpu_name': { en: 'Name of the GPU.', zh: 'GPU 名称。' },
  'smi.field.serial': { en: 'Serial number of the board.', zh: '板卡序列号。' },
  'smi.field.gpu_serial': { en: 'Serial number of the board.', zh: '板卡序列号。' },
  'smi.field.uuid': { en: 'Identifier that never changes.', zh: '不会改变的唯一标识。' },
  'smi.field.gpu_uuid': { en: 'Identifier of the GPU that never changes.', zh: 'GPU 的唯一标识，不会改变。' },
  'smi.field.pci.bus_id': { en: 'Place on the PCI bus.', zh: 'PCI 总线位置。' },
  'smi.field.gpu_bus_id': { en: 'Place of the GPU on the PCI bus.', zh: 'GPU 的 PCI 总线位置。' },
  'smi.field.pci.domain': { en: 'PCI domain, in hexadecimal.', zh: 'PCI 域（十六进制）。' },
  'smi.field.pci.bus': { en: 'PCI bus, in hexadecimal.', zh: 'PCI 总线号（十六进制）。' },
  'smi.field.pci.device': { en: 'PCI device number, in hexadecimal.', zh: 'PCI 设备号（十六进制）。' },
  'smi.field.pci.baseClass': { en: 'PCI base class, in hexadecimal.', zh: 'PCI 基类代码（十六进制）。' },
  'smi.field.pci.subClass': { en: 'PCI subclass, in hexadecimal.', zh: 'PCI 子类代码（十六进制）。' },
  'smi.field.pci.device_id': { en: 'PCI device and vendor, in hexadecimal.', zh: 'PCI 设备与厂商代码（十六进制）。' },
  'smi.field.pci.sub_device_id': {
    en: 'PCI subsystem and its vendor, in hexadecimal.',
    zh: 'PCI 子系统与其厂商代码（十六进制）。',
  },
  'smi.field.index': { en: 'Number of the GPU; it may change at a start.', zh: 'GPU 序号，重启后可能改变。' },
  'smi.field.vbios_version': { en: 'Version of the firmware on the board.', zh: '板卡固件版本。' },
  'smi.field.compute_cap': { en: 'CUDA compute capability.', zh: 'CUDA 计算能力。' },
  'smi.field.inforom.img': {
    en: 'Version of the data that the board keeps of itself.',
    zh: '板卡自带信息存储的版本。',
  },
  'smi.field.pid': { en: 'Id of the process.', zh: '进程号。' },
  'smi.field.process_name': { en: 'Program of the process.', zh: '进程的程序名。' },
  'smi.field.used_gpu_memory': { en: 'Memory that the process holds on the GPU.', zh: '进程占用的显存。' },
} as const satisfies Record<string, Text>;
