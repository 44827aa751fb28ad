import { expect, test } from 'vitest';
import type { MetricId } from '../../model/catalogue.ts';
import type { Finding } from '../../model/finding.ts';
import { diagnose } from '../diagnose.ts';
import { noise, type Script, scriptedTicks, windowOf } from '../test-ticks.ts';

const GIB = 2 ** 30;

type Readings = Partial<Record<MetricId, number>>;

interface Beat {
  readonly period: number;
  readonly memory: number;
  readonly waiting: Readings;
}

/** Two GPUs of 80 GiB that work for half of every 12 seconds, in a log of utilisation, memory and power. */
function starvation(change: Partial<Beat> = {}, more: Partial<Script> = {}): Finding {
  const { period = 12, memory = 24, waiting = {} } = change;
  const ticks = scriptedTicks({
    gpus: 2,
    seconds: 900,
    readings: (gpu, second) => {
      const works = second % period < period / 2;
      return {
        utilization_ratio: works ? 0.95 + 0.04 * noise(gpu, second) : 0,
        memory_used_bytes: memory * GIB,
        memory_total_bytes: 80 * GIB,
        power_watts: works ? 600 : 90,
        power_limit_watts: 700,
        ...(works ? {} : waiting),
      };
    },
    ...more,
  });
  return diagnose(windowOf(ticks)).find(({ rule }) => rule === 'data-starvation')!;
}

test('a fast, regular beat in which nothing else can run is likely a lack of data, and the host would settle it', () => {
  const finding = starvation();
  expect(finding).toMatchObject({ state: 'likely', missing: ['host_cpu_ratio', 'host_iowait_ratio'] });
  expect(finding.evidence.some(({ text }) => text.en.includes('30% of the memory in use'))).toBe(true);
});

test.each<readonly [string, Partial<Beat>, Partial<Script>]>([
  ['an optimiser on the CPU, as with a fuller memory', { memory: 40 }, {}],
  ['an environment that asks for small answers', { waiting: { utilization_ratio: 0.1 } }, {}],
  ['a program that gives back half of its memory', { waiting: { memory_used_bytes: 12 * GIB } }, {}],
  ['short epochs, or checkpoints', { period: 58 }, {}],
  ['something else than a host that is seen to rest', {}, { host: () => ({ host_cpu_ratio: 0.2 }) }],
])('where it may be %s, it is possible only', (_name, change, more) => {
  expect(starvation(change, more).state).toBe('possible');
});

test('programs one after another wait for nothing', () => {
  expect(starvation({ waiting: { memory_used_bytes: 2 * GIB } }).state).toBe('ruled-out');
});

test('what goes back to the host tells an optimiser on the CPU, however full the memory is', () => {
  const sending = (rate: number): Finding => starvation({ memory: 60, waiting: { pcie_tx_bytes_per_second: rate } });
  expect(sending(2e7)).toMatchObject({ state: 'likely' });
  expect(sending(8e8)).toMatchObject({ state: 'possible' });
  expect(sending(4e9)).toMatchObject({ state: 'ruled-out' });
});

test('where a GPU of the job goes on meanwhile, the host is not what all of them wait for', () => {
  const ticks = scriptedTicks({
    gpus: 3,
    seconds: 900,
    readings: (gpu, second) => {
      const works = gpu === 0 || second % 12 < 6;
      return {
        utilization_ratio: works ? 0.95 : 0,
        memory_used_bytes: (20 + 10 * gpu) * GIB,
        memory_total_bytes: 80 * GIB,
        power_watts: works ? 600 : 90,
        power_limit_watts: 700,
      };
    },
  });
  const states = diagnose(windowOf(ticks)).flatMap(({ rule, state }) => (rule === 'data-starvation' ? [state] : []));
  expect(states).not.toContain('likely');
});
