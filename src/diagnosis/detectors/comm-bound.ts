import type { CaseFile } from '../case/case-file.ts';
import type { Job } from '../case/jobs.ts';
import { claim, type Detector, noClaim, observe } from '../detector.ts';
import { median, medianUnder } from '../statistics/summary.ts';
import { amount, gpuNames, percent } from '../wording.ts';
import { linkLoad } from './link-load.ts';

/** A link this full, on every GPU of a job, is what the job waits for. */
const LINK_FULL = 0.6;
const LEAST_SECONDS = 60;

/** A job whose GPUs fill their PCIe links with each other's data. */
export const commBound: Detector = {
  id: 'comm-bound',
  layer: 'performance',
  needs: ['pcie_tx_bytes_per_second', 'pcie_rx_bytes_per_second'],
  leastSeconds: LEAST_SECONDS,
  detect(file) {
    if (file.gpus.length < 2) return [noClaim(commBound, file, 'not-evaluable', 'evidence.one-gpu')];
    return file.jobs.filter(({ gpus }) => gpus.length >= 2).flatMap((job) => look(file, job));
  },
};

function look({ window }: CaseFile, { gpus, isKnown }: Job): ReturnType<Detector['detect']> {
  const members = gpus.filter(
    ({ work, level }) => work.seconds >= LEAST_SECONDS && level !== null && level.mean >= 0.5,
  );
  const loads = members.flatMap((gpu) => linkLoad(gpu) ?? []);
  if (loads.length < 2 || loads.length < members.length) return [];
  const least = Math.min(...loads.map(({ share }) => share));
  if (least < LINK_FULL) return [];
  const links = members.map(({ gpu }) => gpu.column('nvlink_tx_bytes_per_second')).filter((column) => column !== null);
  const isUnused = links.length > 0 && links.every((column) => medianUnder(column, null) < 1e8);
  const rate = median(loads.map((load) => load.rate));
  const level = median(members.map((gpu) => gpu.level!.mean));
  return [
    claim(commBound, {
      state: isUnused && isKnown ? 'likely' : 'possible',
      severity: 'warning',
      gpus: members.map(({ uuid }) => uuid),
      from: window.from,
      to: window.to,
      evidence: [
        observe(
          'evidence.link-full',
          {
            gpus: gpuNames(members.map(({ gpu }) => gpu.device)),
            rate: amount(rate, 'bytes-per-second'),
            share: percent(least),
            util: percent(level),
          },
          'pcie_tx_bytes_per_second',
          { rate, share: least },
        ),
        isUnused ? observe('evidence.nvlink-unused', {}) : null,
      ],
      missing: links.length === 0 ? ['nvlink_tx_bytes_per_second'] : [],
    }),
  ];
}
