import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CONDITIONS, type Condition } from './condition.ts';
import { NO_ROWS, type RowOrder, type RowState, reorder } from './row-order.ts';

function rows(spec: Record<string, Condition>): RowState[] {
  return Object.entries(spec).map(([uuid, condition]) => ({ uuid, condition }));
}

test('new trouble moves to the top once, then rows stay', () => {
  const steps: [spec: Record<string, Condition>, want: string][] = [
    [{ a: 'busy', b: 'busy', c: 'busy' }, 'a b c'],
    [{ a: 'busy', b: 'busy', c: 'throttled' }, 'c a b'],
    [{ a: 'busy', b: 'busy', c: 'busy' }, 'c a b'],
    [{ a: 'busy', b: 'lost', c: 'busy' }, 'b c a'],
    [{ a: 'busy', b: 'lost', c: 'throttled' }, 'b c a'],
    [{ a: 'busy', b: 'lost', c: 'lost' }, 'c b a'],
    [{ a: 'held', b: 'busy', c: 'busy' }, 'c b a'],
    [{ a: 'held', b: 'busy', c: 'busy', d: 'free' }, 'c b a d'],
    [{ a: 'held', c: 'busy', d: 'free' }, 'c a d'],
  ];
  let order: RowOrder = NO_ROWS;
  for (const [spec, want] of steps) {
    order = reorder(order, rows(spec));
    expect(order.uuids.join(' ')).toBe(want);
  }
});

test('at the start trouble is on top, worst first, the rest by index', () => {
  const start = reorder(NO_ROWS, rows({ a: 'busy', b: 'throttled', c: 'free', d: 'lost', e: 'stale' }));
  expect(start.uuids.join(' ')).toBe('d b e a c');
});

test('every GPU is listed exactly once, and without worse trouble nothing moves', () => {
  const condition = fc.constantFrom(...CONDITIONS);
  const fleet = fc
    .uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { minLength: 1 })
    .chain((uuids) => fc.tuple(...uuids.map((uuid) => condition.map((each) => ({ uuid, condition: each })))));
  fc.assert(
    fc.property(fc.array(fleet, { maxLength: 8 }), (ticks) => {
      let order: RowOrder = NO_ROWS;
      for (const tick of ticks) {
        order = reorder(order, tick);
        expect([...order.uuids].sort()).toEqual(tick.map((row) => row.uuid).sort());
        expect(reorder(order, tick)).toBe(order);
        const calm = tick.map((row) => ({ ...row, condition: 'busy' as const }));
        expect(reorder(order, calm).uuids).toEqual(order.uuids);
      }
    }),
  );
});
