import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What the made-up tool does; it looks again before every sample. */
export interface FakeState {
  /** Fields it knows; null for every one it is asked for. */
  readonly known: readonly string[] | null;
  /** Whether it lists its fields when asked. */
  readonly hasHelp: boolean;
  /** Values by field, as they are printed; what is missing is `[N/A]`. */
  readonly gpus: readonly Readonly<Record<string, string>>[];
  readonly processes: readonly Readonly<Record<string, string>>[];
  /** Ends it before anything is printed. */
  readonly failure: { readonly text: string; readonly code: number } | null;
  /** Place of a GPU because of which it fails unless it is asked for others. */
  readonly unreachable: string | null;
  /** Samples after which it ends with code 0; null for never. */
  readonly samples: number | null;
  /** Prints nothing. */
  readonly hangs: boolean;
}

const SCRIPT = String.raw`
const fs = require('node:fs');
const state = () => JSON.parse(fs.readFileSync(__dirname + '/state.json', 'utf8'));
const args = process.argv.slice(2);
fs.appendFileSync(__dirname + '/calls.log', args.join(' ') + '\n');
const value = (name) => { const at = args.findIndex((a) => a === name || a.startsWith(name + '=')); return at < 0 ? undefined : args[at].includes('=') ? args[at].slice(name.length + 1) : args[at + 1]; };
const first = state();
const fail = (text, code) => { process.stdout.write(text + '\n'); process.exit(code); };
if (args.some((a) => a.startsWith('--help-query'))) {
  if (!first.hasHelp || first.known === null) fail('Option "' + args[0] + '" is not recognized.', 2);
  for (const name of first.known) process.stdout.write('"' + name + '"\nWhat it is.\n\n');
  process.exit(0);
}
if (first.failure) fail(first.failure.text, first.failure.code);
const isGpu = value('--query-gpu') !== undefined;
const fields = (value('--query-gpu') ?? value('--query-compute-apps')).split(',');
const bad = fields.find((f) => first.known !== null && !first.known.includes(f));
if (bad !== undefined) fail('Field "' + bad + '" is not a valid field to query.\n', 2);
const only = value('-i')?.split(',');
if (first.unreachable && (!only || only.includes(first.unreachable))) fail('Unable to determine the device handle for GPU ' + first.unreachable + ': Unknown Error', 15);
if (!args.includes('--format=csv,nounits')) fail('bad format', 2);
process.stdout.write(fields.map((f) => (/^(memory|used)/.test(f) ? f + ' [MiB]' : f.startsWith('utilization') ? f + ' [%]' : f)).join(', ') + '\n');
let n = 0;
const sample = () => {
  const now = state();
  if (now.failure) fail(now.failure.text, now.failure.code);
  if (now.hangs) return;
  const rows = (isGpu ? now.gpus : now.processes).filter((row) => !only || only.includes(row['pci.bus_id'] ?? row['gpu_bus_id']));
  for (const row of rows) process.stdout.write(fields.map((f) => row[f] ?? '[N/A]').join(', ') + '\n');
  if (now.samples !== null && ++n >= now.samples) process.exit(0);
};
sample();
setInterval(sample, Number(value('-lms')));
`;

/** The values of a GPU that works. */
export function fakeGpu(index: number, more: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return {
    index: String(index),
    uuid: `GPU-0000000${index}-0000-4000-8000-000000000000`,
    'pci.bus_id': `00000000:0${index + 1}:00.0`,
    name: 'NVIDIA H100 80GB HBM3',
    driver_version: '570.124.06',
    'utilization.gpu': '87',
    'memory.total': '81559',
    'memory.used': '1024',
    'temperature.gpu': '54',
    'power.draw': '350.12',
    ...more,
  };
}

/** A made-up `nvidia-smi` in a folder of its own, for tests. */
export class FakeSmi {
  readonly folder = mkdtempSync(join(tmpdir(), 'gpulse-smi-'));
  readonly tool = join(this.folder, 'nvidia-smi');
  #state: FakeState = {
    known: null,
    hasHelp: false,
    gpus: [fakeGpu(0), fakeGpu(1)],
    processes: [],
    failure: null,
    unreachable: null,
    samples: null,
    hangs: false,
  };

  constructor(state: Partial<FakeState> = {}) {
    this.set(state);
    this.script('nvidia-smi', `#!${process.execPath}\n${SCRIPT}`);
  }

  set(state: Partial<FakeState>): void {
    this.#state = { ...this.#state, ...state };
    writeFileSync(join(this.folder, 'state.json'), JSON.stringify(this.#state));
  }

  script(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text);
    chmodSync(join(this.folder, name), 0o755);
  }

  /** The arguments of every call so far. */
  calls(): readonly string[] {
    try {
      return readFileSync(join(this.folder, 'calls.log'), 'utf8').trim().split('\n');
    } catch {
      return [];
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
