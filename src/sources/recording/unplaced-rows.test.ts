import { describe, expect, test } from 'vitest';
import { decode, readingsOf, shapeOf } from './decode-text.ts';

const T0 = Date.UTC(2026, 0, 1);
const HEADER = 'timestamp, utilization.gpu [%]';
const GPUS = 4;

/** A log that names no GPU: the one in place `n` is always at `10 * n + 5` %. `missing` says which rows are not there. */
function log(ticks: number, missing: (tick: number, gpu: number) => boolean, { apartMs = 1 } = {}): string {
  const rows = Array.from({ length: ticks * GPUS }, (_, row) => [Math.floor(row / GPUS), row % GPUS] as const);
  const lines = rows
    .filter(([tick, gpu]) => !missing(tick, gpu))
    .map(([tick, gpu]) => {
      const time = new Date(T0 + tick * 1000 + gpu * apartMs).toISOString().slice(0, -1).replace('T', ' ');
      return `${time}, ${gpu * 10 + 5} %`;
    });
  return `${[HEADER, ...lines].join('\n')}\n`;
}

describe('where only its place tells the GPU of a row, none is given the values of another', () => {
  const check = (text: string, wholeTicks: number, unplaced: number) => {
    const decoded = decode(text);
    expect(shapeOf(decoded)).toEqual(Array.from({ length: wholeTicks }, () => 'log-0 log-1 log-2 log-3'));
    expect(readingsOf(decoded, 'utilization_ratio')).toEqual(
      Array.from({ length: wholeTicks }, () => [0.05, 0.15, 0.25, 0.35]).flat(),
    );
    expect(decoded.skipped).toEqual(unplaced === 0 ? {} : { unplaced });
    expect(decoded.notices.map(({ key }) => key)).toContain('notice.gpus-by-place');
  };

  for (const apartMs of [0, 1, 40]) {
    test(`with rows ${apartMs} ms apart`, () => {
      check(
        log(20, () => false, { apartMs }),
        20,
        0,
      );
      check(
        log(20, (tick, gpu) => tick === 3 && gpu === 1, { apartMs }),
        19,
        3,
      );
      check(
        log(20, (tick, gpu) => tick === 0 && gpu === 0, { apartMs }),
        19,
        3,
      );
      check(
        log(20, (tick, gpu) => tick === 19 && gpu >= 2, { apartMs }),
        19,
        2,
      );
      check(
        log(800, (tick, gpu) => tick >= 500 && tick < 600 && gpu === 0, { apartMs }),
        700,
        300,
      );
    });
  }

  test('a tick with a row too many is skipped, two in one second are two', () => {
    const [header, ...rows] = log(6, () => false, { apartMs: 0 }).split('\n');
    const one = rows.toSpliced(4, 0, rows[4] ?? '');
    expect(decode([header, ...one].join('\n')).skipped).toEqual({ unplaced: 5 });
    const two = rows.toSpliced(4, 0, ...rows.slice(4, 8));
    expect(decode([header, ...two].join('\n'))).toMatchObject({ skipped: {}, rows: 28 });
  });

  test('names that come round without times tell a row that is missing', () => {
    const round = 'A, 1 %\nA, 2 %\nB, 3 %\n';
    const decoded = decode(
      `name, utilization.gpu [%]\n${round.repeat(5)}A, 1 %\nB, 3 %\n${round.repeat(5)}A, 1 %\nA, 2 %\n`,
    );
    expect(readingsOf(decoded, 'utilization_ratio')).toEqual(
      Array.from({ length: 10 }, () => [0.01, 0.02, 0.03]).flat(),
    );
    expect(decoded.skipped).toEqual({ unplaced: 4 });
  });
});
