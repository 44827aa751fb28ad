import { readdirSync } from 'node:fs';
import type { Card } from '../drm/cards.ts';

/** One graphics unit (GT) of a card, by the names that its driver gives the files. */
export interface GraphicsUnit {
  /** Only encodes and decodes. */
  readonly isMedia: boolean;
  /** Files of clocks in MHz below the card's folder in `/sys/class/drm`. */
  readonly actual: string;
  readonly requested: string;
  readonly highest: string;
  /** Milliseconds in the deepest idle state. */
  readonly idle: readonly string[];
  /** File that tells whether clocks are held down at all, and folder and prefix of those that tell why. */
  readonly isHeld: string;
  readonly reasons: string;
}

/** The units of a card, the one that draws and computes first; empty where the driver tells of none. */
export function findUnits(card: Card): GraphicsUnit[] {
  const xe = names(`${card.path}/device`, /^tile\d+$/).flatMap((tile) =>
    names(`${card.path}/device/${tile}`, /^gt\d+$/).map((gt) => xeUnit(`device/${tile}/${gt}`, tile, gt)),
  );
  const i915 = names(`${card.path}/gt`, /^gt\d+$/).map((gt) => i915Unit(`gt/${gt}`, gt));
  const units = xe.length > 0 ? xe : i915.length > 0 ? i915 : legacyUnit(card);
  return units.sort((a, b) => Number(a.isMedia) - Number(b.isMedia));
}

/** The second unit of a tile is the one for video; the first of a second tile draws and computes as well. */
function xeUnit(path: string, tile: string, gt: string): GraphicsUnit {
  return {
    isMedia: tile === 'tile0' && gt !== 'gt0',
    actual: `${path}/freq0/act_freq`,
    requested: `${path}/freq0/cur_freq`,
    highest: `${path}/freq0/rp0_freq`,
    idle: [`${path}/gtidle/idle_residency_ms`],
    isHeld: `${path}/freq0/throttle/status`,
    reasons: `${path}/freq0/throttle/reason_`,
  };
}

function i915Unit(path: string, gt: string): GraphicsUnit {
  return {
    isMedia: gt !== 'gt0',
    actual: `${path}/rps_act_freq_mhz`,
    requested: `${path}/rps_cur_freq_mhz`,
    highest: `${path}/rps_RP0_freq_mhz`,
    idle: [`${path}/rc6_residency_ms`, 'power/rc6_residency_ms'],
    isHeld: `${path}/throttle_reason_status`,
    reasons: `${path}/throttle_reason_`,
  };
}

/** Kernels before 5.18 have one set of files in the card's own folder. */
function legacyUnit({ path }: Card): GraphicsUnit[] {
  if (names(path, /^gt_(act|cur)_freq_mhz$/).length === 0) return [];
  return [
    {
      isMedia: false,
      actual: 'gt_act_freq_mhz',
      requested: 'gt_cur_freq_mhz',
      highest: 'gt_RP0_freq_mhz',
      idle: ['power/rc6_residency_ms'],
      isHeld: 'gt_throttle_reason_status',
      reasons: 'gt_throttle_reason_',
    },
  ];
}

function names(folder: string, pattern: RegExp): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => pattern.test(name))
      .sort();
  } catch {
    return [];
  }
}
