import type { Device } from '../../../model/device.ts';
import { isPresent, type Reading } from '../../../model/reading.ts';
import type { Calendar } from '../calendar.ts';
import type { Shot } from '../cards.ts';
import { wholeMiB } from '../cell.ts';
import { baseName, type CardProcess, PROCESS_TYPES, processesOf, programOf } from '../processes.ts';
import { headerLines, type MonitorLayout, ROWS_PER_HEADER, rowStart, type Title } from './layout.ts';

interface ProcessColumn extends Title {
  read(entry: CardProcess, device: Device): string;
}

const NONE = '-';
const NAME_WIDTH = 15;

function percent(name: string, pick: (entry: CardProcess) => Reading | undefined): ProcessColumn {
  return {
    name,
    unit: '%',
    read(entry) {
      const share = pick(entry);
      return share !== undefined && isPresent(share) ? String(Math.round(share * 100)) : NONE;
    },
  };
}

/** The columns behind each letter of `-s`. */
export const PROCESS_GROUPS: Readonly<Record<string, readonly ProcessColumn[]>> = {
  u: [
    percent('sm', ({ process }) => process.smRatio),
    percent('mem', ({ process }) => process.memoryRatio),
    percent('enc', ({ process }) => process.encoderRatio),
    percent('dec', ({ process }) => process.decoderRatio),
    percent('jpg', () => undefined),
    percent('ofa', () => undefined),
  ],
  m: [
    {
      name: 'fb',
      unit: 'MB',
      read: ({ process: { memoryBytes } }, device) => (isPresent(memoryBytes) ? wholeMiB(memoryBytes, device) : NONE),
    },
    { name: 'ccpm', unit: 'MB', read: () => NONE },
  ],
};

export const USUAL_PROCESS_GROUPS = 'u';

/** Prints `pmon`: a row for each process and shot, and one without a process for a GPU that has none. */
export class ProcessMonitor {
  readonly #columns: readonly ProcessColumn[];
  readonly #layout: MonitorLayout;
  readonly #calendar: Calendar;
  #rows = 0;

  /** `groups` are letters of {@link PROCESS_GROUPS}; the columns follow their order. */
  constructor(groups: string, layout: MonitorLayout, calendar: Calendar) {
    this.#columns = [...groups].flatMap((letter) => PROCESS_GROUPS[letter] ?? []);
    this.#layout = layout;
    this.#calendar = calendar;
  }

  lines({ cards, at }: Shot): readonly string[] {
    return cards.flatMap((card) => {
      const { device } = card.view;
      const start = rowStart(device.index, at, this.#layout, this.#calendar);
      const listed = processesOf(card);
      const entries = 'absent' in listed ? [] : listed;
      const rows = entries.map((entry) => `${start}${this.#cells(entry, device)}`);
      const shown = rows.length === 0 ? [`${start}${this.#noProcess()}`] : rows;
      return shown.flatMap((row) => [...this.#header(), row]);
    });
  }

  /** The titles stand two columns further to the right than what is below them, as they do in nvidia-smi. */
  #header(): readonly string[] {
    const isDue = this.#rows++ % ROWS_PER_HEADER === 0;
    if (!isDue) return [];
    const titles = [
      { name: 'pid', unit: '#' },
      { name: 'type', unit: 'C/G' },
      ...this.#columns,
      { name: 'command', unit: 'name' },
    ];
    return headerLines(titles, titleTable, this.#layout);
  }

  #cells(entry: CardProcess, device: Device): string {
    const { process } = entry;
    const name = baseName(programOf(process) ?? NONE).slice(0, NAME_WIDTH);
    return rowTable(
      String(process.pid),
      PROCESS_TYPES[process.kind],
      this.#columns.map((column) => column.read(entry, device)),
      name,
    );
  }

  #noProcess(): string {
    return rowTable(
      NONE,
      NONE,
      this.#columns.map(() => NONE),
      NONE,
    );
  }
}

function rowTable(pid: string, type: string, cells: readonly string[], name: string): string {
  const figures = cells.map((cell) => cell.padStart(7)).join('');
  return `${pid.padStart(11)}${type.padStart(6)}${figures}    ${name.padEnd(NAME_WIDTH)}`;
}

function titleTable(words: readonly string[]): string {
  const [pid = '', ...others] = words;
  const name = others.pop() ?? '';
  return `${pid.padStart(12)}${others.map((word) => word.padStart(7)).join('')}    ${name} `;
}
