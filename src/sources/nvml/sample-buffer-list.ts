import type { MetricId } from '../../model/catalogue.ts';
import { SAMPLING } from './abi.ts';
import { ASK } from './asking.ts';
import { SampleCursor } from './sample-cursor.ts';

/** One of the driver's buffers, and what is made of the samples in it. */
export interface Buffered {
  readonly type: number;
  readonly peak: MetricId;
  readonly trough: MetricId;
  /** Only where the reading of the moment is not itself a mean over about a tick. */
  readonly mean?: MetricId;
  /** From the driver's unit to that of the catalogue: a larger number there is a larger one here. */
  readonly toBase: (value: number) => number;
  /** No sample, in the driver's unit, is larger. */
  readonly max: number;
}

const MILLIWATTS = { toBase: (value: number) => value / 1000, max: 10_000_000 } as const;
const PERCENT = { toBase: (value: number) => value / 100, max: 100 } as const;
const MEGAHERTZ = { toBase: (value: number) => value * 1e6, max: 20_000 } as const;

/** Looked at in every tick. */
export const EVERY_TICK: readonly Buffered[] = [
  {
    type: SAMPLING.power,
    peak: 'power_peak_watts',
    trough: 'power_trough_watts',
    mean: 'power_mean_watts',
    ...MILLIWATTS,
  },
];

/** One of these per tick, in turn: what each call says is seldom worth what it costs, and a spike is kept for its turn. */
export const IN_TURN: readonly Buffered[] = [
  {
    type: SAMPLING.gpuUtilization,
    peak: 'utilization_peak_ratio',
    trough: 'utilization_trough_ratio',
    mean: 'utilization_mean_ratio',
    ...PERCENT,
  },
  {
    type: SAMPLING.processorClock,
    peak: 'sm_clock_peak_hertz',
    trough: 'sm_clock_trough_hertz',
    mean: 'sm_clock_mean_hertz',
    ...MEGAHERTZ,
  },
  {
    type: SAMPLING.memoryUtilization,
    peak: 'memory_utilization_peak_ratio',
    trough: 'memory_utilization_trough_ratio',
    ...PERCENT,
  },
  {
    type: SAMPLING.memoryClock,
    peak: 'memory_clock_peak_hertz',
    trough: 'memory_clock_trough_hertz',
    ...MEGAHERTZ,
  },
  {
    type: SAMPLING.encoder,
    peak: 'encoder_utilization_peak_ratio',
    trough: 'encoder_utilization_trough_ratio',
    ...PERCENT,
  },
  {
    type: SAMPLING.decoder,
    peak: 'decoder_utilization_peak_ratio',
    trough: 'decoder_utilization_trough_ratio',
    ...PERCENT,
  },
];

/** Every metric that comes of the buffers. */
export const SAMPLED_METRICS: readonly MetricId[] = [...EVERY_TICK, ...IN_TURN].flatMap(({ peak, trough, mean }) =>
  mean === undefined ? [peak, trough] : [peak, trough, mean],
);

/** What is known of one GPU's buffers; by position, those of every tick first. */
export class BufferMemory {
  readonly asking = new Uint8Array(EVERY_TICK.length + IN_TURN.length);
  readonly cursors = Array.from(this.asking, () => new SampleCursor());
  /** 1 for a buffer that has given a sample. */
  readonly proven = new Uint8Array(this.asking.length);
  turn = 0;

  /** After a reset of the GPU. */
  forget(): void {
    this.asking.fill(ASK);
    this.proven.fill(0);
    for (const cursor of this.cursors) cursor.reset();
  }
}
