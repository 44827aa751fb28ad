import { isDriverWord } from './absence-words.ts';
import { splitText } from './cells.ts';
import { type CsvHeader, headerOf } from './header.ts';
import { type ColumnShape, columnShape, type Shape } from './shapes.ts';
import { meaningOf } from './titles.ts';

const PRODUCT = /nvidia|geforce|tesla|quadro|titan|jetson|orin|xavier|\b[rg]tx\b|\b[abhlpvt]\d{1,3}s?\b/i;
const NVIDIA_DATE = /^\d{4}\/\d{2}\/\d{2} \d{2}:\d{2}:\d{2}\.\d{3}$/;

/** A GPU that is running is warmer than this, so that a smaller number is no temperature. */
const COLDEST = 15;
const HOTTEST = 110;
/** A whole number from here on is no clock in MHz, so that it may be a size of memory in MiB. */
const LEAST_PLAIN_TOTAL = 15_000;
/** Power of a board. */
const LEAST_WATTS = 3;
const MOST_WATTS = 3000;
/** Bits of memory that belong to neither used nor free: what the driver reserves, and rounding. */
const RESERVED_SHARE = 0.06;
const RESERVED_MIB = 1200;

/** The header of records that have none: named by the user, or inferred. */
export function headerWithout(samples: readonly string[][], columns: string | null): CsvHeader | null {
  if (columns === null) return inferHeader(samples);
  const header = headerOf(splitText(columns), ',');
  return header?.columns.length === samples[0]?.length ? header : null;
}

/**
 * Finds out what the columns of a log without a header are, from the units and values of its first rows. Where several
 * meanings fit a column stays without one. Null if nothing shows that this is a log of nvidia-smi at all.
 */
export function inferHeader(rows: readonly string[][]): CsvHeader | null {
  const count = rows[0]?.length ?? 0;
  const columns = Array.from({ length: count }, (_, position) => columnShape(position, rows));
  const inference = new Inference(columns);
  const titles = inference.titles();
  if (!isEvident(columns, rows, titles)) return null;
  const found = titles.map((title, position) => ({ position, title, meaning: meaningOf(title) }));
  return { kind: 'gpus', columns: found, separator: ',' };
}

/** Units, ids and words that only nvidia-smi prints, or memory that fits together beside a load. */
function isEvident(columns: readonly ColumnShape[], rows: readonly string[][], titles: readonly string[]): boolean {
  const telling: readonly Shape[] = ['uuid', 'bus-id', 'pstate', 'percent', 'mebibytes', 'watts', 'megahertz'];
  if (columns.some(({ shape }) => telling.includes(shape))) return true;
  if (columns.some(({ texts, shape }) => shape === 'date' && texts.every((text) => NVIDIA_DATE.test(text))))
    return true;
  if (rows.some((cells) => cells.some(isDriverWord))) return true;
  const has = (...wanted: string[]): boolean => wanted.some((title) => titles.includes(title));
  return has('timestamp', 'index') && has('memory.total') && has('utilization.gpu', 'power.draw');
}

/** Gives columns their titles one kind after the other; what one rule has taken, the next does not see. */
class Inference {
  readonly #columns: readonly ColumnShape[];
  readonly #titles: string[];
  readonly #hasUnits: boolean;

  constructor(columns: readonly ColumnShape[]) {
    this.#columns = columns;
    this.#titles = columns.map(() => '');
    this.#hasUnits = columns.some(({ shape }) => ['percent', 'mebibytes', 'watts', 'megahertz'].includes(shape));
  }

  /** One per column, as nvidia-smi would head it; empty where unknown. */
  titles(): readonly string[] {
    this.#byShape();
    this.#findName();
    this.#findMemory();
    this.#findIndex();
    this.#findUtilisation();
    this.#findPower();
    this.#findTemperature();
    return this.#titles;
  }

