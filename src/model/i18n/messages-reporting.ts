import type { Text } from './text.ts';

/** What is to be said of the receivers that readings are pushed to. */
export const REPORTING_NOTICES = {
  'notice.sink-failing': {
    en: 'The receiver {sink} does not take what is pushed to it: {reason}. Samples given up so far: {lost}',
    zh: '向 {sink} 推送失败：{reason}。已放弃的样本数：{lost}',
  },
  'notice.sink-lost': {
    en: 'Samples for the receiver {sink} that had to be given up since the start: {lost}',
    zh: '启动以来未能送达 {sink} 而放弃的样本数：{lost}',
  },
} as const satisfies Readonly<Record<string, Text>>;
