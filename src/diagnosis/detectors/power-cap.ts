import type { Finding } from '../../model/finding.ts';
import type { CaseFile } from '../case/case-file.ts';
import { atWork, type GpuCase, typicalAtWork } from '../case/gpu-case.ts';
import { claim, type Detector, noClaim, observe } from '../detector.ts';
import { lasting, outerSpan, secondsIn } from '../spells.ts';
import { median } from '../statistics/summary.ts';
import { amount, gpuName, percent, spanOf } from '../wording.ts';

const CAP_BIT = 0x4;
const EXPLAINED_BITS = 0x2 | 0x8 | 0x10 | 0x20 | 0x40 | 0x80;

/** A limit below this share of the default was lowered by somebody. */
const LOWERED = 0.95;

/** Capped below this share of the limit is not the limit's doing. */
const EARLY = 0.8;
const EARLY_SECONDS = 120;

/** A clock this low at full load, with no reason given, is a power state that got stuck. */
const STUCK = 0.5;
const STUCK_SECONDS = 120;

/** A power limit that was lowered, or a card that is capped though it draws far less. */
export const powerCap: Detector = {
  id: 'power-cap',
  layer: 'health',
  needs: ['power_watts', 'power_limit_watts'],
  detect(file) {
    const found = file.gpus.flatMap((gpu) => [...lowered(file, gpu), ...cappedEarly(file, gpu), ...stuck(file, gpu)]);
    if (found.length > 0) return found;
    const full = file.gpus.map((gpu) => atLimit(gpu)).filter((share) => share >= 0.5);
    if (full.length > 0 && file.gpus.some((gpu) => atLimit(gpu) >= 0.5 && !gpu.gpu.has('power_limit_default_watts')))
      return [noClaim(powerCap, file, 'not-evaluable', 'evidence.limit-unknown', ['power_limit_default_watts'])];
    return full.length === 0
      ? []
      : [
          noClaim(
            powerCap,
            file,
            'ruled-out',
            observe('evidence.at-limit', { share: percent(Math.max(...full)) }, 'power_watts', {
              share: Math.max(...full),
            }),
          ),
        ];
  },
};

/** Share of its work that a GPU spends at its power limit: what heavy load does. */
function atLimit(gpu: GpuCase): number {
  const { power, limitWatts } = gpu;
  if (power === null || limitWatts === null) return 0;
  const watts = atWork(gpu, power);
  let full = 0;
  for (const value of watts) if (value >= 0.97 * limitWatts) full++;
  return watts.length === 0 ? 0 : full / watts.length;
}

function lowered({ window }: CaseFile, { gpu, uuid, limitWatts }: GpuCase): Finding[] {
  const normal = gpu.peak('power_limit_default_watts');
  if (limitWatts === null || normal === null || limitWatts >= LOWERED * normal) return [];
  const seen = observe(
    'evidence.limit-low',
    { gpu: gpuName(gpu.device), limit: amount(limitWatts, 'watts'), normal: amount(normal, 'watts') },
    'power_limit_watts',
    { limit: limitWatts, default: normal },
  );
  return [
    claim(powerCap, {
      state: 'likely',
      severity: 'info',
      gpus: [uuid],
      from: window.from,
      to: window.to,
      evidence: [seen],
    }),
  ];
}

function cappedEarly({ window }: CaseFile, gpu: GpuCase): Finding[] {
  const { reasons, power, util, limitWatts } = gpu;
  if (reasons === null || power === null || util === null || limitWatts === null) return [];
  const isEarly = (cell: number): boolean =>
    (reasons[cell]! & CAP_BIT) !== 0 &&
    (reasons[cell]! & EXPLAINED_BITS) === 0 &&
    util[cell]! >= 0.8 &&
    power[cell]! <= EARLY * limitWatts;
  const spells = lasting(window, EARLY_SECONDS, isEarly);
  if (spells.length === 0) return [];
  const seconds = secondsIn(window, spells);
  const watts = median(spells.flatMap(({ start, end }) => [...power.subarray(start, end)]));
  const seen = observe(
    'evidence.capped-early',
    {
      gpu: gpuName(gpu.gpu.device),
      span: spanOf(seconds),
      power: amount(watts, 'watts'),
      limit: amount(limitWatts, 'watts'),
    },
    'power_watts',
    { seconds, power: watts, limit: limitWatts },
  );
  return [
    claim(powerCap, {
      state: 'confirmed',
      severity: 'warning',
      gpus: [gpu.uuid],
      ...outerSpan(window, spells),
      evidence: [seen],
    }),
  ];
}

function stuck({ window, gpus }: CaseFile, gpu: GpuCase): Finding[] {
  const { clock, util, reasons } = gpu;
  const most = gpu.gpu.peak('sm_clock_max_hertz') ?? gpu.gpu.peak('graphics_clock_max_hertz');
  if (clock === null || util === null || most === null || reasons === null) return [];
  const isStuck = (cell: number): boolean =>
    util[cell]! >= 0.8 && clock[cell]! <= STUCK * most && (reasons[cell]! & (EXPLAINED_BITS | CAP_BIT)) === 0;
  const spells = lasting(window, STUCK_SECONDS, isStuck);
  const isAlone =
    spells.length > 0 &&
    gpus.some((other) => other !== gpu && other.clock !== null && typicalAtWork(other, other.clock) > 0.8 * most);
  if (spells.length === 0) return [];
  const low = median(spells.flatMap(({ start, end }) => [...clock.subarray(start, end)]));
  const seen = observe(
    'evidence.stuck-clock',
    { gpu: gpuName(gpu.gpu.device), clock: amount(low, 'hertz'), most: amount(most, 'hertz') },
    'sm_clock_hertz',
    { clock: low, most },
  );
  const seconds = secondsIn(window, spells);
  return [
    claim(powerCap, {
      state: isAlone ? 'likely' : 'possible',
      severity: 'warning',
      gpus: [gpu.uuid],
      ...outerSpan(window, spells),
      lostSeconds: isAlone ? seconds * (1 - low / most) : 0,
      evidence: [seen],
    }),
  ];
}
