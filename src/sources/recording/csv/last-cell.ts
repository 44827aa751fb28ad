import type { Unit } from '../../../model/metrics/entry.ts';
import { absenceIn } from './absence-words.ts';
import type { CsvColumn } from './header.ts';
import { smiWords } from './metric.ts';
import { rangeOf, unitScale } from './units.ts';

/** A number, the decimals of it, and what follows. */
const NUMBER = /^(P?)([-+]?\d*)(?:\.(\d*))?(.*)$/s;

/** What can be said of the last cell of a file that does not end with a line end. */
export type CutVerdict =
  /** It is whole. */
  | 'whole'
  /** It may have been cut, and only a reading is lost with it. */
  | 'cell'
  /** It has been cut, or may have and says which device the row is about. */
  | 'row';

/** Tells whether the cell a file ends with has been cut, by the cells of its column above. */
export class LastCell {
  readonly #column: CsvColumn | undefined;
  readonly #above: readonly string[];

  /** `samples` are records that are known to be whole. */
  constructor(columns: readonly CsvColumn[], samples: readonly string[][]) {
    this.#column = columns.at(-1);
    this.#above = samples.map((cells) => cells.at(-1) ?? '');
  }

  judge(text: string): CutVerdict {
    const meaning = this.#column?.meaning;
    if (meaning === undefined || absenceIn(text) !== null || this.#isConstant(text)) return 'whole';
    switch (meaning.kind) {
      case 'metric':
        if (meaning.metric.unit === 'state') return this.#judgeWord(text, smiWords(meaning.metric));
        return this.#judgeNumber(
          text,
          meaning.metric.unit,
          rangeOf(meaning.metric.id, meaning.metric.unit).max,
          meaning.scale,
        );
      case 'process-memory':
        return this.#judgeNumber(text, 'bytes', Number.POSITIVE_INFINITY, 1) === 'whole' ? 'whole' : 'row';
      case 'reason':
      case 'unused':
      case 'unknown':
      case 'other-query':
        return 'whole';
      case 'index':
      case 'name':
        return this.#isKnown(text) ? 'whole' : 'row';
      default:
        return this.#hasUsualLength(text) ? 'whole' : 'row';
    }
  }

  #judgeWord(text: string, words: ReadonlyMap<string, number>): CutVerdict {
    const alike = [...words.keys()].filter((word) => word.startsWith(text.toLowerCase()));
    return alike.length === 1 && alike[0] === text.toLowerCase() ? 'whole' : 'cell';
  }

  #judgeNumber(text: string, unit: Unit, most: number, scale: number): CutVerdict {
    if (unit === 'bits') return this.#hasUsualLength(text) ? 'whole' : 'cell';
    const [, state = '', digits = '', decimals, suffix = ''] = NUMBER.exec(text) ?? [];
    const suffixes = new Set(this.#above.map((above) => (NUMBER.exec(above)?.[4] ?? '').trim()));
    if (suffix !== '') return suffixes.has(suffix.trim()) || unitScale(unit, suffix.trim()) !== null ? 'whole' : 'row';
    if (state === '' && [...suffixes].some((above) => unitScale(unit, above) !== null)) return 'row';
    const usual = this.#usualDecimals();
    if (usual === null || usual !== (decimals?.length ?? 0)) return 'cell';
    // One more digit would make a number no device can have, and no number begins with a zero.
    return usual > 0 || Number(digits) === 0 || Math.abs(Number(digits)) * 10 * scale > most ? 'whole' : 'cell';
  }

  /** Decimals of all numbers above, or null where they differ or are too few. */
  #usualDecimals(): number | null {
    const numbers = this.#above.filter((above) => absenceIn(above) === null);
    const counts = new Set(numbers.map((above) => NUMBER.exec(above)?.[3]?.length ?? 0));
    const [count = 0] = counts;
    return numbers.length >= 2 && counts.size === 1 ? count : null;
  }

  #isConstant(text: string): boolean {
    return this.#above.length >= 2 && this.#above.every((above) => above === text);
  }

  /** True for a text that came again and that no longer one begins with. */
  #isKnown(text: string): boolean {
    const alike = this.#above.filter((above) => above.startsWith(text));
    return alike.length >= 2 && alike.every((above) => above === text);
  }

  #hasUsualLength(text: string): boolean {
    return this.#above.length > 0 && this.#above.every(({ length }) => length === text.length);
  }
}
