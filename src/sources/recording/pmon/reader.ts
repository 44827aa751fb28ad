import { metric } from '../../../model/catalogue.ts';
import type { GpuProcess } from '../../../model/process.ts';
import { absent, type Reading } from '../../../model/reading.ts';
import { absenceIn } from '../csv/absence-words.ts';
import { MetricColumn } from '../csv/metric.ts';
import { UNKNOWN_IDENTITY } from '../log-devices.ts';
import type { FormatContext, FormatReader, LogSection } from '../rows.ts';
import { MonitorClock } from '../smi/monitor-clock.ts';
import { isUnitLine, type MonitorColumns, monitorCells, monitorHeader } from '../smi/monitor-columns.ts';
import { processId, processKind, processMemory } from '../smi/process-list.ts';
import { skipLine } from '../stray-line.ts';
import { identityLine } from '../table/identity-line.ts';
import { dateLine, WrittenDates } from '../written-dates.ts';
import { PmonSample } from './sample.ts';

const INDEX = /^\d{1,3}$/;
const RATIO = new MetricColumn({ position: -1, title: '', metric: metric('utilization_ratio'), scale: 0.01 });
const ENCODER = new TextEncoder();

/** Reads `nvidia-smi pmon`: a row for every process on every GPU, again and again, below a header that is repeated. */
export class PmonReader implements FormatReader {
  readonly #context: FormatContext;
  readonly #clock: MonitorClock;
  readonly #sample: PmonSample;
  #columns: MonitorColumns | null = null;
  #headerText = '';
  #clockKind: LogSection['clock'] | null = null;
  #isTimeless = true;
  #isCut = false;
  readonly #dates: WrittenDates;
  /** A date on a line of its own, which is the time of the sample behind it. */
  #date = Number.NaN;

  constructor(context: FormatContext) {
    this.#context = context;
    this.#clock = new MonitorClock(context);
    this.#sample = new PmonSample(context);
    this.#dates = new WrittenDates(context.zone, context.report);
  }

  readonly isHolding = false;

  settle(): void {}

  end(): void {
    if (this.#isCut) this.#sample.cut();
    else this.#sample.finish();
  }

  line(bytes: Uint8Array, start: number, end: number, number: number, isWhole: boolean): void {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString();
    this.#isCut ||= !isWhole;
    if (text.trim() === '' || isUnitLine(text)) return;
    if (isWhole && this.#readHeader(text)) return;
    const cells = this.#columns === null ? null : monitorCells(text, this.#columns, true);
    if (cells !== null && INDEX.test(this.#cell(cells, 'gpu'))) {
      // The name at the end may be cut, and nothing shows it.
      if (!isWhole) this.#context.report.skip('truncated', number);
      if (!isWhole || this.#readRow(cells, number)) return;
    }
    if (isWhole && this.#takeDate(text)) return;
    const identity = isWhole ? identityLine(text) : null;
    if (identity !== null) this.#context.devices.resolve(identity);
    else skipLine(text, 'stray-text', { number, isWhole }, this.#context);
  }

  #readHeader(text: string): boolean {
    if (text === this.#headerText) {
      this.#sample.header();
      return true;
    }
    const columns = monitorHeader(text);
    if (columns?.kind !== 'pmon') return false;
    this.#sample.finish();
    this.#headerText = text;
    this.#columns = columns;
    const clock = this.#clock.use(columns);
    this.#enter(clock === 'none' && !Number.isNaN(this.#date) ? 'absolute' : clock);
    this.#isTimeless = clock === 'none';
    this.#sample.header();
    return true;
  }

  #enter(clock: LogSection['clock']): void {
    if (clock !== this.#clockKind) {
      this.#context.sink.section({ clock, intervalMs: null, places: null, isMarked: true });
    }
    this.#clockKind = clock;
  }

  #takeDate(text: string): boolean {
    const written = this.#isTimeless ? dateLine(text) : null;
    const at = written === null ? Number.NaN : this.#dates.read(written);
    if (Number.isNaN(at)) return false;
    this.#sample.finish();
    this.#date = at;
    if (this.#columns !== null) this.#enter('absolute');
    return true;
  }

  /** The date in front of a sample is that of all its rows. */
  #timeOf(cells: readonly string[]): number | null {
    return this.#isTimeless ? this.#date : this.#clock.read(cells);
  }

  #readRow(cells: readonly string[], line: number): boolean {
    const { devices, report } = this.#context;
    const time = this.#timeOf(cells);
    const pidText = this.#cell(cells, 'pid');
    const pid = processId(pidText);
    if (time === null || (pid === null && pidText !== '-')) return false;
    const index = Number(this.#cell(cells, 'gpu'));
    const device = devices.resolve({ ...UNKNOWN_IDENTITY, index });
    if (device === null) report.skip('unknown-device', line);
    else this.#sample.add({ device, index, process: pid === null ? null : this.#process(pid, cells), time, line });
    return true;
  }

  #process(pid: number, cells: readonly string[]): GpuProcess {
    const name = this.#cell(cells, 'command');
    return {
      pid,
      kind: processKind(this.#cell(cells, 'type')),
      memoryBytes: this.#has('fb') ? memoryOf(this.#cell(cells, 'fb')) : absent('not-collected'),
      name: absenceIn(name) === null ? name.replaceAll(/\p{Cc}/gu, ' ') : null,
      user: null,
      ...(this.#has('sm') ? { smRatio: ratioOf(this.#cell(cells, 'sm')) } : {}),
      ...(this.#has('mem') ? { memoryRatio: ratioOf(this.#cell(cells, 'mem')) } : {}),
      ...(this.#has('enc') ? { encoderRatio: ratioOf(this.#cell(cells, 'enc')) } : {}),
      ...(this.#has('dec') ? { decoderRatio: ratioOf(this.#cell(cells, 'dec')) } : {}),
    };
  }

  #has(name: string): boolean {
    return this.#columns?.names.includes(name) === true;
  }

  /** Empty where there is no such column. */
  #cell(cells: readonly string[], name: string): string {
    return cells[this.#columns?.names.indexOf(name) ?? -1] ?? '';
  }
}

/** `-` stands for a process that did not use the engine since the sample before. */
function ratioOf(text: string): Reading {
  const bytes = ENCODER.encode(text);
  const value = RATIO.read(bytes, 0, bytes.length);
  return Number.isNaN(value) ? absent(RATIO.absence) : value;
}

function memoryOf(text: string): Reading {
  return text === '-' ? absent('not-supported') : processMemory(text);
}
