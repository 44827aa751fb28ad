/** What the log of a training program says about its own pace and memory. Times in seconds, sizes in bytes. */
export interface ProgramLog {
  lines: number;
  /** Steps that give their own time and how long of it they waited for data. */
  readonly steps: { count: number; seconds: number; waiting: number; slowest: number };
  /** Memory in use as the program prints it, in order; thinned out when there are too many. */
  readonly memory: number[];
  /** How many memory prints one entry stands for. */
  memoryStride: number;
  memorySeen: number;
  readonly outOfMemory: OutOfMemory[];
}

/** An out-of-memory message of PyTorch; NaN for what it does not say. */
export interface OutOfMemory {
  readonly tried: number;
  readonly total: number;
  readonly free: number;
  readonly allocated: number;
  readonly reserved: number;
}

const MOST_MEMORY = 4096;
const MOST_OOM = 100;

const NUMBER = String.raw`(\d+(?:\.\d+)?(?:e[-+]?\d+)?)`;

/** `Time 0.154 (8.010)  Data 0.001 (7.720)`, as the ImageNet example of PyTorch and its many descendants print. */
const METERS = new RegExp(String.raw`\bTime[ :=]+${NUMBER}\b.{0,40}?\bData[ :=]+${NUMBER}\b`, 'i');

/** `time: 0.45, data_time: 0.31` in either order, as detection tool boxes print. */
const DATA_TIME = new RegExp(String.raw`\bdata_time[ :=]+${NUMBER}`, 'i');
const STEP_TIME = new RegExp(`(?<![a-z_])(?:iter_time|batch_time|step_time|time)[ :=]+${NUMBER}`, 'i');

const SIZE = String.raw`${NUMBER}\s*([KMGT]i?)?B?\b`;
const MEMORY = new RegExp(
  String.raw`\b(?:gpu mem(?:ory)?|memory info of gpu|cuda mem(?:ory)?|max_mem|memory allocated|allocated memory)\b[^\n]{0,80}?(?:current|allocated|used)?[ :=]+${SIZE}`,
  'i',
);
const CURRENT = new RegExp(String.raw`Memory info of GPU[^\n]*?current[ :=]+${NUMBER}`, 'i');

const OOM = /CUDA out of memory|OutOfMemoryError|RESOURCE_EXHAUSTED: Out of memory/;

const UNITS: Readonly<Record<string, number>> = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 };

export function emptyProgramLog(): ProgramLog {
  return {
    lines: 0,
    steps: { count: 0, seconds: 0, waiting: 0, slowest: 0 },
    memory: [],
    memoryStride: 1,
    memorySeen: 0,
    outOfMemory: [],
  };
}

/** Takes one line into account. */
export function readProgramLine(log: ProgramLog, line: string): void {
  if (line.trim() !== '') log.lines++;
  const [seconds, waiting] = stepTimes(line);
  if (seconds > 0 && waiting >= 0 && waiting <= seconds * 1.01) {
    const { steps } = log;
    steps.count++;
    steps.seconds += seconds;
    steps.waiting += Math.min(seconds, waiting);
    steps.slowest = Math.max(steps.slowest, waiting);
  }
  const bytes = memoryIn(line);
  if (bytes !== null) noteMemory(log, bytes);
  if (log.outOfMemory.length < MOST_OOM && OOM.test(line)) log.outOfMemory.push(outOfMemoryIn(line));
}

/** True where the log has anything that a verdict could be made of. */
export function saysSomething({ steps, memory, outOfMemory }: ProgramLog): boolean {
  return steps.count > 0 || memory.length > 0 || outOfMemory.length > 0;
}

function stepTimes(line: string): readonly [number, number] {
  const meters = METERS.exec(line);
  if (meters !== null) return [Number(meters[1]), Number(meters[2])];
  const data = DATA_TIME.exec(line);
  if (data === null) return [Number.NaN, Number.NaN];
  const step = STEP_TIME.exec(line.replace(data[0], ''));
  return step === null ? [Number.NaN, Number.NaN] : [Number(step[1]), Number(data[1])];
}

function memoryIn(line: string): number | null {
  const current = CURRENT.exec(line);
  // TensorFlow users print gigabytes without a unit here.
  if (current !== null) return Number(current[1]) * 2 ** 30;
  const match = MEMORY.exec(line);
  if (match === null || match[2] === undefined) return null;
  return Number(match[1]) * UNITS[match[2][0]!.toUpperCase()]!;
}

function noteMemory(log: ProgramLog, bytes: number): void {
  if (log.memorySeen++ % log.memoryStride === 0) log.memory.push(bytes);
  if (log.memory.length < MOST_MEMORY) return;
  for (let i = 0; i < MOST_MEMORY / 2; i++) log.memory[i] = log.memory[2 * i]!;
  log.memory.length = MOST_MEMORY / 2;
  log.memoryStride *= 2;
}

/** Both wordings of PyTorch: `… GiB total capacity; … already allocated` and `has a total capacity of …`. */
function outOfMemoryIn(line: string): OutOfMemory {
  const size = (pattern: string): number => {
    const match = new RegExp(pattern.replace('SIZE', SIZE), 'i').exec(line);
    return match === null ? Number.NaN : Number(match[1]) * UNITS[(match[2] ?? '')[0]?.toUpperCase() ?? '']!;
  };
  const either = (first: string, second: string): number => {
    const value = size(first);
    return Number.isNaN(value) ? size(second) : value;
  };
  const allocated = either('SIZE already allocated', 'SIZE is allocated by PyTorch');
  const unused = size('SIZE is reserved by PyTorch but unallocated');
  return {
    tried: size('Tried to allocate SIZE'),
    total: either('SIZE total capacity', 'total capacity of SIZE'),
    free: either('SIZE free', 'of which SIZE is free'),
    allocated,
    reserved: either('SIZE reserved in total', 'SIZE cached') || allocated + unused,
  };
}
