import { expect, test } from 'vitest';
import type { GpuEvent } from '../../model/event.ts';
import type { Finding, RuleId } from '../../model/finding.ts';
import { diagnose } from '../diagnose.ts';
import { type Script, scriptedTicks, windowOf } from '../test-ticks.ts';

const GIB = 2 ** 30;
const START = Date.UTC(2026, 0, 5, 8);

/** Seven stretches of work with a minute and a half between them, unless told otherwise. */
function found(rule: RuleId, bytesBetween: number, more: Partial<Script> = {}, period = 400, works = 310): Finding {
  const ticks = scriptedTicks({
    gpus: 1,
    seconds: 2800,
    readings: (_, second) => {
      const isBusy = second % period < works;
      return {
        utilization_ratio: isBusy ? 0.95 : 0,
        memory_used_bytes: isBusy ? 30 * GIB : bytesBetween,
        memory_total_bytes: 80 * GIB,
      };
    },
    ...more,
  });
  return diagnose(windowOf(ticks)).find((finding) => finding.rule === rule)!;
}

/** A marker at the end of each epoch. */
const epochs = (second: number): readonly GpuEvent[] =>
  second % 400 === 312
    ? [{ at: START + second * 1000, kind: 'marker', severity: 'info', uuid: null, params: { phase: 'epoch' } }]
    : [];

test('regular pauses in which the memory stays are those of one program: between epochs or for a checkpoint, who knows', () => {
  const finding = found('epoch-gap', 30 * GIB);
  expect(finding).toMatchObject({ state: 'possible', missing: ['host_disk_write_bytes_per_second'] });
  expect(finding.evidence.at(-1)?.text.en).toMatch(/^either the time between two epochs, or a checkpoint/);
  expect(finding.evidence.at(-1)?.text.zh).toContain('停顿期间的磁盘写入量可以区分');
  expect(finding.fix.en).toMatch(/^Find out first what the program does in the pauses/);
});

test('what is written to disk settles it', () => {
  const writing = (rate: number): Partial<Script> => ({ host: () => ({ host_disk_write_bytes_per_second: rate }) });
  const gap = found('epoch-gap', 30 * GIB, writing(1e6));
  expect(gap).toMatchObject({ state: 'likely', missing: [] });
  expect(gap.fix.en).toMatch(/^persistent_workers/);
  expect(found('checkpoint-stall', 30 * GIB, writing(9e8)).state).toBe('likely');
});

test('where the memory is given back one program has ended and another begins', () => {
  expect(found('epoch-gap', 0.01 * GIB).state).toBe('ruled-out');
});

test('a program that marks its epochs lives through them, whatever it gives back', () => {
  const finding = found('epoch-gap', 0.01 * GIB, { events: epochs });
  expect(finding).toMatchObject({ state: 'likely' });
  expect(finding.evidence[1]?.values['count']).toBe(6);
});

test('a beat that is sampled too seldom to be seen makes no pauses', () => {
  // Waits of 13 s every 38 s: of samples every 10 s now one is idle, now two.
  expect(found('epoch-gap', 30 * GIB, {}, 38, 25).state).toBe('ruled-out');
  expect(found('epoch-gap', 30 * GIB, { every: 10 }, 38, 25).state).toBe('ruled-out');
  // Waits of 18 s every 45 s: every second one is two samples long.
  expect(found('epoch-gap', 30 * GIB, { every: 10 }, 45, 27).state).toBe('ruled-out');
});
