/**
 * What one `stat` takes on the fake NVIDIA library with 8 GPUs and 16 processes: reading the driver, and asking a running
 * `serve`; beside a Node that does nothing, a small Python program that does what gpustat does, and gpustat and nvtop where
 * they are installed. Runs of all take turns, so that a busy machine is busy for everybody.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { FakeDriver } from '../src/sources/nvml/fake-driver.ts';
import { GPULSE, sleep, start } from './process.ts';

const RUNS = Number(process.env['RUNS'] ?? 15);
const GPUS = 8;

const folder = mkdtempSync(join(tmpdir(), 'gpulse-bench-'));
const holders = Array.from({ length: 2 * GPUS }, () => spawn('sleep', ['86400'], { stdio: 'ignore' }));
const driver = new FakeDriver({
  script: [
    `gpus ${GPUS}`,
    ...holders.map(({ pid }, i) => `process ${i >> 1} pid ${pid} memory ${2 ** 30 * (1 + i)} kind compute`),
  ].join('\n'),
});
const runtime = join(folder, 'runtime');
mkdirSync(runtime);
const env = { ...process.env, LD_LIBRARY_PATH: dirname(driver.library), HOME: folder, XDG_RUNTIME_DIR: runtime };

interface Subject {
  readonly name: string;
  readonly command: readonly string[];
  readonly wall: number[];
  readonly cpu: number[];
}

/** Tools that are measured too where they are installed and run. */
const PEERS = [
  ['gpustat', '-cup'],
  ['nvtop', '-s'],
] as const;

function works([command, ...args]: (typeof PEERS)[number]): boolean {
  return spawnSync(command, args, { env }).status === 0;
}

/** The interpreter itself: what is called `python3` may be a script that looks for it. */
const PYTHON = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).stdout?.trim();

function subject(name: string, ...command: string[]): Subject {
  return { name, command, wall: [], cpu: [] };
}

/** Wall-clock and CPU time of one run, in milliseconds. `times` of the shell has the CPU time of what it ran. */
function measure({ command, wall, cpu }: Subject): void {
  const line = `${command.map((word) => `'${word}'`).join(' ')} >/dev/null && times`;
  const began = performance.now();
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line], { encoding: 'utf8', env });
  if (status !== 0) throw new Error(`${command[0]} ended with ${status}: ${stderr}`);
  wall.push(performance.now() - began);
  const [, ofChildren = ''] = stdout.trim().split('\n');
  const seconds = [...ofChildren.matchAll(/(\d+)m([\d.]+)s/g)].map(([, min, s]) => Number(min) * 60 + Number(s));
  cpu.push(1000 * seconds.reduce((sum, each) => sum + each, 0));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

const serve = await start(
  GPULSE,
  ['serve', '--listen', '127.0.0.1:0', '--data', join(folder, 'data'), '--nvml-library', driver.library],
  /http:\S+/,
  { HOME: folder, XDG_RUNTIME_DIR: runtime },
);
await sleep(2000);
const subjects = [
  subject('bare Node', process.execPath, '-e', '0'),
  subject('gpulse --version', GPULSE, '--version'),
  subject('gpulse stat, driver', GPULSE, 'stat', '-cup', '--no-server', '--nvml-library', driver.library),
  subject('gpulse stat, serve', GPULSE, 'stat', '-cup', '--server', serve.announced),
  subject('gpustat-like Python', PYTHON, resolve(import.meta.dirname, 'gpustat-like.py'), driver.library),
  ...PEERS.filter(works).map((command) => subject(command.join(' '), ...command)),
];
try {
  // The first run fills the caches.
  for (const each of subjects) measure(each);
  for (const { wall, cpu } of subjects) for (const list of [wall, cpu]) list.length = 0;
  for (let run = 0; run < RUNS; run++) for (const each of subjects) measure(each);
} finally {
  serve.kill('SIGTERM');
  for (const holder of holders) holder.kill();
}
const base = median(subjects[0]?.cpu ?? []);
for (const { name, wall, cpu } of subjects) {
  const [w, c] = [median(wall), median(cpu)];
  console.log(
    `${name.padEnd(20)} wall ${w.toFixed(0).padStart(5)} ms (least ${Math.min(...wall).toFixed(0)}), CPU ${c.toFixed(0).padStart(5)} ms, ${(c / base).toFixed(1)} x bare Node`,
  );
}
driver.dispose();
rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
