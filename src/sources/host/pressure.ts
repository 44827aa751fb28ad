import { slotOf } from '../../model/catalogue.ts';
import type { ReadingSet } from '../../model/reading-set.ts';
import { type ByteFile, word } from './byte-file.ts';
import { setMeasured } from './measured.ts';

/** One file of `/proc/pressure` with the slots of its two lines; null where a line says nothing. */
export interface PressureFile {
  readonly name: 'cpu' | 'memory' | 'io';
  readonly slots: readonly number[];
  readonly some: PressureSlots;
  readonly full: PressureSlots | null;
}

interface PressureSlots {
  readonly ratio: number;
  readonly total: number;
}

const SOME = word('some ');
const FULL = word('full ');
const AVERAGE = word('avg10=');
const TOTAL = word('total=');

export const PRESSURE_FILES: readonly PressureFile[] = [
  // That all tasks wait for a CPU cannot be on a whole machine.
  pressureFile(
    'cpu',
    { ratio: slotOf('host_pressure_cpu_some_ratio'), total: slotOf('host_pressure_cpu_some_seconds_total') },
    null,
  ),
  pressureFile(
    'memory',
    { ratio: slotOf('host_pressure_memory_some_ratio'), total: slotOf('host_pressure_memory_some_seconds_total') },
    { ratio: slotOf('host_pressure_memory_full_ratio'), total: slotOf('host_pressure_memory_full_seconds_total') },
  ),
  pressureFile(
    'io',
    { ratio: slotOf('host_pressure_io_some_ratio'), total: slotOf('host_pressure_io_some_seconds_total') },
    { ratio: slotOf('host_pressure_io_full_ratio'), total: slotOf('host_pressure_io_full_seconds_total') },
  ),
];

/** Pressure stall information: `some avg10=1.23 avg60=0.50 avg300=0.10 total=123456`, times in microseconds. */
export function readPressure(file: ByteFile, { some, full, slots }: PressureFile, out: ReadingSet): void {
  for (const slot of slots) out.setAbsent(slot, 'not-supported');
  while (!file.isAtEnd) {
    if (file.skip(SOME)) readLine(file, some, out);
    else if (file.skip(FULL) && full !== null) readLine(file, full, out);
    file.skipLine();
  }
}

function readLine(file: ByteFile, { ratio, total }: PressureSlots, out: ReadingSet): void {
  if (file.skip(AVERAGE)) setMeasured(out, ratio, Math.min(file.number() / 100, 1));
  const end = lineEnd(file);
  while (file.at < end) {
    file.skipBlanks();
    if (file.skip(TOTAL)) setMeasured(out, total, file.number() / 1e6);
    else file.skipWord();
  }
}

function lineEnd(file: ByteFile): number {
  const end = file.bytes.indexOf(10, file.at);
  return end === -1 || end > file.end ? file.end : end;
}

function pressureFile(name: PressureFile['name'], some: PressureSlots, full: PressureSlots | null): PressureFile {
  const slots = [some.ratio, some.total, ...(full === null ? [] : [full.ratio, full.total])];
  return { name, slots, some, full };
}
