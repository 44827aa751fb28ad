import type { Text } from './i18n/text.ts';

/**
 * A reason that holds clocks below their maximum: one bit of `clock_event_reasons`. Bit values are NVML's; from 0x10000 on
 * they stand for reasons that only drivers of other vendors tell apart.
 */
export interface ClockEventReason {
  readonly bit: number;
  readonly id: string;
  /** nvidia-smi's name of the single-reason field, behind `clocks_event_reasons.`. */
  readonly smi: string | null;
  readonly word: Text;
  /** Trouble means that the device is slowed against its owner's will; the rest is normal operation. */
  readonly trouble: boolean;
}

export const CLOCK_EVENT_REASONS = [
  { bit: 0x1, id: 'gpu-idle', smi: 'gpu_idle', word: { en: 'idle', zh: '空闲' }, trouble: false },
  {
    bit: 0x2,
    id: 'applications-clocks',
    smi: 'applications_clocks_setting',
    word: { en: 'clocks set', zh: '频率设定' },
    trouble: false,
  },
  { bit: 0x4, id: 'power-cap', smi: 'sw_power_cap', word: { en: 'power cap', zh: '达到功耗上限' }, trouble: false },
  { bit: 0x8, id: 'hw-slowdown', smi: 'hw_slowdown', word: { en: 'hw slowdown', zh: '硬件降频' }, trouble: true },
  { bit: 0x10, id: 'sync-boost', smi: 'sync_boost', word: { en: 'sync boost', zh: '同步加速' }, trouble: false },
  {
    bit: 0x20,
    id: 'sw-thermal',
    smi: 'sw_thermal_slowdown',
    word: { en: 'sw thermal', zh: '软件温控降频' },
    trouble: true,
  },
  {
    bit: 0x40,
    id: 'hw-thermal',
    smi: 'hw_thermal_slowdown',
    word: { en: 'hw thermal', zh: '硬件过热降频' },
    trouble: true,
  },
  {
    bit: 0x80,
    id: 'power-brake',
    smi: 'hw_power_brake_slowdown',
    word: { en: 'power brake', zh: '外部供电制动' },
    trouble: true,
  },
  { bit: 0x100, id: 'display-clocks', smi: null, word: { en: 'display clocks', zh: '显示频率' }, trouble: false },
  { bit: 0x10000, id: 'current-limit', smi: null, word: { en: 'current limit', zh: '电流限制' }, trouble: false },
] as const satisfies readonly ClockEventReason[];

/** All bits that mean the device is being slowed against its owner's will. */
export const TROUBLE_BITS = CLOCK_EVENT_REASONS.reduce((mask, reason) => mask | (reason.trouble ? reason.bit : 0), 0);

/** The named reasons set in a mask, lowest bit first. Unknown bits are left out. */
export function reasonsIn(mask: number): readonly ClockEventReason[] {
  return CLOCK_EVENT_REASONS.filter((reason) => (mask & reason.bit) !== 0);
}

/** True where the mask holds a reason that is trouble: the device is throttled. */
export function isThrottled(mask: number): boolean {
  return (mask & TROUBLE_BITS) !== 0;
}
