import type { Finding } from '../../model/finding.ts';
import type { CaseFile } from '../case/case-file.ts';
import { type GpuCase, typicalAtWork } from '../case/gpu-case.ts';
import { claim, type Detector, noClaim, observe } from '../detector.ts';
import { amount, gpuName, percent } from '../wording.ts';
import { linkLoad } from './link-load.ts';

const LOW = 0.5;
const LINK_FULL = 0.4;
const MEMORY_BUSY = 0.6;
const LEAST_SECONDS = 60;

/** Low utilisation while copies fill the link or the memory. */
export const copyBound: Detector = {
  id: 'copy-bound',
  layer: 'performance',
  needs: ['utilization_ratio'],
  leastSeconds: LEAST_SECONDS,
  detect(file) {
    const known = file.gpus.filter(
      ({ gpu }) => gpu.has('pcie_rx_bytes_per_second') || gpu.has('memory_utilization_ratio'),
    );
    if (known.length === 0)
      return [
        noClaim(copyBound, file, 'not-evaluable', 'evidence.missing', [
          'pcie_rx_bytes_per_second',
          'memory_utilization_ratio',
        ]),
      ];
    return known.flatMap((gpu) => look(file, gpu));
  },
};

function look({ window }: CaseFile, gpu: GpuCase): Finding[] {
  const { level, work } = gpu;
  if (level === null || level.p50 >= LOW || level.mean >= LOW || work.seconds < LEAST_SECONDS || usesVideo(gpu))
    return [];
  const load = linkLoad(gpu);
  const memoryBusy = typicalAtWork(gpu, gpu.gpu.column('memory_utilization_ratio'));
  const isLinkFull = load !== null && load.share >= LINK_FULL;
  const isMemoryBusy = memoryBusy >= MEMORY_BUSY;
  if (!isLinkFull && !isMemoryBusy) return [];
  const name = gpuName(gpu.gpu.device);
  return [
    claim(copyBound, {
      state: isLinkFull && isMemoryBusy ? 'confirmed' : isLinkFull ? 'likely' : 'possible',
      severity: 'warning',
      gpus: [gpu.uuid],
      from: window.at[work.bouts[0]!.start]!,
      to: window.at[work.bouts.at(-1)!.end - 1]!,
      lostSeconds: (1 - level.mean) * work.seconds,
      evidence: [
        isLinkFull
          ? observe(
              'evidence.link-full',
              {
                gpus: name,
                rate: amount(load.rate, 'bytes-per-second'),
                share: percent(load.share),
                util: percent(level.mean),
              },
              'pcie_rx_bytes_per_second',
              { rate: load.rate, share: load.share, util: level.mean },
            )
          : null,
        isMemoryBusy
          ? observe(
              'evidence.memory-controller',
              { gpus: name, share: percent(memoryBusy), util: percent(level.mean) },
              'memory_utilization_ratio',
              { share: memoryBusy, util: level.mean },
            )
          : null,
      ],
      missing: load === null ? ['pcie_rx_bytes_per_second', 'pcie_tx_bytes_per_second'] : [],
    }),
  ];
}

/** Video engines read and write memory without a kernel. */
function usesVideo(gpu: GpuCase): boolean {
  return (['encoder_utilization_ratio', 'decoder_utilization_ratio'] as const).some(
    (id) => typicalAtWork(gpu, gpu.gpu.column(id)) > 0.05,
  );
}
