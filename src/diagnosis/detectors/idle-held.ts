import type { Finding } from '../../model/finding.ts';
import type { CaseFile } from '../case/case-file.ts';
import type { GpuCase } from '../case/gpu-case.ts';
import { IDLE_BELOW } from '../case/working.ts';
import { claim, type Detector, noClaim, observe } from '../detector.ts';
import { lastingLoosely, outerSpan, secondsIn } from '../spells.ts';
import { mean, meanUnder, median, present } from '../statistics/summary.ts';
import { gpuName, percent, spanOf } from '../wording.ts';

const LEAST_SECONDS = 900;
const LONG_SECONDS = 3600;

/** Held: this much memory, or a process that computes with some. */
const HELD = 0.5;
const HELD_BY_PROCESS = 0.02;

/** Where nobody lists processes, so much is more than a driver and a display take. */
const PERHAPS_HELD = 0.1;

/** A touch of work now and then is still idle: so much of the time, for so long at most. */
const BUSY_SHARE = 0.05;
const TOUCH_SECONDS = 10;

/** Memory that is held for long by a program that does nothing. */
export const idleHeld: Detector = {
  id: 'idle-held',
  layer: 'performance',
  needs: ['utilization_ratio'],
  detect(file) {
    const { window, gpus } = file;
    if ((window.to - window.from) / 1000 < LEAST_SECONDS)
      return [noClaim(idleHeld, file, 'not-evaluable', 'evidence.too-short-for-idle')];
    const known = gpus.filter(({ memory, gpu, util }) => util !== null && (memory !== null || gpu.computing !== null));
    if (known.length === 0)
      return [
        noClaim(idleHeld, file, 'not-evaluable', 'evidence.missing', ['memory_used_bytes', 'memory_total_bytes']),
      ];
    return known.flatMap((gpu) => look(file, gpu));
  },
};

function look({ window }: CaseFile, gpu: GpuCase): Finding[] {
  const { util, memory, workload } = gpu;
  const { computing } = gpu.gpu;
  const isHeld = (cell: number): boolean => {
    const share = memory?.[cell] ?? Number.NaN;
    if (computing === null) return share >= PERHAPS_HELD;
    return share >= HELD || (computing[cell]! > 0 && !(share < HELD_BY_PROCESS));
  };
  const spells = lastingLoosely(
    window,
    LEAST_SECONDS,
    TOUCH_SECONDS,
    (cell) => util![cell]! < IDLE_BELOW && isHeld(cell),
  ).filter(
    ({ start, end }) =>
      present(util!, null, start, end).filter((value) => value >= IDLE_BELOW).length <= BUSY_SHARE * (end - start),
  );
  if (spells.length === 0) return [];
  const seconds = secondsIn(window, spells);
  const longest = Math.max(...spells.map((spell) => secondsIn(window, [spell])));
  const level = mean(Float64Array.from(spells, ({ start, end }) => meanUnder(util!, null, start, end)));
  const held =
    memory === null
      ? Number.NaN
      : median(spells.flatMap(({ start, end }) => [...present(memory, null, start, Math.min(end, start + 1000))]));
  const [first] = spells;
  const holder = gpu.gpu.processes
    .filter(({ first: since, last, kind }) => kind !== 'graphics' && since <= first!.start && last >= first!.end - 1)
    .sort((a, b) => b.peakBytes - a.peakBytes)[0];
  const isServing = workload === 'serve';
  const isSure = computing !== null || held >= HELD;
  return [
    claim(idleHeld, {
      ...outerSpan(window, spells),
      state: holder !== undefined && held >= HELD ? 'confirmed' : isSure ? 'likely' : 'possible',
      severity: longest >= LONG_SECONDS && !isServing && isSure ? 'warning' : 'info',
      gpus: [gpu.uuid],
      lostSeconds: seconds,
      evidence: [
        observe(
          'evidence.held',
          {
            gpu: gpuName(gpu.gpu.device),
            memory: Number.isNaN(held) ? '?' : percent(held),
            span: spanOf(seconds),
            util: percent(level),
          },
          'utilization_ratio',
          { seconds, util: level, ...(Number.isNaN(held) ? {} : { memory: held }) },
        ),
        holder === undefined
          ? null
          : observe('evidence.held-by', { pid: holder.pid, name: holder.name ?? '?', user: holder.user ?? '?' }, null, {
              pid: holder.pid,
            }),
      ],
    }),
  ];
}
