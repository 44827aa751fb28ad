import type { Text } from './text.ts';

/** What commands say of where the history is kept. */
export const HISTORY_MESSAGES = {
  'serve.history-url': {
    en: 'keep the history in a Prometheus-compatible engine, such as http://HOST:8428; see history: in --config',
    zh: '将历史数据保存到兼容 Prometheus 的引擎，如 http://HOST:8428；更多设置见 --config 的 history:',
  },
  'export.config': {
    en: 'configuration file of "gpulse serve", for the login where the history is in an engine',
    zh: '“gpulse serve” 的配置文件；历史数据在外部引擎时从中读取认证信息',
  },
} as const satisfies Record<string, Text>;
