import { metric } from '../../../model/catalogue.ts';
import { absent } from '../../../model/reading.ts';
import type { ReadingSet } from '../../../model/reading-set.ts';
import { UNKNOWN_IDENTITY } from '../log-devices.ts';
import { plainLine } from '../plain-line.ts';
import { RowReadings } from '../row-readings.ts';
import type { FormatContext, FormatReader } from '../rows.ts';
import { Snapshots } from '../snapshots.ts';

const MIB = 2 ** 20;
const LINE = /\bRAM \d+\/\d+MB\b.*\b(?:GR3D|EMC|CPU|SWAP)/;
const RAM = /\bRAM (\d+)\/(\d+)MB\b/;
/** Load, and with it the clock in MHz or one clock per part of the GPU. */
const LOAD = /\bGR3D(?:_FREQ)? (?:(\d+)%)?(?:@\[?([\d,]+)\]?)?(?=\s|$)/;
const MEMORY_LOAD = /\bEMC(?:_FREQ)? (\d+)%/;
const TEMPERATURE = /\bGPU@(-?[\d.]+)C(?=\s|$)/i;
/** What the whole module draws, at the moment and on average, in milliwatts. */
const POWER = /\b(?:VDD_IN|POM_5V_IN) (\d+)(?:mW)?\/\d+/;
const US_DATE = /^\s*(\d{2})-(\d{2})-(\d{4}) (\d{2}:\d{2}:\d{2})\s/;

/** The sensor of a GPU that is switched off. */
const SENSOR_OFF = -256;

export function isTegrastatsLine(line: string): boolean {
  return LINE.test(line);
}

/** Reads tegrastats line by line. The memory of the GPU is that of the board. */
export class TegrastatsReader implements FormatReader {
  readonly isHolding = false;
  readonly #context: FormatContext;
  readonly #snapshots: Snapshots;
  readonly #readings: RowReadings;

  constructor(context: FormatContext) {
    this.#context = context;
    this.#snapshots = new Snapshots(context);
    this.#readings = new RowReadings(context.report);
  }

  line(bytes: Uint8Array, start: number, end: number, number: number, terminated: boolean): void {
    const whole = plainLine(bytes, start, end);
    // The last word of a line that is cut off may be half of it.
    const line = terminated ? whole : whole.slice(0, whole.lastIndexOf(' ') + 1);
    if (!LINE.test(line)) {
      if (whole.trim() !== '' && !this.#snapshots.takeDate(whole)) {
        this.#context.report.skip(terminated ? 'stray-text' : 'truncated', number);
      }
      return;
    }
    const device = {
      identity: { ...UNKNOWN_IDENTITY, index: 0, name: 'NVIDIA Jetson' },
      readings: this.#values(line, number),
      processes: absent('not-collected'),
      lost: false,
      line: number,
    };
    this.#snapshots.emit(this.#timeOf(line), [device]);
  }

  settle(): void {}

  end(): void {}

  #timeOf(line: string): number {
    const found = US_DATE.exec(line);
    if (found !== null) {
      const [, month, day, year, clock] = found;
      return this.#snapshots.dates.read(`${year}-${month}-${day} ${clock}`);
    }
    const before = line.slice(0, line.indexOf('RAM ')).trim();
    return before === '' ? Number.NaN : this.#snapshots.dates.read(before);
  }

  #values(line: string, number: number): ReadingSet {
    const readings = this.#readings;
    readings.begin(number);
    const ram = RAM.exec(line);
    if (ram !== null) {
      readings.number(metric('memory_used_bytes'), Number(ram[1]), MIB, 'RAM');
      readings.number(metric('memory_total_bytes'), Number(ram[2]), MIB, 'RAM');
    }
    const load = LOAD.exec(line);
    if (load?.[1] !== undefined) readings.number(metric('utilization_ratio'), Number(load[1]), 0.01, 'GR3D_FREQ');
    const clocks = new Set((load?.[2] ?? '').split(',').filter((clock) => clock !== ''));
    // Parts of the GPU with different clocks have none in common.
    if (clocks.size === 1) readings.number(metric('graphics_clock_hertz'), Number([...clocks][0]), 1e6, 'GR3D_FREQ');
    const memoryLoad = MEMORY_LOAD.exec(line);
    if (memoryLoad !== null) {
      readings.number(metric('memory_utilization_ratio'), Number(memoryLoad[1]), 0.01, 'EMC_FREQ');
    }
    const celsius = TEMPERATURE.exec(line)?.[1];
    if (Number(celsius) === SENSOR_OFF) readings.absent(metric('temperature_celsius'), 'asleep');
    else if (celsius !== undefined) readings.number(metric('temperature_celsius'), Number(celsius), 1, 'GPU@');
    const power = POWER.exec(line);
    if (power !== null) readings.number(metric('power_watts'), Number(power[1]), 0.001, 'VDD_IN');
    return readings.take();
  }
}
