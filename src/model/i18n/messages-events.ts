import type { EventKind } from '../event.ts';
import type { Text } from './text.ts';

/** One sentence per kind of event; the parameters are those of the event. */
export const EVENT_MESSAGES = {
  'event.gpu-lost': { en: 'GPU {index} ({name}) is lost', zh: 'GPU {index}（{name}）掉卡' },
  'event.gpu-back': { en: 'GPU {index} ({name}) is back', zh: 'GPU {index}（{name}）已恢复' },
  'event.gpu-found': { en: 'GPU {index} ({name}) appeared', zh: '发现 GPU {index}（{name}）' },
  'event.gpu-silent': { en: 'GPU {index} ({name}) gives no data', zh: 'GPU {index}（{name}）没有数据' },
  'event.throttle-began': { en: 'GPU {index} is throttled: {reasons}', zh: 'GPU {index} 开始降频：{reasons}' },
  'event.throttle-ended': { en: 'GPU {index} is no longer throttled', zh: 'GPU {index} 不再降频' },
  // The parameters of these two are made from those of the event, with the words of the Xid table.
  'event.xid': {
    en: '{gpu}: Xid {xid}, {meaning}{circumstances}; {impact}. {action}',
    zh: '{gpu}：Xid {xid}，{meaning}{circumstances}；{impact}。{action}',
  },
  'event.sxid': {
    en: 'NVLink switch{place}: SXid {xid}{circumstances}. {raw}',
    zh: 'NVLink 交换芯片{place}：SXid {xid}{circumstances}。{raw}',
  },
  'event.ecc-corrected': {
    en: 'GPU {index}: {count} more corrected ECC errors',
    zh: 'GPU {index}：新增 {count} 个已纠正的 ECC 错误',
  },
  'event.ecc-uncorrected': {
    en: 'GPU {index}: {count} more uncorrected ECC errors',
    zh: 'GPU {index}：新增 {count} 个无法纠正的 ECC 错误',
  },
  'event.rows-remapped': {
    en: 'GPU {index}: {count} more memory rows remapped',
    zh: 'GPU {index}：新增 {count} 行显存被重映射',
  },
  'event.remapping-pending': {
    en: 'GPU {index}: row remapping takes effect at the next reset of the GPU',
    zh: 'GPU {index}：行重映射将在下次复位 GPU 后生效',
  },
  'event.remapping-failed': {
    en: 'GPU {index}: row remapping failed; the card should be replaced',
    zh: 'GPU {index}：行重映射失败，该卡需要返修',
  },
  'event.pages-retired': {
    en: 'GPU {index}: {count} more memory pages retired',
    zh: 'GPU {index}：新增 {count} 个显存页被停用',
  },
  'event.retirement-pending': {
    en: 'GPU {index}: a memory page is retired at the next reboot',
    zh: 'GPU {index}：有显存页将在下次重启后停用',
  },
  'event.process-started': {
    en: 'Process {pid} ({name}) started on GPU {index}',
    zh: '进程 {pid}（{name}）开始使用 GPU {index}',
  },
  'event.process-ended': { en: 'Process {pid} ({name}) left GPU {index}', zh: '进程 {pid}（{name}）离开 GPU {index}' },
  'event.driver-gone': { en: 'The driver has stopped answering', zh: '驱动停止响应' },
  'event.driver-reloaded': {
    en: 'The driver was reloaded; gpulse opened it again',
    zh: '驱动被重新加载，gpulse 已重新打开',
  },
  'event.clock-stepped': { en: 'The clock was stepped by {seconds} s', zh: '系统时钟跳变了 {seconds} 秒' },
  'event.source-released': {
    en: 'The GPUs were released for {seconds} s, so that they can be reset or reconfigured',
    zh: '已释放 GPU {seconds} 秒，可进行复位或重新配置',
  },
  'event.source-resumed': { en: 'The GPUs are sampled again', zh: '已恢复 GPU 采样' },
  'event.source-stalled': { en: 'The driver has not answered for {seconds} s', zh: '驱动已 {seconds} 秒没有响应' },
  'event.source-recovered': { en: 'The driver answers again after {seconds} s', zh: '驱动在 {seconds} 秒后恢复响应' },
  'event.recording-restarted': { en: 'The log starts again here', zh: '日志从这里重新开始' },
  'event.recording-ended': { en: 'End of the recording', zh: '日志到此结束' },
  'event.marker': { en: '{text}', zh: '{text}' },
} as const satisfies Record<`event.${EventKind}`, Text>;
