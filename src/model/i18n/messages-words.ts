import type { Text } from './text.ts';

/** Single words and short phrases shared by every view. */
export const WORD_MESSAGES = {
  'state.ok': { en: 'ok', zh: '正常' },
  'state.lost': { en: 'lost', zh: '掉卡' },
  'state.asleep': { en: 'asleep', zh: '休眠' },
  'state.stale': { en: 'stale', zh: '数据过期' },
  'state.throttled': { en: 'throttled', zh: '降频' },
  'state.busy': { en: 'busy', zh: '忙碌' },
  'state.free': { en: 'free', zh: '空闲' },
  'state.held': { en: 'idle but held', zh: '占而不用' },
  'absent.not-supported': { en: 'not supported', zh: '不支持' },
  'absent.no-permission': { en: 'no permission', zh: '无权限' },
  'absent.not-found': { en: 'not found', zh: '未找到' },
  'absent.gpu-lost': { en: 'GPU lost', zh: '掉卡' },
  'absent.mig': { en: 'not reported with MIG', zh: 'MIG 模式下不上报' },
  'absent.asleep': { en: 'asleep', zh: '休眠' },
  'absent.error': { en: 'read error', zh: '读取出错' },
  'absent.not-collected': { en: 'not collected', zh: '未采集' },
  'severity.info': { en: 'info', zh: '提示' },
  'severity.warning': { en: 'warning', zh: '警告' },
  'severity.critical': { en: 'critical', zh: '严重' },
} as const satisfies Record<string, Text>;
