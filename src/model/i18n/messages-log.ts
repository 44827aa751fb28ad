import type { Text } from './text.ts';

/** What the lines that `serve` writes while it runs are put together with. */
export const LOG_MESSAGES = {
  'log.gpu': { en: 'GPU {index} ({name})', zh: 'GPU {index}（{name}）' },
  'log.about': { en: '{gpu}: {sentence}', zh: '{gpu}：{sentence}' },
  'log.left-out': {
    en: '{sentence} (like it before, left out: {count})',
    zh: '{sentence}（此前已省略同类：{count} 条）',
  },
  'log.gone': { en: 'No longer so: {sentence}', zh: '已解除：{sentence}' },
} as const satisfies Record<string, Text>;
