import type { CaseFile } from '../case/case-file.ts';
import { type GpuCase, typicalAtWork } from '../case/gpu-case.ts';
import { claim, type Detector, noClaim, observe } from '../detector.ts';
import { median } from '../statistics/summary.ts';
import { amount, gpuName } from '../wording.ts';

/** Cards in one chassis differ by up to 10 °C by their place alone. */
const DEGREES = 12;

/** Power counts as similar within this share. */
const SIMILAR_POWER = 0.15;

/** Work for less long has not warmed a card up. */
const LEAST_SECONDS = 120;

/** One GPU that is much hotter than its peers at the same work. */
export const thermalOutlier: Detector = {
  id: 'thermal-outlier',
  layer: 'health',
  needs: ['temperature_celsius', 'utilization_ratio'],
  detect(file) {
    if (file.gpus.length < 2) return [noClaim(thermalOutlier, file, 'not-evaluable', 'evidence.one-gpu')];
    if (file.gpus.length === 2) return [noClaim(thermalOutlier, file, 'not-evaluable', 'evidence.two-gpus')];
    const peers = file.gpus.filter(({ temperature, work }) => temperature !== null && work.seconds >= LEAST_SECONDS);
    if (peers.length < 3)
      return [noClaim(thermalOutlier, file, 'not-evaluable', 'evidence.no-work', ['temperature_celsius'])];
    return peers.flatMap((gpu) =>
      look(
        file,
        gpu,
        peers.filter((other) => other !== gpu),
      ),
    );
  },
};

function look({ window }: CaseFile, gpu: GpuCase, others: readonly GpuCase[]): ReturnType<Detector['detect']> {
  const heat = (one: GpuCase): number => typicalAtWork(one, one.temperature);
  const watts = (one: GpuCase): number => typicalAtWork(one, one.power);
  const own = heat(gpu);
  const usual = median(others.map(heat));
  if (own - usual < DEGREES) return [];
  const [ownWatts, usualWatts] = [watts(gpu), median(others.map(watts).filter((value) => !Number.isNaN(value)))];
  if (ownWatts > usualWatts * (1 + SIMILAR_POWER)) return [];
  return [
    claim(thermalOutlier, {
      state: Number.isNaN(ownWatts) ? 'possible' : 'likely',
      severity: 'warning',
      gpus: [gpu.uuid],
      from: window.from,
      to: window.to,
      evidence: [
        observe(
          'evidence.hotter',
          { gpu: gpuName(gpu.gpu.device), own: amount(own, 'celsius'), others: amount(usual, 'celsius') },
          'temperature_celsius',
          { own, others: usual },
        ),
      ],
      missing: Number.isNaN(ownWatts) ? ['power_watts'] : [],
    }),
  ];
}
