import { expect, test } from 'vitest';
import { judgeProgram } from './judge.ts';
import { emptyProgramLog, readProgramLine, saysSomething } from './program-log.ts';

function judged(lines: readonly string[]): ReturnType<typeof judgeProgram> {
  const log = emptyProgramLog();
  for (const line of lines) readProgramLine(log, line);
  return judgeProgram(log);
}

const stateOf = (lines: readonly string[], rule: string): string | undefined =>
  judged(lines).find((finding) => finding.rule === rule)?.state;
const repeat = (count: number, line: (i: number) => string): string[] =>
  Array.from({ length: count }, (_, i) => line(i));

test('time spent waiting for data, in the words of several frameworks', () => {
  const meters = repeat(60, (i) => `Epoch: [0][${i}/5005]\tTime 0.254 (0.3)\tData 0.15${i % 10} (0.2)\tLoss 6.9`);
  const boxes = repeat(
    60,
    (i) =>
      `2026-01-01 eta: 1:00:00  iter: ${i}  total_loss: 0.3  time: 0.45  data_time: 0.30  lr: 0.01  max_mem: 5123M`,
  );
  const colons = repeat(
    60,
    () => 'Epoch [1][50/100] lr: 1e-3, eta: 0:10, time: 1.204, data_time: 0.900, memory: 5000, loss: 0.2',
  );
  for (const lines of [meters, boxes, colons]) expect(stateOf(lines, 'data-starvation')).toBe('likely');
  const fed = repeat(60, () => 'Epoch: [0][1/5]\tTime 0.254 (0.3)\tData 0.001 (0.001)');
  expect(stateOf(fed, 'data-starvation')).toBe('ruled-out');
  expect(stateOf(meters.slice(0, 3), 'data-starvation')).toBe('not-evaluable');
});

test('a gain is promised by enough steps only, and never without bounds', () => {
  const gainOf = (count: number): number | undefined =>
    judged(repeat(count, () => 'Epoch: [0][1/5]\tTime 10.00 (10.0)\tData 9.99 (9.99)'))
      .find(({ rule }) => rule === 'data-starvation')
      ?.evidence.find(({ values }) => 'gain' in values)?.values['gain'];
  expect(gainOf(8)).toBeUndefined();
  expect(gainOf(60)).toBe(20);
});

test('a data time longer than the step is misread, and left out', () => {
  expect(
    stateOf(
      repeat(60, () => 'Time 0.1 Data 20'),
      'data-starvation',
    ),
  ).toBe('not-evaluable');
});

test('memory that the program prints', () => {
  const rising = repeat(30, (i) => `Memory info of GPU 0: current: ${(0.2 + i * 0.03).toFixed(2)}, peak: 2.6`);
  expect(stateOf(rising, 'memory-leak')).toBe('likely');
  expect(stateOf(rising.slice(0, 7), 'memory-leak')).toBe('possible');
  const level = repeat(30, (i) => `GPU memory allocated: ${i < 5 ? 1000 + 100 * i : 1500 + (i % 2)} MiB`);
  expect(stateOf(level, 'memory-leak')).toBe('ruled-out');
});

test('out of memory: fragmentation, a full card, and another process', () => {
  const old =
    'RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 15.90 GiB total capacity; 7.04 GiB already allocated; 1.23 GiB free; 13.50 GiB reserved in total by PyTorch)';
  expect(stateOf([old], 'oom-fragmentation')).toBe('likely');
  const full =
    'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 79.15 GiB of which 10.25 MiB is free. Of the allocated memory 78.10 GiB is allocated by PyTorch, and 12.10 MiB is reserved by PyTorch but unallocated.';
  expect(stateOf([full], 'oom-fragmentation')).toBe('ruled-out');
  expect(stateOf([full], 'memory-near-limit')).toBe('likely');
  const shared =
    'CUDA out of memory. Tried to allocate 1.00 GiB (GPU 0; 16.00 GiB total capacity; 4.00 GiB already allocated; 0.50 GiB free; 4.20 GiB reserved in total by PyTorch)';
  const evidence = judged([shared])
    .find(({ rule }) => rule === 'memory-near-limit')
    ?.evidence.map(({ text }) => text.en);
  expect(evidence?.[1]).toContain('other processes');
});

test('other text says nothing', () => {
  const log = emptyProgramLog();
  for (const line of ['Hello', 'Total time: 5 s', 'Data loaded', '', 'time 12:00:00']) readProgramLine(log, line);
  expect(saysSomething(log)).toBe(false);
});
