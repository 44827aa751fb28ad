import type { MetricEntry } from './entry.ts';

type States = NonNullable<MetricEntry['states']>;

/** Words for a mode that is on or off. */
export const DISABLED_ENABLED = [
  { value: 0, word: { en: 'off', zh: '关' }, smi: 'Disabled' },
  { value: 1, word: { en: 'on', zh: '开' }, smi: 'Enabled' },
] as const satisfies States;

/** Words for something that is so or not. */
export const NO_YES = [
  { value: 0, word: { en: 'no', zh: '否' }, smi: 'No' },
  { value: 1, word: { en: 'yes', zh: '是' }, smi: 'Yes' },
] as const satisfies States;
