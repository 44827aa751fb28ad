import type { Evidence } from '../../model/finding.ts';
import { type GpuCase, typicalAtWork } from '../case/gpu-case.ts';
import { type Rhythm, waitsUnder } from '../case/rhythm-profile.ts';
import { observe } from '../detector.ts';
import { type Mask, meanUnder, median, medianUnder, quantilesUnder } from '../statistics/summary.ts';
import { amount, percent } from '../wording.ts';

/** A beat this regular is that of a program; requests do not come like that. */
const STEADY_BEAT = 0.5;

/** Fewer waits a minute may be those between short epochs, or for checkpoints. */
const WAITS_PER_MINUTE = 4 / 3;

/** While a GPU waits for input nothing runs on it. Short answers to a simulated environment, or a generated text, do. */
const AT_REST = 0.06;

/** One that keeps less than this while it waits has ended. */
const RELEASED = 0.2;

/** A program that keeps at least this share of its memory has not ended in between. */
const KEPT = 0.9;

/** What goes back to the host while the GPU waits is no input. */
export const SENDS_BACK = 1.5e9;

/** Less than this does not feed an optimiser on the CPU. */
const SENDS_LITTLE = 2e8;

/** An optimiser takes up to three times what weights and gradients do: with no more than this in use it has hardly been moved. */
const ROOMY = 0.4;

/** A GPU in the part of its work in which it waits in a beat. */
interface Waiting {
  readonly gpu: GpuCase;
  readonly spans: readonly Rhythm[];
  readonly mask: Mask;
  /** The cells under the mask in which it waits. */
  readonly waits: Mask;
}

/** Bytes per second to the host while a GPU waits in its work; null where nobody counts. */
export function sentBack({ gpu, util, work }: GpuCase): number | null {
  const tx = gpu.column('pcie_tx_bytes_per_second');
  if (tx === null || util === null) return null;
  const sent = meanUnder(tx, waitsUnder(util, work.mask).cells);
  return Number.isNaN(sent) ? null : sent;
}

/** True where the memory is given back in the pauses: programs run one after another, and none waits. */
export function endsInPauses({ gpu: { memory }, mask, waits }: Waiting): boolean {
  return memory !== null && medianUnder(memory, waits) < RELEASED * quantilesUnder(memory, mask, [0.95])[0]!;
}

/**
 * What else waits in a beat is excluded without a look at the host: requests (the beat is too regular), epochs and
 * checkpoints (it is too fast), a simulated environment (nothing runs in the pauses), programs one after another (the
 * memory stays), an optimiser on the CPU (nothing is sent to it, or hardly anybody would need it). Null where one of them
 * cannot be.
 */
export function onlyInput(waiting: readonly Waiting[]): Evidence | null {
  if (!waiting.every(isSteady)) return null;
  const copies = waiting.map(({ gpu }) => sentBack(gpu));
  const fullest = Math.max(...waiting.map(({ gpu }) => typicalAtWork(gpu, gpu.memory)));
  if (copies.every((rate) => rate !== null && rate < SENDS_LITTLE)) {
    const rate = Math.max(...copies.map((one) => one ?? 0));
    const words = { rate: amount(rate, 'bytes-per-second') };
    return observe('evidence.only-input-sent', words, 'pcie_tx_bytes_per_second', { rate });
  }
  if (copies.some((rate) => rate !== null) || !(fullest <= ROOMY)) return null;
  return observe('evidence.only-input-room', { share: percent(fullest) }, 'memory_used_bytes', { share: fullest });
}

function isSteady({ gpu, spans, waits }: Waiting): boolean {
  const { util, memory } = gpu;
  if (util === null || memory === null) return false;
  const isBeat = median(spans.map(({ strength }) => strength)) >= STEADY_BEAT;
  if (!isBeat || median(spans.map(({ cyclesPerMinute }) => cyclesPerMinute)) < WAITS_PER_MINUTE) return false;
  if (!(medianUnder(util, waits) <= AT_REST)) return false;
  const [kept = 0] = quantilesUnder(memory, waits, [0.05]);
  return kept >= KEPT * typicalAtWork(gpu, memory);
}
