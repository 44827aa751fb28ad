import type { DeviceState } from '../model/device.ts';

/** Storage code of a state: its position, so new states go at the end. */
export const DEVICE_STATES: readonly DeviceState[] = ['ok', 'lost', 'asleep', 'stale'];
