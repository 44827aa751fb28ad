import type { Device } from '../model/device.ts';

/** One label: name and value. */
export type Label = readonly [name: string, value: string];

/** A label that has each of these values in turn, in a series of its own. */
export interface Choice {
  readonly name: string;
  readonly values: readonly string[];
}

const SPECIAL = /[\\"\n]/g;
/** A NUL ends the text for Prometheus' own parser; its neighbours only garble what people see. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** A label value between the quotes of the exposition formats. */
export function escapeLabelValue(value: string): string {
  return value.replace(SPECIAL, (char) => (char === '\n' ? '\\n' : `\\${char}`));
}

/**
 * Labels of a series in the order in which they are written. Made once per device and shared by all its series, so that
 * a page costs little more than its numbers. A label without a value is none, which is what Prometheus makes of it.
 */
export class LabelSet {
  readonly pairs: readonly Label[];
  #text: string | null = null;
  /** What {@link and} has made, by name and value. */
  #longer: Map<string, Map<string, LabelSet>> | null = null;
  /** What {@link eachOf} has made. */
  #choices: Map<Choice, readonly LabelSet[]> | null = null;
  /** What {@link before} has made. */
  #followed: WeakMap<LabelSet, LabelSet> | null = null;

  constructor(labels: readonly (readonly [name: string, value: string | number | null | undefined])[]) {
    const pairs: Label[] = [];
    for (const [name, value] of labels) {
      if (value === null || value === undefined || value === '') continue;
      pairs.push([name, String(value).replace(CONTROL, '\ufffd')]);
    }
    this.pairs = pairs;
  }

  /** These labels and more behind them. */
  with(more: readonly (readonly [name: string, value: string | number | null | undefined])[]): LabelSet {
    return more.length === 0 ? this : new LabelSet([...this.pairs, ...more]);
  }

  /** These labels and one more that takes few values: made once for each. */
  and(name: string, value: string): LabelSet {
    this.#longer ??= new Map();
    let byValue = this.#longer.get(name);
    if (byValue === undefined) {
      byValue = new Map();
      this.#longer.set(name, byValue);
    }
    let longer = byValue.get(value);
    if (longer === undefined) {
      longer = this.with([[name, value]]);
      byValue.set(value, longer);
    }
    return longer;
  }

  /** These labels and the one of the choice, for each of its values: made once. */
  eachOf(choice: Choice): readonly LabelSet[] {
    this.#choices ??= new Map();
    let sets = this.#choices.get(choice);
    if (sets === undefined) {
      sets = choice.values.map((value) => this.with([[choice.name, value]]));
      this.#choices.set(choice, sets);
    }
    return sets;
  }

  /** These labels with those of a set behind them, made once. */
  before(more: LabelSet): LabelSet {
    this.#followed ??= new WeakMap();
    let both = this.#followed.get(more);
    if (both === undefined) {
      both = this.with(more.pairs);
      this.#followed.set(more, both);
    }
    return both;
  }

  /** `{gpu="0",uuid="GPU-…"} `, with the space before the value; only that space where there is no label. */
  get text(): string {
    this.#text ??= this.#write();
    return this.#text;
  }

  #write(): string {
    if (this.pairs.length === 0) return ' ';
    return `{${this.pairs.map(([name, value]) => `${name}="${escapeLabelValue(value)}"`).join()}} `;
  }
}

export const NO_LABELS = new LabelSet([]);

const places = new WeakMap<Device, LabelSet>();

/** Where a device is: its index and UUID, and nothing else. */
export function placeOf(device: Device): LabelSet {
  let place = places.get(device);
  if (place === undefined) {
    place = new LabelSet([
      ['gpu', device.index],
      ['uuid', device.uuid],
    ]);
    places.set(device, place);
  }
  return place;
}
