import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InputFilter, type MousePress } from './input-filter.ts';

/** Feeds bytes in pieces; gives what came of them, and what comes once nothing follows. */
function filtered(pieces: readonly Buffer[]): { keys: string; presses: readonly MousePress[]; rest: () => string } {
  let keys = '';
  const presses: MousePress[] = [];
  let pending: (() => void) | null = null;
  const filter = new InputFilter({
    escapeMs: 50,
    after: (_ms, run) => {
      pending = run;
      return () => {
        pending = null;
      };
    },
    onKeys: (text) => {
      keys += text;
    },
    onMouse: (press) => presses.push(press),
  });
  for (const piece of pieces) filter.take(piece);
  const before = keys;
  return {
    keys: before,
    presses,
    rest: () => {
      pending?.();
      return keys.slice(before.length);
    },
  };
}

const whole = (text: string) => filtered([Buffer.from(text)]);

describe('what a terminal sends', () => {
  test('is a click, the wheel, or keys', () => {
    const { keys, presses } = whole('a\x1b[<0;10;5M\x1b[<0;10;5m\x1b[A\x1b[<64;1;1M\x1b[<65;300;60Mé');
    expect(keys).toBe('a\x1b[Aé');
    expect(presses).toEqual([
      { kind: 'click', column: 9, row: 4 },
      { kind: 'wheel-up', column: 0, row: 0 },
      { kind: 'wheel-down', column: 299, row: 59 },
    ]);
  });

  test('with Ctrl held is the same; other buttons and dragging are nothing', () => {
    expect(whole('\x1b[<16;2;3M').presses).toEqual([{ kind: 'click', column: 1, row: 2 }]);
    expect(whole('\x1b[<2;2;3M\x1b[<32;2;3M\x1b[<66;2;3M')).toMatchObject({ keys: '', presses: [] });
  });

  test('in the old form, or misshapen, is neither a key nor a press', () => {
    for (const text of [
      '\x1b[M q*',
      '\x1b[M %*',
      '\x1b[<;;M',
      '\x1b[<0;0;0M',
      '\x1b[<1M',
      '\x1b[<M',
      '\x1b[<0;1;1;1m',
    ]) {
      expect(whole(`a${text}b`), JSON.stringify(text)).toMatchObject({ keys: 'ab', presses: [] });
    }
    const torn = filtered([Buffer.from('a\x1b[M'), Buffer.from(' k'), Buffer.from('*b')]);
    expect([torn.keys, torn.rest()]).toEqual(['ab', '']);
  });

  test('is the same however it is torn apart', () => {
    const text = 'q\x1b[<0;10;5M中\x1b[200~x\x1b[201~\x1b[<65;7;8M\x1b[1;5C/';
    const bytes = Buffer.from(text);
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: bytes.length - 1 }));
    fc.assert(
      fc.property(cuts, (places) => {
        const edges = [0, ...places.sort((a, b) => a - b), bytes.length];
        const pieces = edges.slice(1).map((end, i) => bytes.subarray(edges[i], end));
        const { keys, presses } = filtered(pieces);
        expect(keys).toBe('q中\x1b[200~x\x1b[201~\x1b[1;5C/');
        expect(presses.map(({ kind }) => kind)).toEqual(['click', 'wheel-down']);
      }),
    );
  });

  test('as Esc alone is a key when nothing follows, and half a report is none', () => {
    const alone = whole('x\x1b');
    expect([alone.keys, alone.rest()]).toEqual(['x', '\x1b']);
    const half = whole('x\x1b[<0;1');
    expect([half.keys, half.rest()]).toEqual(['x', '']);
  });
});
