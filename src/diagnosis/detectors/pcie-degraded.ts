import type { Evidence, Finding } from '../../model/finding.ts';
import type { CaseFile } from '../case/case-file.ts';
import type { GpuCase } from '../case/gpu-case.ts';
import { claim, type Detector, noClaim, observe } from '../detector.ts';
import { lasting, outerSpan, secondsIn } from '../spells.ts';
import { gpuName, spanOf } from '../wording.ts';
import { growthOf } from './growth.ts';

/** An idle card lowers its link to save power; one at work has it up. */
const BUSY = 0.5;
const LEAST_SECONDS = 30;

/** Replays a minute that are normal for 16 lanes, by generation: the bit error rate that PCIe allows. */
const REPLAYS_PER_MINUTE = [0, 4, 4, 8, 16, 31, 61];

/** A link that is slower under load than it can be, or that has to repeat too much. */
export const pcieDegraded: Detector = {
  id: 'pcie-degraded',
  layer: 'health',
  needs: [],
  detect(file) {
    const isKnown = file.gpus.some(
      ({ gpu }) =>
        (gpu.has('pcie_link_generation') && gpu.has('pcie_link_generation_max')) ||
        (gpu.has('pcie_link_width') && gpu.has('pcie_link_width_max')) ||
        gpu.has('pcie_replay_total'),
    );
    if (!isKnown)
      return [
        noClaim(pcieDegraded, file, 'not-evaluable', 'evidence.missing', ['pcie_link_generation', 'pcie_link_width']),
      ];
    return file.gpus.flatMap((gpu) => look(file, gpu));
  },
};

function look(file: CaseFile, gpu: GpuCase): Finding[] {
  const { window } = file;
  const slow = slowLink(file, gpu);
  const replay = growthOf(window, gpu.gpu.column('pcie_replay_total'));
  const generation = gpu.gpu.peak('pcie_link_generation') ?? 3;
  const lanes = gpu.gpu.peak('pcie_link_width') ?? 16;
  const most = Math.ceil((REPLAYS_PER_MINUTE[generation] ?? 16) * (lanes / 16));
  const repeats = replay !== null && replay.worstMinute > most ? replay : null;
  if (slow === null && repeats === null) return [];
  return [
    claim(pcieDegraded, {
      state: slow !== null && repeats !== null ? 'confirmed' : 'likely',
      severity: 'warning',
      gpus: [gpu.uuid],
      from: slow?.from ?? window.at[repeats!.first]!,
      to: slow?.to ?? window.at[repeats!.last]!,
      evidence: [
        slow?.seen ?? null,
        repeats === null
          ? null
          : observe(
              'evidence.pcie-replay',
              { gpu: gpuName(gpu.gpu.device), rate: repeats.worstMinute },
              'pcie_replay_total',
              { worstMinute: repeats.worstMinute, most },
            ),
      ],
    }),
  ];
}

function slowLink(
  { window }: CaseFile,
  { gpu, util, work }: GpuCase,
): { seen: Evidence; from: number; to: number } | null {
  const [generation, width] = [gpu.column('pcie_link_generation'), gpu.column('pcie_link_width')];
  const [genMax, widthMax] = [gpu.peak('pcie_link_generation_max'), gpu.peak('pcie_link_width_max')];
  const busy = (cell: number): boolean => util !== null && util[cell]! >= BUSY;
  const isSlow = (cell: number): boolean =>
    busy(cell) &&
    ((generation !== null && genMax !== null && generation[cell]! < genMax) ||
      (width !== null && widthMax !== null && width[cell]! < widthMax));
  const spells = lasting(window, LEAST_SECONDS, isSlow);
  const seconds = secondsIn(window, spells);
  // The link takes a moment to come up, so most of the work must be slow.
  if (spells.length === 0 || seconds < 0.5 * window.secondsOf((cell) => work.mask[cell] === 1 && busy(cell)))
    return null;
  const [first] = spells;
  const gen = generation?.[first!.start] ?? Number.NaN;
  const lanes = width?.[first!.start] ?? Number.NaN;
  const values = {
    generation: gen,
    generationMax: genMax ?? Number.NaN,
    width: lanes,
    widthMax: widthMax ?? Number.NaN,
    seconds,
  };
  const known = Object.fromEntries(Object.entries(values).filter(([, value]) => !Number.isNaN(value)));
  const word = (value: number | null): string => (value === null || Number.isNaN(value) ? '?' : String(value));
  const seen = observe(
    'evidence.pcie-link',
    {
      gpu: gpuName(gpu.device),
      gen: word(gen),
      width: word(lanes),
      genMax: word(genMax),
      widthMax: word(widthMax),
      span: spanOf(seconds),
    },
    'pcie_link_generation',
    known,
  );
  return { seen, ...outerSpan(window, spells) };
}
