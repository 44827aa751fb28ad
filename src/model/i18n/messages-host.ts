import type { Text } from './text.ts';

/** What the page says about the machine itself. */
export const HOST_MESSAGES = {
  'web.host': { en: 'Host {host}', zh: '主机 {host}' },
  'web.host.cpu': { en: 'CPU', zh: 'CPU' },
  'web.host.iowait': { en: 'I/O wait', zh: 'I/O 等待' },
  'web.host.load': { en: 'Load', zh: '负载' },
  'web.host.load-spans': { en: 'mean of 1, 5 and 15 minutes', zh: '1、5、15 分钟平均' },
  'web.host.memory': { en: 'Memory', zh: '内存' },
  'web.host.disks': { en: 'Disks', zh: '磁盘' },
  'web.host.disks-flow': { en: '{read} read · {written} written', zh: '读 {read} · 写 {written}' },
  'web.host.network': { en: 'Network', zh: '网络' },
  'web.host.network-flow': { en: '{received} in · {sent} out', zh: '收 {received} · 发 {sent}' },
} as const satisfies Record<string, Text>;
