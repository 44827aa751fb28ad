import { join, resolve } from 'node:path';
import { CATALOGUE } from '../src/model/catalogue.ts';
import type { ReadingSet } from '../src/model/reading-set.ts';
import { openRecording } from '../src/sources/recording/recording-source.ts';
import { openSimulator } from '../src/sources/simulator/simulator-source.ts';

const LOGS = resolve(import.meta.dirname, '../testdata/logs/csv');
/** Logs of real cards, long enough to be more than a moment. */
const REAL = [
  'epoch-nounits-noheader.log',
  'a100-2s-long-mostly-idle.log',
  'h200-2s-mostly-idle.log',
  'rtx2070-gap180s.csv',
];
const SIMULATED_GPUS = 8;

export const GPUS = SIMULATED_GPUS + REAL.length;

/** Readings of every GPU at one second. */
export interface TraceTick {
  readonly at: number;
  readonly gpus: readonly ReadingSet[];
}

/**
 * The trace all engines get: eight simulated H100 at work, and four real cards whose logs are played one row a second,
 * again and again. Ticks come a little late, as live ones do. The same start gives the same trace.
 */
export async function* trace(start: number, seconds: number): AsyncGenerator<TraceTick> {
  const real = await Promise.all(REAL.map((name) => readingsIn(join(LOGS, name))));
  const simulator = openSimulator(`demo,gpus=${SIMULATED_GPUS},history=0`);
  let random = 1;
  for (let second = 0; second < seconds; second++) {
    random = (random * 1_103_515_245 + 12_345) % 2 ** 31;
    const at = start + second * 1000 + Math.floor(-Math.log((random + 1) / 2 ** 31));
    const tick = await simulator.sample(at);
    const simulated = (tick?.devices ?? []).map(({ readings }) => readings);
    yield { at, gpus: [...simulated, ...real.map((rows) => rows[second % rows.length]!)] };
  }
  await simulator.close();
}

async function readingsIn(path: string): Promise<readonly ReadingSet[]> {
  const source = await openRecording({ path, timeZone: 'UTC' });
  const rows: ReadingSet[] = [];
  for (let tick = await source.sample(0); tick !== null; tick = await source.sample(0)) {
    if (tick.devices[0] !== undefined) rows.push(tick.devices[0].readings);
  }
  await source.close();
  return rows;
}

/** Present values of a tick. */
export function samplesIn({ gpus }: TraceTick): number {
  let count = 0;
  for (const { codes } of gpus) for (let slot = 0; slot < CATALOGUE.length; slot++) if (codes[slot] === 0) count++;
  return count;
}
