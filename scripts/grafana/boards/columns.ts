import type { Step, Word } from '../panels.ts';

/** Labels of a table with one row per device; `gpu` is for links. */
export const DEVICE_LABELS = [
  { label: 'host', name: { en: 'Host', zh: '主机' } },
  { label: 'device', name: { en: 'Device', zh: '设备' } },
  { label: 'gpu', name: { en: 'gpu', zh: 'gpu' } },
] as const;

/** Degrees that are left before a device slows down. */
export const MARGIN_STEPS: readonly Step[] = [
  { from: null, color: 'red' },
  { from: 1, color: 'orange' },
  { from: 6, color: 'green' },
];

/** None is good. */
export const NONE_STEPS: readonly Step[] = [
  { from: null, color: 'green' },
  { from: 1, color: 'red' },
];

/** Whether a device answers. */
export const STATE_STEPS: readonly Word[] = [
  { value: 0, text: { en: 'no', zh: '否' }, color: 'red' },
  { value: 1, text: { en: 'yes', zh: '是' }, color: 'green' },
];
