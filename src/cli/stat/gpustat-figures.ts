import { slotOf } from '../../model/catalogue.ts';
import type { DeviceSample } from '../../model/tick.ts';

const MIB = 2 ** 20;

/** Figures of a GPU in gpustat's units: whole °C, percent, watts and MiB, cut off where it cuts off. Null where absent. */
export interface GpustatFigures {
  readonly temperature: number | null;
  readonly fan: number | null;
  readonly utilization: number | null;
  readonly encoder: number | null;
  readonly decoder: number | null;
  readonly power: number | null;
  readonly powerLimit: number | null;
  readonly memoryUsed: number | null;
  readonly memoryTotal: number | null;
}

const SLOTS = {
  temperature: slotOf('temperature_celsius'),
  fan: slotOf('fan_speed_ratio'),
  utilization: slotOf('utilization_ratio'),
  encoder: slotOf('encoder_utilization_ratio'),
  decoder: slotOf('decoder_utilization_ratio'),
  power: slotOf('power_watts'),
  powerLimit: slotOf('power_limit_watts'),
  memoryUsed: slotOf('memory_used_bytes'),
  memoryTotal: slotOf('memory_total_bytes'),
} as const;

export function gpustatFigures({ readings }: DeviceSample): GpustatFigures {
  const percent = (slot: number): number | null => scaled(readings.number(slot), (value) => Math.round(value * 100));
  return {
    temperature: scaled(readings.number(SLOTS.temperature), Math.round),
    fan: percent(SLOTS.fan),
    utilization: percent(SLOTS.utilization),
    encoder: percent(SLOTS.encoder),
    decoder: percent(SLOTS.decoder),
    power: scaled(readings.number(SLOTS.power), Math.trunc),
    powerLimit: scaled(readings.number(SLOTS.powerLimit), Math.trunc),
    memoryUsed: wholeMiB(readings.number(SLOTS.memoryUsed)),
    memoryTotal: wholeMiB(readings.number(SLOTS.memoryTotal)),
  };
}

/** Whole MiB of a number of bytes, cut off as gpustat does. */
export function wholeMiB(bytes: number | null): number | null {
  return scaled(bytes, (value) => Math.trunc(value / MIB));
}

function scaled(value: number | null, by: (value: number) => number): number | null {
  return value === null ? null : by(value);
}
