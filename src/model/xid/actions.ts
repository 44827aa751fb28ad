import type { Text } from '../i18n/text.ts';

/** What to do about an Xid. Several numbers share one. */
export const XID_ACTIONS = {
  none: { en: 'Nothing has to be done.', zh: '无需处理。' },
  'restart-app': {
    en: 'Restart the application; if it happens again, report it to the vendor of the GPU.',
    zh: '请重启出错的程序；反复出现时联系 GPU 厂商。',
  },
  'check-app': {
    en: 'Restart the application and run it under compute-sanitizer or cuda-gdb. If different programs fail on this GPU, run a hardware diagnosis.',
    zh: '请重启程序，并用 compute-sanitizer 或 cuda-gdb 检查；若不同程序都在这块卡上出错，请做硬件诊断。',
  },
  'check-app-then-host': {
    en: 'Restart the application and check it. If it comes again with other programs, check PCIe and the memory of the host.',
    zh: '请重启并检查程序；换别的程序仍出现时，检查 PCIe 与主机内存。',
  },
  'app-is-gone': {
    en: 'The application has been stopped: look at the error before it, such as Xid 13 or 31.',
    zh: '出错的程序已被终止，请查看在它之前的错误（如 Xid 13、31）。',
  },
  'see-first': {
    en: 'It follows another error or a killed process: act on the Xid before it. If it comes alone, restart the fabric manager where there is one.',
    zh: '它由前一个错误或进程被终止引起，请处理在它之前的 Xid；单独出现时，有 fabric manager 的机器请重启该服务。',
  },
  'ask-vendor': {
    en: 'Nothing has to be done at once; if it repeats, report it to the vendor of the GPU.',
    zh: '暂不需要处理；反复出现时联系 GPU 厂商。',
  },
  reset: {
    en: 'Stop the programs on this GPU and reset it (nvidia-smi --gpu-reset) or reboot; if it comes back, have the card checked.',
    zh: '请停止这块卡上的程序并复位 GPU（nvidia-smi --gpu-reset）或重启机器；再次出现时请检修该卡。',
  },
  'reset-then-driver': {
    en: 'Reset the GPU or reboot, and update the driver; if it comes back, report it with nvidia-bug-report.sh.',
    zh: '请复位 GPU 或重启机器，并更新驱动；再次出现时用 nvidia-bug-report.sh 收集日志并上报。',
  },
  reboot: {
    en: 'Reboot the machine; if it comes back with a current driver, report it with nvidia-bug-report.sh.',
    zh: '请重启机器；新版驱动下仍出现时，用 nvidia-bug-report.sh 收集日志并上报。',
  },
  'power-cycle': {
    en: 'Save nvidia-bug-report.sh, then switch the machine off and on. If it comes back: check power supply and cables, reseat the card or riser, update the BIOS, have the card replaced.',
    zh: '请先用 nvidia-bug-report.sh 保存日志，再整机断电重启；反复出现时检查电源与供电线，重新插拔显卡或转接卡，更新 BIOS，必要时返修。',
  },
  'check-power-cables': {
    en: 'Switch the machine off and check the power cables of the card.',
    zh: '请关机检查显卡的辅助供电线。',
  },
  'ecc-follow': {
    en: 'Act on the Xid that came with it: 63 or 64, 94 or 95. If there is none, take the GPU out of work and reset it.',
    zh: '请按同时出现的 Xid（63 或 64、94 或 95）处理；没有时，把这块卡停用并复位。',
  },
  'remap-recorded': {
    en: 'Nothing has to be done at once: the driver has set bad memory aside. Reset the GPU when it is idle if the remapping is pending.',
    zh: '暂不需要处理，驱动已隔离损坏的显存；若重映射待生效，请在空闲时复位 GPU。',
  },
  'remap-failed': {
    en: 'Reset the GPU; if it comes back or the failure flag of the remapped rows is set, have the card replaced.',
    zh: '请复位 GPU；再次出现或行重映射失败标志已置位时，请返修该卡。',
  },
  contained: {
    en: 'Restart the application that was hit; the others go on. Reset the GPU later if a remapping is pending.',
    zh: '请重启受影响的程序，其他程序不受影响；若行重映射待生效，请稍后复位 GPU。',
  },
  uncontained: {
    en: 'Reset the GPU now: what every program on it computed may be wrong.',
    zh: '请立即复位 GPU：这块卡上所有程序的结果都可能有误。',
  },
  'watch-ecc': {
    en: 'Watch the ECC counters; if the rate stays high, plan to have the card checked.',
    zh: '请持续观察 ECC 计数；若增长一直很快，请安排检修。',
  },
  nvlink: {
    en: 'Look at "nvidia-smi nvlink -e", the bridge or the cables and the fabric manager; reset the GPUs of the link.',
    zh: '请查看 nvidia-smi nvlink -e、桥接器或线缆以及 fabric manager，并复位该链路两端的 GPU。',
  },
  'nvlink-app': {
    en: 'Most often a program accessed the memory of a peer GPU wrongly: check it first, then NVLink.',
    zh: '多为程序越界访问对端显存所致，请先检查程序，再检查 NVLink。',
  },
  'nvlink-training': {
    en: 'Reset the GPU; if the link does not come up again, check cables, connectors and switch tray.',
    zh: '请复位 GPU；链路仍无法建立时，检查线缆、连接器与交换托盘。',
  },
  'nvlink-unit': {
    en: 'A fatal one needs a reset of the GPU, a non-fatal one nothing at once. If a link goes down more than once a day, check its cables and report it.',
    zh: '致命（Fatal）错误需要复位 GPU，非致命的暂不需要处理；链路一天内多次断开时，请检查线缆并上报。',
  },
  'recovery-action': {
    en: 'The driver names what it needs: do that, whatever else is advised.',
    zh: '驱动给出了所需的恢复操作，请以它为准。',
  },
  'update-stack': {
    en: 'Update the driver, and what runs on top of it, to versions that belong together.',
    zh: '请把驱动及其上层软件更新到互相匹配的版本。',
  },
  'restart-vm': { en: 'Restart the virtual machine.', zh: '请重启虚拟机。' },
  'check-uvm': {
    en: 'Look for messages of nvidia-uvm in the kernel log around it; reboot if memory errors stand there.',
    zh: '请查看内核日志中同一时刻的 nvidia-uvm 信息；有内存错误时请重启机器。',
  },
  inspect: {
    en: 'Have the machine inspected: the fault is in the hardware.',
    zh: '请检修硬件：故障来自硬件本身。',
  },
  'power-smoothing': {
    en: 'Nothing has to be done at once; plan to have the part replaced when its life is used up.',
    zh: '暂不需要处理；寿命耗尽后请安排更换。',
  },
  unlisted: {
    en: 'gpulse has no entry for this number: look it up in the Xid catalogue of NVIDIA for your driver.',
    zh: 'gpulse 没有收录这个编号，请在 NVIDIA 对应驱动版本的 Xid 目录中查询。',
  },
} as const satisfies Record<string, Text>;

export type XidAction = keyof typeof XID_ACTIONS;
