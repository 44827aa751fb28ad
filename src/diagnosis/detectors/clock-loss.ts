import type { Evidence } from '../../model/finding.ts';
import type { CaseFile } from '../case/case-file.ts';
import type { GpuCase } from '../case/gpu-case.ts';
import { observe } from '../detector.ts';
import { type Mask, medianUnder, quantilesUnder } from '../statistics/summary.ts';
import { amount, percent } from '../wording.ts';

/** A clock this much lower is a loss that shows. */
export const CLOCK_DROP = 0.05;

/** The usual clock and the one it was held at, in hertz, and the share that was lost. */
export interface Loss {
  readonly usual: number;
  readonly held: number;
  readonly share: number;
}

/** What the clock lost while something held it down: against its own pace at the same work, or that of its peers. */
export function clockLoss(file: CaseFile, gpu: GpuCase, held: Mask): Loss | null {
  const { clock, util, work } = gpu;
  if (clock === null) return null;
  const free = new Uint8Array(held.length);
  const down = new Uint8Array(held.length);
  for (let cell = 0; cell < held.length; cell++) {
    const isBusy = util === null || util[cell]! >= 0.5;
    if (isBusy && held[cell] === 1) down[cell] = 1;
    if (isBusy && held[cell] === 0 && work.mask[cell] === 1) free[cell] = 1;
  }
  const own = quantilesUnder(clock, free, [0.9])[0]!;
  const peers = file.gpus
    .filter((other) => other !== gpu && other.clock !== null)
    .map((other) => medianUnder(other.clock!, down));
  const usual = Math.max(0, ...[own, ...peers].filter((value) => !Number.isNaN(value)));
  const low = medianUnder(clock, down);
  return usual === 0 || Number.isNaN(low) ? null : { usual, held: low, share: Math.max(0, 1 - low / usual) };
}

/** The clock that was lost, in words. */
export function clockEvidence({ usual, held, share }: Loss): Evidence {
  return observe(
    'evidence.clock-drop',
    { low: amount(held, 'hertz'), high: amount(usual, 'hertz'), share: percent(share) },
    'sm_clock_hertz',
    { held, usual, share },
  );
}
