import { describe, expect, test } from 'vitest';
import { ProgressLog } from './progress.ts';
import { readProgressLine } from './progress-line.ts';

/** Lines with the seconds at which they come, read one after the other. */
function follow(lines: readonly (readonly [number, string])[]) {
  const log = new ProgressLog();
  const marks = lines.flatMap(([second, text]) => {
    const line = readProgressLine(text);
    return line === null ? [] : log.add(line, second * 1000);
  });
  const end = (lines.at(-1)?.[0] ?? 0) + 1;
  return { progress: log.progress(), marks: [...marks, ...log.end(end * 1000)] };
}

function texts(lines: readonly (readonly [number, string])[]): string[] {
  return follow(lines).marks.map(({ at, params }) => `${at / 1000} ${params['text']}`);
}

describe('steps', () => {
  test('their mean time is what passed between the first and the last', () => {
    const { progress } = follow([
      [10, 'step 1 loss 3'],
      [14, 'step 3 loss 2'],
      [20, 'step 6/100 loss 1.5'],
    ]);
    expect(progress).toMatchObject({ step: 6, totalSteps: 100, loss: 1.5, meanStepSeconds: 2 });
  });

  test('are counted on where every epoch begins at 0 again', () => {
    const { progress } = follow([
      [0, 'Epoch [1/2], Step [1/3], Loss: 1'],
      [2, 'Epoch [1/2], Step [3/3], Loss: 1'],
      [60, 'Epoch [2/2], Step [1/3], Loss: 1'],
      [62, 'Epoch [2/2], Step [3/3], Loss: 1'],
    ]);
    expect(progress.meanStepSeconds).toBe(1);
  });

  test('of two counters that run side by side the one that went furthest tells the time', () => {
    const { progress } = follow([
      [0, '  0%|    | 0/100 [00:00<?, ?it/s]'],
      [5, "{'loss': 2.0, 'epoch': 0.1, 'global_step/max_steps': '5/100'}"],
      [10, ' 10%|█   | 10/100 [00:10<01:30,  1.00s/it]'],
    ]);
    expect(progress.meanStepSeconds).toBe(1);
  });

  test('are marked once a second', () => {
    const lines = Array.from({ length: 50 }, (_, i) => [i / 10, `step ${i} loss 1`] as const);
    expect(texts(lines).length).toBe(5);
  });

  test('what a program measures itself counts where only one step was seen', () => {
    expect(follow([[0, 'iter 100: loss 2.3, time 250.00ms']]).progress.meanStepSeconds).toBe(0.25);
  });
});

describe('phases', () => {
  test('an epoch is marked when it is first named', () => {
    expect(
      texts([
        [0, 'Epoch 1/3'],
        [5, 'Epoch 1 loss 0.5'],
        [9, 'Epoch 2/3'],
      ]),
    ).toEqual(['0 epoch 1', '9 epoch 2']);
  });

  test('a fraction of an epoch is no beginning, a new whole part is', () => {
    expect(
      texts([
        [0, "{'loss': 1, 'epoch': 0.4}"],
        [9, "{'loss': 1, 'epoch': 1.1}"],
      ]),
    ).toEqual(['9 epoch 1']);
  });

  test('an evaluation lasts until its figures come, or until training goes on', () => {
    expect(
      texts([
        [0, '***** Running Evaluation *****'],
        [7, "{'eval_loss': 1.5, 'epoch': 1.0}"],
      ]),
    ).toEqual(['0 eval begin', '7 eval end', '7 epoch 1']);
    expect(
      texts([
        [0, '***** Running Evaluation *****'],
        [7, 'step 5 loss 1'],
      ]),
    ).toEqual(['0 eval begin', '7 eval end', '7 step 5 loss 1']);
  });

  test('checkpoints are counted, and an open one ends with the run', () => {
    const { progress, marks } = follow([
      [0, 'Saving model checkpoint to a'],
      [3, 'step 5'],
      [9, 'Saving model checkpoint to b'],
    ]);
    expect(progress.checkpoints).toBe(2);
    expect(marks.filter(({ params }) => params['edge'] === 'end').map(({ at }) => at)).toEqual([3000, 10_000]);
  });
});

test('a run that prints nothing of that kind has no progress', () => {
  const { progress, marks } = follow([
    [0, 'hello'],
    [1, 'world'],
  ]);
  expect(marks).toEqual([]);
  expect(Object.values(progress).filter((value) => value !== null)).toEqual([0, 0]);
});
