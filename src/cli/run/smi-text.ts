import { AppError } from '../../model/errors.ts';
import type { DeviceView } from '../../model/reader.ts';
import type { Tick } from '../../model/tick.ts';
import type { TickText } from '../../sources/recording/own-format/record-file.ts';
import { Calendar } from '../smi/calendar.ts';
import { cardsOf, leadDevice } from '../smi/cards.ts';
import { SmiFailure } from '../smi/failure.ts';
import { readPciPlace } from '../smi/pci-place.ts';
import { parseFormat } from '../smi/query/format.ts';
import { QUERIES, QueryPrinter } from '../smi/query/query.ts';

/** Ticks as `nvidia-smi --query-gpu=… --format=csv -l` would write them. */
export class SmiText implements TickText {
  readonly #printer: () => QueryPrinter;
  #current: QueryPrinter;
  readonly #places = new Map<string, ReturnType<typeof readPciPlace>>();

  /** Throws RECORD_FIELD_UNKNOWN for a field that does not exist. */
  constructor(fields: string, timeZone: string | null) {
    const calendar = new Calendar(timeZone);
    const query = { name: 'gpu' as const, fields: chosen(fields), format: parseFormat('csv') };
    this.#printer = () => new QueryPrinter(query, calendar, true);
    this.#current = this.#printer();
  }

  header(): string {
    this.#current = this.#printer();
    return textOf(this.#current.lines({ at: 0, cards: [], count: 0, lead: null }));
  }

  tick({ at, devices }: Tick): string {
    const views = devices.map((sample): DeviceView => ({ ...sample, at }));
    const cards = cardsOf(views, (busId) => this.#placeOf(busId));
    return textOf(this.#current.lines({ at, cards, count: cards.length, lead: leadDevice(cards) }));
  }

  restart(): void {}

  #placeOf(busId: string | null): ReturnType<typeof readPciPlace> {
    if (busId === null) return null;
    const known = this.#places.get(busId);
    if (known !== undefined) return known;
    const place = readPciPlace(busId);
    this.#places.set(busId, place);
    return place;
  }
}

function chosen(fields: string): ReturnType<(typeof QUERIES)['gpu']['choose']> {
  try {
    return QUERIES.gpu.choose(fields);
  } catch (error) {
    if (!(error instanceof SmiFailure)) throw error;
    const field = /"([^"]*)"/.exec(error.message)?.[1] ?? fields;
    throw new AppError('RECORD_FIELD_UNKNOWN', { field }, { cause: error });
  }
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
