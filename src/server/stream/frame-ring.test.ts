import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Frame } from './frame.ts';
import { FrameRing } from './frame-ring.ts';

function frame(number: number, size = 10): Frame {
  const bytes = Buffer.alloc(0);
  return { number, size, bytes: { en: bytes, zh: bytes } };
}

test('an empty ring can resume nobody', () => {
  const ring = new FrameRing({ frames: 3, bytes: 100 });
  expect(ring.after(0)).toBeNull();
  ring.push(frame(1));
  ring.clear();
  expect(ring.after(0)).toBeNull();
});

test('after gives exactly what follows, or null where a part is gone or not yet there', () => {
  fc.assert(
    fc.property(
      fc.nat(20),
      fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 20 }),
      fc.integer({ min: -5, max: 45 }),
      (start, sizes, asked) => {
        const ring = new FrameRing({ frames: 5, bytes: 150 });
        const all = sizes.map((size, i) => frame(start + i, size));
        for (const each of all) ring.push(each);
        let kept: Frame[] = [];
        for (const each of all.toReversed()) {
          const bytes = kept.reduce((sum, { size }) => sum + size, each.size);
          if (kept.length === 5 || bytes > 150) break;
          kept = [each, ...kept];
        }
        const first = kept[0]?.number ?? Number.NaN;
        const last = start + sizes.length - 1;
        const want = asked >= first - 1 && asked <= last ? kept.filter(({ number }) => number > asked) : null;
        expect(ring.after(asked)).toEqual(want);
      },
    ),
  );
});

test('a frame larger than the ring leaves it empty', () => {
  const ring = new FrameRing({ frames: 5, bytes: 100 });
  ring.push(frame(1));
  ring.push(frame(2, 101));
  expect(ring.after(1)).toBeNull();
  ring.push(frame(3));
  expect(ring.after(2)?.map(({ number }) => number)).toEqual([3]);
});
