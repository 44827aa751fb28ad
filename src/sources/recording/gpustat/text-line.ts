/** One GPU of gpustat's table. A value is null where the table does not have it and `??` where gpustat could not get it. */
export interface GpustatLine {
  readonly index: number;
  /** Null where the name is hidden. */
  readonly name: string | null;
  readonly temperature: string | null;
  readonly fan: string | null;
  readonly utilisation: string | null;
  readonly encoder: string | null;
  readonly decoder: string | null;
  readonly power: string | null;
  readonly powerLimit: string | null;
  readonly memoryUsed: string | null;
  readonly memoryTotal: string | null;
  /** What stands behind the last bar: null without one. */
  readonly processes: string | null;
}

/** One process in a row of gpustat: `user:command/pid(123M)`, of which only the user and the memory are always there. */
export interface GpustatProcess {
  readonly user: string | null;
  readonly command: string | null;
  readonly pid: number | null;
  readonly memory: string;
}

const ROW = /^\s*\[(\d{1,4})\]\s*([^|]*?)\s*\|([^|]*)\|([^|]*)(?:\|(.*))?$/;
const TEMPERATURE = /^\s*(\d+|\?\?)\s*(?:'|°|\ufffd+)?\s*C\s*(?:,|$)/;
const PERCENT = /(\d+|\?\?)\s*%/;
const CODECS = /\(([^()]*)\)/;
const MEMORY = /^\s*(\d+|\?\?)\s*\/\s*(\d+|\?\?)\s*MB\s*$/;
const PROCESS = /([^\s():/]+)?(?::((?:(?!\/\d+\().)*?))?(?:\/(\d+))?\((\d+|\?)M\)/g;

/** The values of a row, or null for a line that is none. */
export function parseGpustatLine(line: string): GpustatLine | null {
  const row = ROW.exec(line);
  if (row === null) return null;
  const [, index = '', name = '', state = '', memoryCell = '', processes] = row;
  const temperature = TEMPERATURE.exec(state);
  const memory = MEMORY.exec(memoryCell);
  if (temperature === null || memory === null) return null;
  const rest = state.slice(temperature[0].length);
  const codecs = CODECS.exec(rest)?.[1] ?? '';
  const [shares, watts] = sharesAndPower(rest.replace(CODECS, ''));
  if (shares.length === 0 || shares.length > 2) return null;
  return {
    index: Number(index),
    name: name === '' ? null : name,
    temperature: temperature[1]!,
    fan: shares.length === 2 ? shares[0]! : null,
    utilisation: shares.at(-1)!,
    encoder: /E:\s*(\d+|\?\?)/.exec(codecs)?.[1] ?? null,
    decoder: /D:\s*(\d+|\?\?)/.exec(codecs)?.[1] ?? null,
    power: watts[0],
    powerLimit: watts[1],
    memoryUsed: memory[1]!,
    memoryTotal: memory[2]!,
    processes: processes ?? null,
  };
}

/** `30 %,  12 %,  25 / 250 W`: percentages, then draw and limit, either of which may be missing. */
function sharesAndPower(text: string): [string[], readonly [string | null, string | null]] {
  const shares: string[] = [];
  let watts: readonly [string | null, string | null] = [null, null];
  for (const part of text.split(',')) {
    const share = PERCENT.exec(part);
    if (share !== null) {
      shares.push(share[1]!);
      continue;
    }
    const [draw, limit] = part.replace(/W\s*$/, '').split('/');
    watts = [amount(draw), amount(limit)];
  }
  return [shares, watts];
}

function amount(text: string | undefined): string | null {
  return /^\s*(\d+|\?\?)\s*$/.exec(text ?? '')?.[1] ?? null;
}

/** Every process behind the last bar. */
export function parseGpustatProcesses(text: string): GpustatProcess[] {
  return [...text.matchAll(PROCESS)].map(([, user, command, pid, memory = '']) => ({
    user: user === undefined || user === '--' ? null : user,
    command: command === undefined || command === '' ? null : command,
    pid: pid === undefined ? null : Number(pid),
    memory,
  }));
}
