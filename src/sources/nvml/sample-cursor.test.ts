import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SampleCursor } from './sample-cursor.ts';

const SECOND = 1e6;
const WALL = 1_790_000_000 * SECOND;

/** Rows of a stamp each; the largest one that 64 bits hold where it is larger. */
function rowsOf(stamps: readonly number[]): Uint32Array {
  return Uint32Array.from(
    stamps.flatMap((stamp) => (stamp >= 2 ** 64 ? [0xffffffff, 0xffffffff] : [stamp % 2 ** 32, stamp / 2 ** 32])),
  );
}

/** One look of a cursor at a driver that keeps these stamps; gives the stamps that count. */
function look(cursor: SampleCursor, kept: readonly number[], wall: number, nowMs: number): number[] {
  cursor.begin(wall, nowMs);
  const rows = kept.filter((stamp) => stamp > cursor.since);
  cursor.see(rowsOf(rows), rows.length, 2, 0);
  cursor.end(nowMs);
  return rows.filter((stamp) => stamp > cursor.from && stamp <= cursor.newest);
}

describe('where a reader stands in what the driver keeps', () => {
  test('the first look takes the last second, if that is about now', () => {
    const kept = [WALL - 5 * SECOND, WALL - 0.9 * SECOND, WALL - 0.2 * SECOND];
    expect(look(new SampleCursor(), kept, WALL, 0)).toEqual(kept.slice(1));
    const old = kept.map((stamp) => stamp - 60 * SECOND);
    const cursor = new SampleCursor();
    expect(look(cursor, old, WALL, 0)).toEqual([]);
    expect(cursor.isBlind).toBe(false);
  });

  test('an empty buffer is not the same as one that only shows where to begin', () => {
    const cursor = new SampleCursor();
    expect(look(cursor, [], WALL, 0)).toEqual([]);
    expect(cursor.isBlind).toBe(false);
    expect(look(cursor, [77 * SECOND], WALL, 1000)).toEqual([]);
    expect(cursor.isBlind).toBe(true);
    expect(look(cursor, [77 * SECOND, 78 * SECOND], WALL, 2000)).toEqual([78 * SECOND]);
    expect(cursor.isBlind).toBe(false);
  });

  test('stamps that are impossible move nothing', () => {
    const cursor = new SampleCursor();
    const wrong = [WALL + 3600 * SECOND, WALL * 4, 2 ** 64, 0];
    expect(look(cursor, [...wrong, WALL - 1], WALL, 0)).toEqual([WALL - 1]);
    expect(look(cursor, [...wrong, WALL - 1, WALL + SECOND], WALL + SECOND, 1000)).toEqual([WALL + SECOND]);
    const alone = new SampleCursor();
    expect(look(alone, wrong, WALL, 0)).toEqual([]);
    expect(alone.isBlind).toBe(true);
  });

  test('a wall clock that is set back begins anew at once', () => {
    const cursor = new SampleCursor();
    look(cursor, [WALL], WALL, 0);
    const back = WALL - 3600 * SECOND;
    expect(look(cursor, [WALL, back + SECOND], back + SECOND, 1000)).toEqual([back + SECOND]);
    expect(look(cursor, [WALL, back + SECOND, back + 2 * SECOND], back + 2 * SECOND, 2000)).toEqual([
      back + 2 * SECOND,
    ]);
  });

  test('on another clock a wrong stamp is outlived in ten seconds', () => {
    const cursor = new SampleCursor();
    const wrong = 5000 * SECOND;
    const wasBlind: boolean[] = [];
    const used: number[] = [];
    for (let tick = 0; tick < 16; tick++) {
      const stamps = Array.from({ length: tick + 1 }, (_, i) => (100 + i) * SECOND);
      used.push(...look(cursor, tick === 2 ? [...stamps, wrong] : stamps, WALL, tick * 1000));
      wasBlind.push(cursor.isBlind);
    }
    expect(wasBlind.map((blind, tick) => (blind ? tick : -1)).filter((tick) => tick >= 0)).toEqual([0, 12]);
    expect(used.slice(-3)).toEqual([113 * SECOND, 114 * SECOND, 115 * SECOND]);
  });

  test('every sample counts once, whatever is sampled when, and whatever nonsense stands beside it', () => {
    const nonsense = fc.array(
      fc.oneof(
        fc.constant(0),
        fc.integer({ min: 3600, max: 1e9 }).map((s) => WALL + s * SECOND),
      ),
      {
        maxLength: 3,
      },
    );
    const ticks = fc.array(fc.record({ afterMs: fc.integer({ min: 50, max: 9000 }), wrong: nonsense }), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(ticks, fc.integer({ min: 20_000, max: 2_000_000 }), (steps, every) => {
        const cursor = new SampleCursor();
        let wall = WALL;
        let nowMs = 0;
        look(cursor, [WALL], wall, nowMs);
        const used: number[] = [];
        const taken = [WALL];
        for (const { afterMs, wrong } of steps) {
          wall += afterMs * 1000;
          nowMs += afterMs;
          while (taken.at(-1)! + every <= wall) taken.push(taken.at(-1)! + every);
          used.push(...look(cursor, [...taken, ...wrong], wall, nowMs));
        }
        expect(used).toEqual(taken.slice(1));
      }),
    );
  });

  test('what was asked too widely is asked again for no more than what counts', () => {
    const cursor = new SampleCursor();
    cursor.begin(WALL, 0);
    cursor.see(rowsOf([WALL - 100]), 1, 2, 0);
    cursor.end(0);
    expect(cursor.isTooWide).toBe(true);
    cursor.narrow();
    expect(cursor.since).toBe(WALL - 100 - SECOND);
    cursor.see(rowsOf([WALL - 100, WALL - 50]), 2, 2, 0);
    cursor.end(0);
    expect(cursor.isTooWide).toBe(false);
    expect([cursor.from, cursor.newest]).toEqual([WALL - 100 - SECOND, WALL - 50]);
  });
});
