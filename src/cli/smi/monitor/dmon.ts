import type { Calendar } from '../calendar.ts';
import type { Shot } from '../cards.ts';
import { DEVICE_GROUPS, type DeviceColumn } from './device-columns.ts';
import { csvRow, headerLines, type MonitorLayout, ROWS_PER_HEADER, rowStart } from './layout.ts';
import { ViolationShares } from './violations.ts';

const WIDTH = 7;

/** Prints `dmon`: a row for each GPU and shot. */
export class DeviceMonitor {
  readonly #columns: readonly DeviceColumn[];
  readonly #layout: MonitorLayout;
  readonly #calendar: Calendar;
  readonly #violations = new ViolationShares();
  #rows = 0;

  /** `groups` are letters of {@link DEVICE_GROUPS}; the columns follow their order. */
  constructor(groups: string, layout: MonitorLayout, calendar: Calendar) {
    this.#columns = [...groups].flatMap((letter) => DEVICE_GROUPS[letter] ?? []);
    this.#layout = layout;
    this.#calendar = calendar;
  }

  lines(shot: Shot): readonly string[] {
    this.#violations.take(shot);
    return shot.cards.flatMap((card) => {
      const cells = this.#columns.map((column) => column.read(card, this.#violations));
      return [...this.#header(), this.#row(card.view.device.index, cells, shot.at)];
    });
  }

  #header(): readonly string[] {
    const isDue = this.#layout.isCsv ? this.#rows === 0 : this.#rows % ROWS_PER_HEADER === 0;
    this.#rows++;
    return isDue ? headerLines(this.#columns, table, this.#layout) : [];
  }

  #row(index: number, cells: readonly string[], at: number): string {
    if (this.#layout.isCsv) return csvRow(index, cells, at, this.#layout, this.#calendar);
    return `${rowStart(index, at, this.#layout, this.#calendar)}${table(cells)}`;
  }
}

function table(words: readonly string[]): string {
  return `${words.map((word) => word.padStart(WIDTH)).join('')} `;
}
