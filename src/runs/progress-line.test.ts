import { describe, expect, test } from 'vitest';
import { type ProgressLine, readProgressLine } from './progress-line.ts';

function check(line: string, want: ProgressLine | null): void {
  test(line.trim().slice(0, 90), () => {
    expect(readProgressLine(line)).toEqual(want);
  });
}

describe('Hugging Face trainers', () => {
  check("{'loss': 2.4567, 'grad_norm': 1.234, 'learning_rate': 4.9e-05, 'epoch': 0.01}", {
    epoch: 0.01,
    loss: 2.4567,
    learningRate: 4.9e-5,
  });
  check("{'loss': '0.4567', 'grad_norm': '1.234', 'learning_rate': '4.9e-05', 'epoch': '0.01'}", {
    epoch: 0.01,
    loss: 0.4567,
    learningRate: 4.9e-5,
  });
  check("(RayTrainWorker pid=123) {'loss': 0.5, 'learning_rate': 1e-5, 'epoch': 0.3}", {
    epoch: 0.3,
    loss: 0.5,
    learningRate: 1e-5,
  });
  check("{'eval_loss': 1.98, 'eval_runtime': 12.3, 'eval_samples_per_second': 81.2, 'epoch': 1.0}", {
    epoch: 1,
    evalLoss: 1.98,
    phase: 'eval',
    edge: 'end',
  });
  // The mean over the whole training is no loss of its end.
  check("{'train_runtime': 1234.5, 'train_samples_per_second': 12.3, 'train_loss': 0.42, 'epoch': 3.0}", {
    epoch: 3,
    samplesPerSecond: 12.3,
  });
  check('  Num Epochs = 3', { totalEpochs: 3 });
  check('  Total optimization steps = 12,375', { totalSteps: 12_375 });
  check('***** Running Evaluation *****', { phase: 'eval', edge: 'begin' });
  check('[INFO|trainer.py:3503] 2024-05-01 10:00:00,123 >> Saving model checkpoint to out/checkpoint-500', {
    phase: 'checkpoint',
    edge: 'begin',
  });
});

describe('ms-swift', () => {
  check(
    '{"loss": 1.83, "token_acc": 0.61, "grad_norm": 0.77, "learning_rate": 2e-05, "memory(GiB)": 18.09, "train_speed(s/it)": 3.98, "epoch": 0.05, "global_step/max_steps": "5/100", "percentage": "5.00%", "elapsed_time": "19s", "remaining_time": "6m 9s"}',
    {
      track: 'global_step',
      step: 5,
      totalSteps: 100,
      epoch: 0.05,
      loss: 1.83,
      learningRate: 2e-5,
      secondsPerStep: 3.98,
    },
  );
  check("{'loss': 1.83, 'train_speed(iter/s)': 0.25, 'epoch': 0.05, 'global_step/max_steps': '5/100'}", {
    track: 'global_step',
    step: 5,
    totalSteps: 100,
    epoch: 0.05,
    loss: 1.83,
    secondsPerStep: 4,
  });
});

describe('progress bars', () => {
  check('  2%|▏         | 10/500 [00:05<04:20,  1.88s/it]', {
    track: 'bar',
    step: 10,
    totalSteps: 500,
    secondsPerStep: 1.88,
  });
  check('100%|██████████| 500/500 [04:20<00:00,  2.00it/s]', {
    track: 'bar',
    step: 500,
    totalSteps: 500,
    secondsPerStep: 0.5,
  });
  check('Epoch 3:  45%|████▌     | 90/200 [00:30<00:37,  4.00it/s, v_num=0, train_loss=0.231, val_loss=0.345]', {
    track: 'bar',
    step: 90,
    totalSteps: 200,
    secondsPerStep: 0.25,
    epoch: 3,
    loss: 0.231,
    evalLoss: 0.345,
  });
  check('Epoch 3/9 ━━━━━━━━━━━━━━━━━━━━╸━━━━━━━━━ 90/200 0:00:30 • 0:00:37 4.00it/s v_num: 0 train_loss: 0.231', {
    track: 'bar',
    step: 90,
    totalSteps: 200,
    secondsPerStep: 0.25,
    // The second number is that of the last epoch, counted from 0.
    epoch: 3,
    loss: 0.231,
  });
  check('1|10|Loss: 1.5:   5%|▌    | 10/200 [00:20<06:20,  2.00s/it]', {
    track: 'bar',
    step: 10,
    totalSteps: 200,
    secondsPerStep: 2,
    loss: 1.5,
  });
  check('1875/1875 [==============================] - 5s 2ms/step - loss: 0.2912 - accuracy: 0.9155 - val_loss: 0.14', {
    track: 'bar',
    step: 1875,
    totalSteps: 1875,
    loss: 0.2912,
    evalLoss: 0.14,
  });
  check('Validation DataLoader 0:  50%|█████     | 5/10 [00:01<00:01,  4.10it/s]', { phase: 'eval', edge: 'begin' });
  check('Evaluating: 100%|██████████| 10/10 [00:02<00:00,  4.10it/s]', { phase: 'eval', edge: 'end' });
  check('Sanity Checking DataLoader 0: 100%|██████████| 2/2 [00:00<00:00,  3.50it/s]', null);
  check('Map: 100%|██████████| 1000/1000 [00:01<00:00, 900.00 examples/s]', null);
  check('Loading checkpoint shards: 100%|██████████| 4/4 [00:05<00:00,  1.30s/it]', null);
  check('model.safetensors:  45%|████▌     | 2.1G/4.7G [00:30<00:37, 70MB/s]', null);
});

