import { absent } from '../../../model/reading.ts';
import { ReadingSet } from '../../../model/reading-set.ts';
import type { FormatContext, FormatReader } from '../rows.ts';
import { SmiDocuments } from '../smi/documents.ts';
import type { SnapshotDevice, SnapshotSlice } from '../snapshots.ts';
import { skipLine } from '../stray-line.ts';
import { listedCard, listedInstance, lostCard } from './lines.ts';

const NO_PROCESSES = absent('not-collected');
const LOST = ReadingSet.allAbsent('gpu-lost');

/** Reads `nvidia-smi -L`, which names the devices and says nothing of their state. */
export class SmiListReader implements FormatReader {
  readonly #context: FormatContext;
  readonly #documents: SmiDocuments;
  #card: { readonly found: SnapshotDevice; readonly slices: SnapshotSlice[] } | null = null;
  #lastIndex = -1;

  constructor(context: FormatContext) {
    this.#context = context;
    this.#documents = new SmiDocuments(context);
  }

  line(bytes: Uint8Array, start: number, end: number, number: number, isWhole: boolean): void {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString();
    const identity = listedCard(text);
    if (identity !== null) {
      this.#endCard();
      if ((identity.index ?? 0) <= this.#lastIndex) this.#documents.end();
      this.#lastIndex = identity.index ?? 0;
      const slices: SnapshotSlice[] = [];
      const found = {
        identity,
        readings: new ReadingSet(),
        processes: NO_PROCESSES,
        lost: false,
        line: number,
        slices,
      };
      this.#card = { found, slices };
      return;
    }
    const lost = isWhole ? lostCard(text) : null;
    if (lost !== null) {
      this.#endCard();
      const slices: SnapshotSlice[] = [];
      const found = { identity: lost, readings: LOST, processes: NO_PROCESSES, lost: true, line: number, slices };
      this.#card = { found, slices };
      return;
    }
    const slice = listedInstance(text);
    if (slice !== null && this.#card !== null) {
      this.#card.slices.push({ slice, readings: new ReadingSet(), processes: NO_PROCESSES, line: number });
      return;
    }
    const time = isWhole ? this.#documents.dateOf(text) : Number.NaN;
    if (Number.isNaN(time)) {
      skipLine(text, 'stray-text', { number, isWhole }, this.#context);
      return;
    }
    this.#endCard();
    this.#documents.end();
    this.#documents.setTime(time);
    this.#lastIndex = -1;
  }

  get isHolding(): boolean {
    return this.#documents.isHolding;
  }

  settle(): void {
    this.#documents.release();
  }

  end(): void {
    this.#endCard();
    this.#documents.end();
    this.#documents.release();
  }

  #endCard(): void {
    if (this.#card !== null) this.#documents.add(this.#card.found);
    this.#card = null;
  }
}