  #free(...shapes: Shape[]): ColumnShape[] {
    return this.#columns.filter(({ position, shape }) => this.#titles[position] === '' && shapes.includes(shape));
  }

  #name(column: ColumnShape | undefined, title: string): void {
    if (column !== undefined) this.#titles[column.position] = title;
  }

  #byShape(): void {
    const [date] = this.#free('date');
    const [epoch] = this.#free('epoch').filter(({ numbers }) => isRising(numbers));
    this.#name(date ?? epoch, 'timestamp');
    this.#name(this.#free('uuid')[0], 'uuid');
    this.#name(this.#free('bus-id')[0], 'pci.bus_id');
    this.#name(this.#free('pstate')[0], 'pstate');
    const masks = this.#free('mask');
    if (masks.length === 1) this.#name(masks[0], 'clocks_event_reasons.active');
  }

  #findName(): void {
    this.#name(
      this.#free('text').find(({ texts }) => texts.every((text) => PRODUCT.test(text))),
      'name',
    );
  }

  /** Total, used and free, which add up; or a total that never changes with the part of it that is used. */
  #findMemory(): void {
    const sizes = this.#hasUnits ? this.#free('mebibytes') : this.#free('integer').filter(({ max }) => max > 256);
    if (sizes.length === 3) {
      const [total, ...parts] = [...sizes].sort((a, b) => b.max - a.max) as [ColumnShape, ColumnShape, ColumnShape];
      const [used, free] = parts.sort((a, b) => a.position - b.position) as [ColumnShape, ColumnShape];
      if (addUp(total, used, free)) this.#nameMemory(total, used, free);
    } else if (this.#hasUnits) {
      this.#findMemoryPair(sizes);
    } else {
      const totals = sizes.filter(({ isConstant, max }) => isConstant && max >= LEAST_PLAIN_TOTAL);
      const [total] = totals.sort((a, b) => b.max - a.max);
      if (total !== undefined) this.#findMemoryPair([total, ...this.#usedBeside(total)]);
    }
  }

  #findMemoryPair(sizes: readonly ColumnShape[]): void {
    const [total, used] = [...sizes].sort((a, b) => b.max - a.max);
    if (sizes.length === 1 && this.#hasUnits && total !== undefined && (!total.isConstant || total.max < 1000)) {
      this.#name(total, 'memory.used');
    }
    if (sizes.length !== 2 || total === undefined || used === undefined) return;
    if (total.isConstant && used.max <= total.max) this.#nameMemory(total, used);
  }

  /** The one plain number next to a total that can be the used part of it. */
  #usedBeside(total: ColumnShape): ColumnShape[] {
    const beside = this.#free('integer').filter(({ position }) => Math.abs(position - total.position) === 1);
    const large = beside.filter(({ max }) => max > 100);
    return (large.length > 0 ? large : beside).filter(({ max }) => max <= total.max);
  }

  #nameMemory(total: ColumnShape, used: ColumnShape, free?: ColumnShape): void {
    this.#name(total, 'memory.total');
    this.#name(used, 'memory.used');
    this.#name(free, 'memory.free');
  }

  /** A small number at the start or behind the time that counts the devices of each instant or says who it is. */
  #findIndex(): void {
    const first = this.#columns.find(({ position }) => this.#titles[position] !== 'timestamp');
    if (first?.shape !== 'integer' || this.#titles[first.position] !== '' || first.max >= 64) return;
    const next = this.#columns[first.position + 1];
    const nextTitle = this.#titles[first.position + 1] ?? '';
    const isBeforeIdentity = ['name', 'uuid', 'pci.bus_id'].includes(nextTitle);
    const isBeforeVarying = next !== undefined && isPlainPercent(next) && nextTitle === '' && !next.isConstant;
    const isConstant = first.isConstant && (isBeforeIdentity || isBeforeVarying || (this.#hasUnits && first.max < 16));
    if (isConstant || comesRound(first.numbers)) this.#name(first, 'index');
  }

  /** The only percentage, or two side by side of which the second is never above the first. */
  #findUtilisation(): void {
    const percents = this.#hasUnits ? this.#free('percent') : this.#free('integer').filter(isPlainPercent);
    const [gpu, memory] = percents;
    if (gpu === undefined || percents.length > 2) return;
    if (memory === undefined) {
      this.#name(gpu, 'utilization.gpu');
    } else if (memory.position === gpu.position + 1 && isBelow(memory, gpu)) {
      this.#name(gpu, 'utilization.gpu');
      this.#name(memory, 'utilization.memory');
    }
  }

  /** The only power, or one below another that never changes: its limit. */
  #findPower(): void {
    const powers = this.#hasUnits
      ? this.#free('watts')
      : this.#free('decimal').filter(({ min, max }) => min >= LEAST_WATTS && max < MOST_WATTS);
    const [draw, limit] = [...powers].sort((a, b) => a.max - b.max);
    if (powers.length === 1) this.#name(draw, 'power.draw');
    if (powers.length !== 2 || limit?.isConstant !== true) return;
    this.#name(draw, 'power.draw');
    this.#name(limit, 'enforced.power.limit');
  }

  /** Among cells with units temperatures are the numbers without one. */
  #findTemperature(): void {
    if (!this.#hasUnits) return;
    const warm = this.#free('integer').filter(({ min, max }) => min >= COLDEST && max <= HOTTEST);
    const notLanes = warm.filter(({ isConstant, max }) => !(isConstant && max === 16));
    if (notLanes.length === 1) this.#name(notLanes[0], 'temperature.gpu');
  }
}

function isPlainPercent({ shape, min, max }: ColumnShape): boolean {
  return shape === 'integer' && max <= 100 && min < COLDEST;
}

function isRising(numbers: readonly number[]): boolean {
  return numbers.every((value, row) => row === 0 || !(value < numbers[row - 1]!));
}

/** 0, 1, 2, 0, 1, 2: consecutive numbers, equally often but for a last round that is not complete. */
function comesRound(numbers: readonly number[]): boolean {
  const present = numbers.filter((value) => !Number.isNaN(value));
  const rounds = new Set(present).size;
  const [first = 0] = present;
  return rounds > 1 && present.every((value, row) => value === first + (row % rounds));
}

function addUp(total: ColumnShape, used: ColumnShape, free: ColumnShape): boolean {
  const rests = total.numbers.map((value, row) => value - used.numbers[row]! - free.numbers[row]!);
  const most = Math.max(RESERVED_MIB, total.max * RESERVED_SHARE);
  return (
    rests.every((rest) => Number.isNaN(rest) || (rest >= -2 && rest <= most)) && rests.some((rest) => rest <= most)
  );
}

function isBelow(lower: ColumnShape, upper: ColumnShape): boolean {
  return lower.numbers.every((value, row) => !(value > upper.numbers[row]! + 5));
}