describe('plain lines', () => {
  check('Epoch 3 loss 0.512', { epoch: 3, loss: 0.512 });
  check('Epoch 3/10 - loss: 0.512 - val_loss: 0.61', { epoch: 3, totalEpochs: 10, loss: 0.512, evalLoss: 0.61 });
  check('Epoch [3/10], Step [100/600], Loss: 0.2116', {
    track: 'step',
    step: 100,
    totalSteps: 600,
    epoch: 3,
    totalEpochs: 10,
    loss: 0.2116,
  });
  check('Epoch: [0][16/5005]\tTime 67.619 (11.054)\tData 67.544 (10.785)\tLoss 6.9076 (6.9079)\tPrec@1 0.000 (0.023)', {
    track: 'batch',
    step: 16,
    totalSteps: 5005,
    epoch: 0,
    loss: 6.9076,
  });
  check("{'train_loss': 0.9, 'step': 40, 'lr': 1e-4}", { track: 'step', step: 40, loss: 0.9, learningRate: 1e-4 });
  check('[2025-01-01 00:00:00] [train] epoch=1 step=100 loss=nan', { track: 'step', step: 100, epoch: 1 });
});

describe('other frameworks', () => {
  check('iter 100: loss 2.3456, time 123.00ms, mfu 12.34%', {
    track: 'iter',
    step: 100,
    loss: 2.3456,
    secondsPerStep: 0.123,
  });
  check(
    ' iteration      100/  500000 | consumed samples:        25600 | elapsed time per iteration (ms): 1234.5 | learning rate: 1.5E-04 | lm loss: 7.123E+00 | loss scale: 1.0 |',
    { track: 'iteration', step: 100, totalSteps: 500_000, loss: 7.123, learningRate: 1.5e-4, secondsPerStep: 1.2345 },
  );
  check('  successfully saved checkpoint from iteration    1000 to checkpoints', { phase: 'checkpoint', edge: 'end' });
  check(
    '[INFO] [timer.py:260:stop] epoch=0/micro_step=100/global_step=100, RunningAvgSamplesPerSec=12.3, CurrSamplesPerSec=12.4',
    {
      track: 'global_step',
      step: 100,
      epoch: 0,
      samplesPerSecond: 12.3,
    },
  );
  check('05/01 10:00:00 - mmengine - INFO - Epoch(train)  [1][  50/7330]  lr: 1.9820e-03  time: 0.21  loss: 1.83', {
    track: 'batch',
    step: 50,
    totalSteps: 7330,
    epoch: 1,
    loss: 1.83,
    learningRate: 1.982e-3,
  });
  check('[05/01 10:00:00 d2.utils.events]:  eta: 0:10:20  iter: 19  total_loss: 2.1  loss_cls: 1.2  lr: 0.00039', {
    track: 'iter',
    step: 19,
    loss: 2.1,
    learningRate: 0.00039,
  });
  check('step:1000/1750 val_loss:3.4512 train_time:234000ms step_avg:234.12ms', {
    track: 'step',
    step: 1000,
    totalSteps: 1750,
    evalLoss: 3.4512,
  });
});

describe('markers for gpulse', () => {
  check('GPULSE step 100 loss=0.5', { track: 'gpulse', step: 100, loss: 0.5 });
  check('GPULSE epoch 3', { epoch: 3 });
  check('GPULSE checkpoint begin', { phase: 'checkpoint', edge: 'begin' });
  check('GPULSE eval end', { phase: 'eval', edge: 'end' });
  check('GPULSE marker new data, loss 3', { phase: 'marker', text: 'new data, loss 3' });
  check('GPULSE step', null);
});

describe('what is none', () => {
  check('trainer.py: starting loss scale 65536', null);
  check('The loss of the match in 1998 was hard', null);
  check('', null);
  test('a long line takes no long time', () => {
    const started = performance.now();
    for (const line of [
      '━'.repeat(5000),
      ' '.repeat(5000),
      '1%|'.repeat(2000),
      'epoch '.repeat(2000),
      '9/'.repeat(3000),
    ]) {
      readProgressLine(line);
    }
    expect(performance.now() - started).toBeLessThan(500);
  });
});
