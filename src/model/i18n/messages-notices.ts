import type { Text } from './text.ts';

/** Remarks of a source on its own data. */
export const NOTICE_MESSAGES = {
  'notice.rows-skipped': { en: '{count} rows were skipped: {reason}', zh: '跳过 {count} 行：{reason}' },
} as const satisfies Record<`notice.${string}`, Text>;

export type NoticeKey = keyof typeof NOTICE_MESSAGES;
