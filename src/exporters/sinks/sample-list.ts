import type { Family, SampleSink } from '../family.ts';
import type { LabelSet } from '../labels.ts';

export interface Sample {
  readonly family: Family;
  readonly labels: LabelSet;
  readonly value: number;
}

/** Keeps samples for those who need more than one pass over them. */
export class SampleList implements SampleSink {
  readonly samples: Sample[] = [];
  #family: Family | null = null;

  begin(family: Family): void {
    this.#family = family;
  }

  add(labels: LabelSet, value: number): void {
    if (this.#family !== null && Number.isFinite(value)) this.samples.push({ family: this.#family, labels, value });
  }
}
