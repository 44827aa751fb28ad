import type { Finding } from '../../model/finding.ts';
import type { CaseFile } from '../case/case-file.ts';
import type { GpuCase } from '../case/gpu-case.ts';
import { claim, type Detector, noClaim, observe } from '../detector.ts';
import { gpuName, spanOf } from '../wording.ts';
import { CLOCK_DROP, clockEvidence, clockLoss } from './clock-loss.ts';
import { growthOf } from './growth.ts';

const BRAKE_BIT = 0x80;

/** A shorter brake is the flicker at a change of the power state. */
const LEAST_SECONDS = 5;
const LEAST_CELLS = 2;

/** A brake from outside the card: power supply, BMC or rack. */
export const powerBrake: Detector = {
  id: 'power-brake',
  layer: 'health',
  needs: [],
  detect(file) {
    const isSeen = file.gpus.some(
      ({ reasons, gpu }) => reasons !== null || gpu.has('clock_event_power_brake_seconds_total'),
    );
    if (!isSeen) return [noClaim(powerBrake, file, 'not-evaluable', 'evidence.missing', ['clock_event_reasons'])];
    return file.gpus.flatMap((gpu) => look(file, gpu));
  },
};

function look(file: CaseFile, braking: GpuCase): Finding[] {
  const { window } = file;
  const { gpu, uuid, reasons } = braking;
  const braked = (cell: number): boolean => reasons !== null && (reasons[cell]! & BRAKE_BIT) !== 0;
  let [cells, first, last] = [0, -1, -1];
  for (let cell = 0; cell < window.length; cell++) {
    if (!braked(cell)) continue;
    cells++;
    last = cell;
    if (first < 0) first = cell;
  }
  const sampled = window.secondsOf(braked);
  const growth = growthOf(window, gpu.column('clock_event_power_brake_seconds_total'));
  const counted = growth?.total ?? 0;
  const isSampled = sampled >= LEAST_SECONDS && cells >= LEAST_CELLS;
  if (!isSampled && counted < LEAST_SECONDS) return [];
  const loss = clockLoss(
    file,
    braking,
    Uint8Array.from({ length: window.length }, (_, cell) => (braked(cell) ? 1 : 0)),
  );
  const isSlower = loss !== null && loss.share >= CLOCK_DROP;
  return [
    claim(powerBrake, {
      state: isSampled && (counted >= LEAST_SECONDS || isSlower) ? 'confirmed' : 'likely',
      severity: 'critical',
      gpus: [uuid],
      from: window.at[first < 0 ? (growth?.first ?? 0) : first]!,
      to: window.at[last < 0 ? (growth?.last ?? 0) : last]!,
      lostSeconds: isSlower ? Math.max(sampled, counted) * loss.share : 0,
      evidence: [
        isSampled
          ? observe(
              'evidence.power-brake',
              { gpu: gpuName(gpu.device), span: spanOf(sampled) },
              'clock_event_reasons',
              { seconds: sampled },
            )
          : null,
        counted >= LEAST_SECONDS
          ? observe(
              'evidence.brake-counter',
              { gpu: gpuName(gpu.device), span: spanOf(counted) },
              'clock_event_power_brake_seconds_total',
              { seconds: counted },
            )
          : null,
        isSlower ? clockEvidence(loss) : null,
      ],
    }),
  ];
}
