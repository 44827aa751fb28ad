import { expect, test } from 'vitest';
import { conclude, type Diagnosis } from '../diagnosis.ts';
import type { OutputLine } from '../run-facts.ts';
import { type Script, scriptedTicks } from '../test-ticks.ts';
import { TickLog } from '../window/tick-log.ts';

const START = Date.UTC(2026, 0, 5, 8);

/** What a loop prints that waits for so large a share of every step. */
function printed(waiting: number): OutputLine[] {
  return Array.from({ length: 100 }, (_, step) => ({
    at: START + step * 5000,
    text: `Epoch: [0][${step}/100] Time 1.000 (1.000) Data ${waiting.toFixed(3)} (${waiting.toFixed(3)})`,
  }));
}

function concluded(readings: Script['readings'], output: readonly OutputLine[]): Diagnosis {
  const log = new TickLog();
  for (const tick of scriptedTicks({ gpus: 1, seconds: 600, readings })) log.add(tick);
  return conclude(log, {
    ...{ name: 'run', format: 'gpulse', rows: null, skipped: {}, gpus: null, from: null, to: null, notices: [] },
    seesXids: true,
    output,
  });
}

const starvation = ({ findings }: Diagnosis) => findings.find(({ rule }) => rule === 'data-starvation')!;

const sawtooth: Script['readings'] = (_, second) => ({
  utilization_ratio: second % 9 < 5 ? 0.95 : 0,
  power_watts: second % 9 < 5 ? 600 : 100,
});
const busy: Script['readings'] = () => ({ utilization_ratio: 0.97, power_watts: 600 });

test('readings and the program name the same cause: it is confirmed, with the evidence of both', () => {
  expect(starvation(concluded(sawtooth, [])).state).toBe('possible');
  const { state, missing, evidence, gpus } = starvation(concluded(sawtooth, printed(0.45)));
  expect([state, missing, gpus.length]).toEqual(['confirmed', [], 1]);
  expect(evidence.flatMap(({ values }) => Object.keys(values))).toEqual(expect.arrayContaining(['waiting', 'count']));
});

test('what only fits the readings is ruled out by a program that measures itself', () => {
  const { state, severity, lostSeconds } = starvation(concluded(sawtooth, printed(0.01)));
  expect([state, severity, lostSeconds]).toEqual(['ruled-out', 'info', 0]);
});

test('what is inferred without a look at the host is ruled out by it too', () => {
  const held: Script['readings'] = (gpu, second) => ({
    ...sawtooth(gpu, second),
    memory_used_bytes: 30 * 2 ** 30,
    memory_total_bytes: 80 * 2 ** 30,
  });
  expect(starvation(concluded(held, [])).state).toBe('likely');
  expect(starvation(concluded(held, printed(0.01))).state).toBe('ruled-out');
});

test('what the readings do not show is told by the program', () => {
  expect(starvation(concluded(busy, printed(0.6))).state).toBe('likely');
  expect(starvation(concluded(busy, [{ at: START, text: 'loading' }])).state).toBe('ruled-out');
});
