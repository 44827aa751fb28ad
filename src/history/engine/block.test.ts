import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NOT_IN_TICK, UNSET_CODE } from './absence.ts';
import { Block, checkBlock } from './block.ts';
import { encodeBlock } from './block-encoder.ts';
import { appendRow, layoutOf, replayRow, startsSegment } from './row-log.ts';
import type { RowTable } from './row-table.ts';
import { Segment } from './segment.ts';

const WIDTH = 7;
/** Columns 1…5 are known, in an order of their own; 6 is never told anything. */
const LAYOUT = layoutOf([3, 1, 5, 2, 4]);

/** A value, or the reason of its absence. */
type Cell = number | { readonly code: number };
interface Row {
  readonly step: number;
  readonly devices: readonly { readonly device: number; readonly state: number; readonly cells: readonly Cell[] }[];
}

const cell: fc.Arbitrary<Cell> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(0, 1, 0.5, 812) },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 700_000 }).map((value) => value / 1000) },
  { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: UNSET_CODE }).map((code) => ({ code })) },
);
const device = (id: number) =>
  fc.record({
    device: fc.constant(id),
    state: fc.integer({ min: 0, max: 3 }),
    cells: fc.array(cell, { minLength: 5, maxLength: 5 }),
  });
const rows: fc.Arbitrary<Row[]> = fc.array(
  fc.record({
    step: fc.integer({ min: -5000, max: 5000 }),
    devices: fc
      .tuple(fc.option(device(0)), fc.option(device(1)), fc.option(device(40)))
      .map((each) => each.filter((one) => one !== null)),
  }),
  { maxLength: 150, size: 'max' },
);

function build(all: readonly Row[]): { segment: Segment; bodies: Uint8Array[] } {
  const segment = new Segment(WIDTH);
  let at = 1_767_268_800_000;
  const bodies = all.map(({ step, devices }, row) => {
    at += step;
    const parts = devices.map(({ device, state, cells }) => ({
      device,
      state,
      values: Float64Array.from(cells, (each) => (typeof each === 'number' ? each : 0)),
      codes: Uint8Array.from(cells, (each) => (typeof each === 'number' ? 0 : each.code)),
      offset: 0,
      layout: LAYOUT,
    }));
    return appendRow(segment, at, 2 * row, parts);
  });
  return { segment, bodies };
}

function encoded(segment: Segment): Uint8Array {
  const steps = encodeBlock(segment);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Everything a table holds, as text that can be compared. */
function contentOf(table: RowTable): unknown {
  const ids = [...table.deviceIds()].sort((a, b) => a - b);
  return {
    at: [...table.at.subarray(0, table.rows)],
    sequence: [...table.sequence.subarray(0, table.rows)],
    devices: ids.map((id) => {
      const states = [...table.states(id)!.subarray(0, table.rows)];
      const columns = Array.from({ length: WIDTH }, (_, number) => {
        const { values, constant, codes, code } = table.column(id, number);
        return states.map((state, row) => {
          if (state === NOT_IN_TICK) return 'not in tick';
          const value = values === null ? constant : values[row]!;
          return Number.isNaN(value) ? `absent ${codes === null ? code : codes[row]}` : value + 0;
        });
      });
      return { id, states, columns };
    }),
  };
}

test('a segment, its rows read again, and its block hold the same', { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(rows, (all) => {
      const { segment, bodies } = build(all);
      const again = new Segment(WIDTH);
      for (const [row, body] of bodies.entries()) {
        expect(startsSegment(body)).toBe(row === 0);
        replayRow(again, body);
      }
      const want = contentOf(segment);
      expect(contentOf(again)).toEqual(want);
      if (segment.rows === 0) return;
      const bytes = encoded(segment);
      checkBlock(bytes);
      expect(contentOf(new Block(bytes))).toEqual(want);
    }),
    { numRuns: 150 },
  );
});

test('rows that could not be stored leave no trace', () => {
  fc.assert(
    fc.property(rows, fc.nat(), (all, where) => {
      const kept = all.length === 0 ? 0 : where % all.length;
      const { segment } = build(all);
      segment.cut(kept);
      const { segment: want } = build(all.slice(0, kept));
      expect(contentOf(segment)).toEqual(contentOf(want));
    }),
    { numRuns: 100 },
  );
});

test('columns that follow from others are not stored twice', () => {
  const total = 80 * 2 ** 30;
  const noise = (row: number) => ((row * 2_654_435_761) % 2 ** 32) * 16;
  const bytesOf = (cells: (row: number) => Cell[]) =>
    encoded(
      build(
        Array.from({ length: 400 }, (_, row) => ({
          step: 1000,
          devices: [{ device: 0, state: 0, cells: cells(row) }],
        })),
      ).segment,
    ).length;
  const one = bytesOf((row) => [noise(row), 0, 0, 0, 0]);
  expect(bytesOf((row) => [noise(row), noise(row), total - noise(row), 0, 0])).toBeLessThan(one + 40);
});

describe('damaged bytes', () => {
  const { segment, bodies } = build(
    Array.from({ length: 50 }, (_, row) => ({
      step: 1000,
      devices: [{ device: 1, state: 0, cells: [row, 1, 0.5, row / 3, { code: 2 }] }],
    })),
  );

  test('of a block are noticed, wherever they are', () => {
    const bytes = encoded(segment);
    for (let at = 0; at < bytes.length; at++) {
      const damaged = bytes.slice();
      damaged[at]! ^= 0x10;
      expect(() => checkBlock(damaged), `byte ${at}`).toThrow(RangeError);
    }
    for (const length of [0, 5, 12, 40, bytes.length - 1])
      expect(() => checkBlock(bytes.subarray(0, length))).toThrow(RangeError);
  });

  test('of a row leave the segment as it was', () => {
    const again = new Segment(WIDTH);
    for (const body of bodies.slice(0, 10)) replayRow(again, body);
    const want = contentOf(again);
    for (const cut of [0, 1, 3, bodies[10]!.length - 1]) {
      expect(() => replayRow(again, bodies[10]!.subarray(0, cut))).toThrow(RangeError);
      expect(contentOf(again)).toEqual(want);
    }
    expect(() => replayRow(new Segment(WIDTH), bodies[10]!)).toThrow(RangeError);
    expect(() => replayRow(again, bodies[0]!)).toThrow(RangeError);
    replayRow(again, bodies[10]!);
    expect(again.rows).toBe(11);
  });
});
