import { describe, expect, test } from 'vitest';
import { slotOf } from '../model/catalogue.ts';
import { type Finding, NAMED_STATES } from '../model/finding.ts';
import type { Source } from '../model/ports.ts';
import type { ReadingSet } from '../model/reading-set.ts';
import type { Tick } from '../model/tick.ts';
import { openSimulator } from '../sources/simulator/simulator-source.ts';
import { diagnose } from './diagnose.ts';
import { windowOf } from './test-ticks.ts';

const START = Date.UTC(2026, 0, 5, 8);
const MINUTES = 40;

async function ticksOf(source: Source, from = START): Promise<Tick[]> {
  const ticks: Tick[] = [];
  for (let second = 0; second < MINUTES * 60; second++) ticks.push((await source.sample(from + second * 1000))!);
  return ticks;
}

/** Rules with the GPUs they are about: what must not change. */
function verdict(ticks: readonly Tick[]): string[] {
  return diagnose(windowOf(ticks))
    .filter(({ state }: Finding) => NAMED_STATES.includes(state))
    .map(({ rule, gpus }) => `${rule} ${[...gpus].sort().join(',')}`)
    .sort();
}

function changed(tick: Tick, change: (readings: ReadingSet) => void): Tick {
  const devices = tick.devices.map((sample) => {
    if (sample.state !== 'ok') return sample;
    const readings = sample.readings.clone();
    change(readings);
    return { ...sample, readings };
  });
  return { ...tick, devices };
}

/** The machine after the job has ended: nothing is held, nothing is hot, nobody computes. */
function resting(last: Tick, seconds: number): Tick[] {
  return Array.from({ length: seconds }, (_, second) => {
    const later = {
      ...last,
      at: last.at + (second + 1) * 1000,
      monotonic: last.monotonic + (second + 1) * 1000,
      events: [],
    };
    const { devices, ...rest } = changed(later, (readings) => {
      readings.setValue(slotOf('utilization_ratio'), 0);
      readings.setValue(slotOf('memory_used_bytes'), 2 ** 29);
      readings.setValue(slotOf('power_watts'), 75);
      readings.setValue(slotOf('temperature_celsius'), 45);
      readings.setValue(slotOf('clock_event_reasons'), 1);
    });
    return { ...rest, devices: devices.map((sample) => ({ ...sample, processes: [] })) };
  });
}

/** All GPUs do nothing for a while, as when rank 0 evaluates. */
function withDip(ticks: readonly Tick[], from: number, seconds: number): Tick[] {
  return ticks.map((tick, second) =>
    second < from || second >= from + seconds
      ? tick
      : changed(tick, (readings) => {
          readings.setValue(slotOf('utilization_ratio'), 0);
          readings.setValue(slotOf('power_watts'), 120);
        }),
  );
}

const SCENARIOS = [
  'healthy-training',
  'data-starved',
  'thermal-throttle',
  'imbalance',
  'gpu-lost,at=25m',
  'idle-held,at=0',
  'memory-leak',
] as const;

const WANT: Readonly<Record<(typeof SCENARIOS)[number], readonly string[]>> = {
  'healthy-training': [],
  'data-starved': ['data-starvation'],
  'thermal-throttle': ['thermal-throttle'],
  imbalance: ['imbalance'],
  'gpu-lost,at=25m': ['gpu-lost', 'xid'],
  'idle-held,at=0': ['idle-held'],
  'memory-leak': ['memory-leak'],
};

describe.each(SCENARIOS)('%s', (name) => {
  const spec = `${name},gpus=4,history=0`;

  test('the cause is named, however it is told', async () => {
    const ticks = await ticksOf(openSimulator(spec));
    const plain = verdict(ticks);
    expect([...new Set(plain.map((line) => line.split(' ')[0]))]).toEqual(WANT[name]);
    const same = (changed: readonly Tick[], how: string): void => expect(verdict(changed), how).toEqual(plain);
    same(
      ticks.map((tick) => ({ ...tick, devices: [...tick.devices].reverse() })),
      'other order of the GPUs',
    );
    same(
      ticks.map((tick) => ({ ...tick, at: tick.at + 86_400_000 * 400 })),
      'another day',
    );
    same(
      ticks.flatMap((tick, index) => (index % 7 === 0 ? [tick, tick] : [tick])),
      'rows that come twice',
    );
    same(
      ticks.filter(({ events }, index) => events.length > 0 || index % 2 === 0),
      'half the rate',
    );
    same(
      ticks.filter(({ events }, index) => events.length > 0 || (index * 7919) % 100 !== 0),
      'missed samples',
    );
    same([...ticks, ...resting(ticks.at(-1)!, 240)], 'an idle tail');
    if (name !== 'idle-held,at=0') same(withDip(ticks, 700, 45), 'an evaluation in between');
  });
});
