import { isPresent } from '../../../model/reading.ts';
import type { Calendar } from '../calendar.ts';
import type { Card, Shot } from '../cards.ts';
import { type Cell, missing, readingCell, textCell } from '../cell.ts';
import { processesOf, programOf } from '../processes.ts';
import { GPU_FIELDS, PROCESS_FIELDS, REMAPPED_FIELDS } from './field-list.ts';
import { type Field, FieldList } from './fields.ts';
import { csvLine, type Format, headerLine, jsonRow } from './format.ts';
import { readerOf } from './gpu-values.ts';

/** What can be queried, by the end of the switch. */
export const QUERIES = {
  gpu: new FieldList(GPU_FIELDS),
  'compute-apps': new FieldList(PROCESS_FIELDS),
  'remapped-rows': new FieldList(REMAPPED_FIELDS),
} as const;

export type QueryName = keyof typeof QUERIES;

/** A selective query. */
export interface Query {
  readonly name: QueryName;
  readonly fields: readonly Field[];
  readonly format: Format;
}

/** Prints a query shot by shot: the header once, then the rows. */
export class QueryPrinter {
  readonly #query: Query;
  readonly #calendar: Calendar;
  readonly #readers: readonly ReturnType<typeof readerOf>[];
  readonly #isRepeated: boolean;
  #isFirst = true;

  /** `isRepeated` says that more than one shot will come. */
  constructor(query: Query, calendar: Calendar, isRepeated: boolean) {
    this.#query = query;
    this.#calendar = calendar;
    this.#isRepeated = isRepeated;
    this.#readers = query.fields.map(({ name }) => readerOf(name));
  }

  lines(shot: Shot): readonly string[] {
    const { fields, format } = this.#query;
    const rows = this.#rows(shot);
    if (format.kind === 'ndjson') return rows.map((cells) => JSON.stringify(jsonRow(fields, cells)));
    if (format.kind === 'json') {
      const list = rows.map((cells) => jsonRow(fields, cells));
      return [JSON.stringify(list, null, this.#isRepeated ? undefined : 2)];
    }
    const header = this.#isFirst && format.hasHeader ? [headerLine(fields)] : [];
    this.#isFirst = false;
    return [...header, ...rows.map((cells) => csvLine(cells, format))];
  }

  #rows(shot: Shot): readonly (readonly Cell[])[] {
    const ofCard = (card: Card): Cell[] => this.#readers.map((read) => read(card, shot, this.#calendar));
    if (this.#query.name !== 'compute-apps') return shot.cards.map(ofCard);
    return shot.cards.flatMap((card) => this.#processRows(card, ofCard(card)));
  }

  /** The cells of the card are the same in all rows. */
  #processRows(card: Card, ofCard: readonly Cell[]): Cell[][] {
    const listed = processesOf(card);
    if ('absent' in listed) return [];
    return listed
      .filter(({ process }) => process.kind !== 'graphics')
      .map(({ process }) =>
        this.#query.fields.map(({ name }, i) => {
          if (name === 'pid') return { kind: 'number', digits: String(process.pid), unit: '' };
          if (name === 'process_name') return programCell(programOf(process));
          if (name !== 'used_gpu_memory') return ofCard[i]!;
          return readingCell(process.memoryBytes, 'MiB', card.view.device, undefined);
        }),
      );
  }
}

function programCell(program: string | null): Cell {
  return program === null ? missing('not-found') : textCell(program);
}

/** True where a device of the shot fell off the bus. */
export function hasLost({ cards }: Shot): boolean {
  return cards.some(({ view: { state, readings } }) => {
    const reading = readings.get('memory_used_bytes');
    return state === 'lost' || (!isPresent(reading) && reading.absent === 'gpu-lost');
  });
}
