import { expect, test } from 'vitest';
import { testDevice, testSample } from '../model/scripted-source.ts';
import { DrainPace } from './drain-pace.ts';

test.each([
  [1, 256],
  [8, 114],
  [64, 16],
  [2000, 1],
])('with %i GPUs it is time to wait after %i ticks, again and again', (gpus, ticks) => {
  const pace = new DrainPace();
  const devices = Array.from({ length: gpus }, (_, index) => testSample(testDevice(index)));
  const tick = { at: 0, monotonic: 0, devices, events: [] };
  const due = Array.from({ length: 3 * ticks }, () => pace.isDueAfter(tick));
  expect(due.flatMap((isDue, i) => (isDue ? [i + 1] : []))).toEqual([ticks, 2 * ticks, 3 * ticks]);
});
