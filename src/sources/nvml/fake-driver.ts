import {
  closeSync,
  copyFileSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** For tests only: a copy of the fake NVIDIA library with a script of its own. See `testdata/fake-nvml/README.md`. */

const BUILD = resolve(import.meta.dirname, '../../../testdata/fake-nvml/build');
const SONAME = 'libnvidia-ml.so.1';

/** Layout of the file of call counts, as in `calls.h`. */
const HEADER_BYTES = 8;
const NAME_BYTES = 64;
const COLUMNS = 129;
const RECORD_BYTES = NAME_BYTES + 4 * COLUMNS;
const RECORDS = 128;

/** False where no C compiler has built the fake: then its tests report themselves as skipped. */
export const HAS_FAKE_DRIVER = existsSync(join(BUILD, 'new', SONAME));

export interface FakeDriverOptions {
  /** A driver of the R570 or of the R418 generation. */
  readonly variant?: 'new' | 'old';
  /** Symbols that the library is to lack. */
  readonly without?: readonly string[];
  readonly script?: string;
}

export interface PowerFacts {
  readonly status: string;
  readonly control?: string;
  readonly d3?: string;
}

/** Calls so far, by an open file that the library counts them in: of a function, or of all; on one GPU, or anywhere. */
export function countCalls(file: number, name: string | null = null, gpu: number | null = null): number {
  const data = new DataView(new ArrayBuffer(RECORDS * RECORD_BYTES));
  readSync(file, data, 0, data.byteLength, HEADER_BYTES);
  let sum = 0;
  for (let record = 0; record < RECORDS; record++) {
    const at = record * RECORD_BYTES;
    const found = Buffer.from(data.buffer, at, NAME_BYTES).toString('latin1').replace(/\0.*$/s, '');
    if (found === '' || (name !== null && found !== name)) continue;
    const columns = gpu === null ? Array.from({ length: COLUMNS }, (_, column) => column) : [gpu + 1];
    for (const column of columns) sum += data.getUint32(at + NAME_BYTES + 4 * column, true);
  }
  return sum;
}

export class FakeDriver {
  readonly library: string;
  /** A root folder with device nodes, but without anything of the machine that runs the tests. */
  readonly root: string;
  readonly #folder: string;
  readonly #calls: number;
  #version = 0;

  constructor({ variant = 'new', without = [], script = '' }: FakeDriverOptions = {}) {
    this.#folder = mkdtempSync(join(tmpdir(), 'gpulse-nvml-'));
    this.library = join(this.#folder, SONAME);
    copyFileSync(join(BUILD, variant, SONAME), this.library);
    if (without.length > 0) hideSymbols(this.library, without);
    this.root = join(this.#folder, 'root');
    mkdirSync(join(this.root, 'dev'), { recursive: true });
    writeFileSync(join(this.root, 'dev', 'nvidiactl'), '');
    this.#calls = openSync(join(this.#folder, 'calls'), 'w+');
    ftruncateSync(this.#calls, HEADER_BYTES + RECORDS * RECORD_BYTES);
    this.script(script);
  }

  /** Changes the machine; the next call sees it. */
  script(text: string): void {
    const path = join(this.#folder, 'script');
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
    writeSync(this.#calls, new Uint8Array(Uint32Array.of(++this.#version).buffer), 0, 4, 0);
  }

  /** Calls so far of a function, or of all functions; on one GPU, or anywhere. */
  calls(name: string | null = null, gpu: number | null = null): number {
    return countCalls(this.#calls, name, gpu);
  }

  /** A GPU as the kernel lists it, whatever the library says. */
  writeKernelGpu(bus: string, facts: { model: string; uuid: string; minor: number }): void {
    const folder = join(this.root, 'proc/driver/nvidia/gpus', bus);
    mkdirSync(folder, { recursive: true });
    const lines = [`Model: \t\t ${facts.model}`, 'IRQ:   \t\t 42', `GPU UUID: \t ${facts.uuid}`, 'Bus Type: \t PCIe'];
    writeFileSync(join(folder, 'information'), [...lines, `Device Minor: \t ${facts.minor}`, ''].join('\n'));
  }

  /** What the kernel says of the power of a laptop's GPU. */
  writePower(bus: string, { status, control = 'auto', d3 = 'Enabled (fine-grained)' }: PowerFacts): void {
    const folder = join(this.root, 'sys/bus/pci/devices', bus);
    mkdirSync(join(folder, 'power'), { recursive: true });
    writeFileSync(join(folder, 'vendor'), '0x10de\n');
    writeFileSync(join(folder, 'class'), '0x030200\n');
    writeFileSync(join(folder, 'power/control'), `${control}\n`);
    writeFileSync(join(folder, 'power/runtime_status'), `${status}\n`);
    const driver = join(this.root, 'proc/driver/nvidia/gpus', bus);
    mkdirSync(driver, { recursive: true });
    writeFileSync(join(driver, 'power'), `Runtime D3 status:          ${d3}\nVideo Memory:               Off\n`);
  }

  /** The device nodes go away, as they do when the driver is unloaded. */
  removeDeviceNodes(): void {
    rmSync(join(this.root, 'dev'), { recursive: true, force: true });
  }

  dispose(): void {
    closeSync(this.#calls);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Renames exported symbols in the string table of a library: then a lookup by the true name finds nothing. */
function hideSymbols(path: string, names: readonly string[]): void {
  const bytes = readFileSync(path);
  for (const name of names) {
    const at = bytes.indexOf(`\0${name}\0`, 0, 'latin1');
    if (at < 0) throw new Error(`the fake library has no ${name}`);
    bytes.write('x', at + 1, 'latin1');
  }
  writeFileSync(path, bytes);
}
