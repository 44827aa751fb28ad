/**
 * What sampling alone costs: 8 GPUs with 2 processes each at 1 Hz on the fake NVIDIA library, beside nvtop on the same
 * library where it and tmux are installed, and beside the floor: a Node whose worker is asked at 1 Hz and has nothing to
 * do. Twice: in the first minute, while most code is interpreted, and as it is after an hour, when the engine has compiled what
 * is called often (hurried on by 3000 ticks in a row). `SECONDS=300 npm run bench -- sampler` for a longer look.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { systemClock } from '../src/model/clock.ts';
import { countCalls } from '../src/sources/nvml/fake-driver.ts';
import { openNvml } from '../src/sources/nvml/nvml-source.ts';
import { ON_FAKE_NVML, sleep } from './process.ts';

const SECONDS = Number(process.env['SECONDS'] ?? 60);
const WARM_UP_SECONDS = 10;
/** Until what is called once per GPU and tick is compiled. */
const HURRIED_TICKS = 3000;
const GPUS = 8;
const TMUX = ['-L', 'gpulse-bench'];

/** As `bin/gpulse serve` runs: on few threads, and what is called once a second is compiled late. */
const FLAGS = ['--efficiency-mode', '--invocation-count-for-maglev=1000', '--invocation-count-for-turbofan=50000'];

const FLOOR = `
const { Worker } = require('node:worker_threads');
const answer = "const { parentPort } = require('node:worker_threads'); parentPort.on('message', (asked) => parentPort.postMessage(asked));";
const worker = new Worker(answer, { eval: true }).on('message', () => {});
setInterval(() => worker.postMessage(null), 1000);`;

/** Milliseconds of CPU of every thread of a process so far: schedstat counts nanoseconds, where stat counts hundredths. */
function cpuMs(pid: number): number {
  const spent = (task: string): number =>
    Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]);
  return readdirSync(`/proc/${pid}/task`).reduce((sum, task) => sum + spent(task) / 1e6, 0);
}

/** What is measured: a process, and where its calls of the library are counted. */
interface Measured {
  readonly name: string;
  readonly pid: number;
  readonly calls: number | null;
}

function startNvtop(library: string, script: string): Measured | null {
  const counts = `${script}-nvtop`;
  const env = `LD_LIBRARY_PATH=${dirname(library)} FAKE_NVML_SCRIPT=${script} FAKE_NVML_CALLS=${counts}`;
  spawnSync('tmux', [...TMUX, 'new-session', '-d', '-x', '150', '-y', '50', `exec env ${env} nvtop`]);
  const found = spawnSync('tmux', [...TMUX, 'list-panes', '-F', '#{pane_pid}'], { encoding: 'utf8' }).stdout ?? '';
  return found === '' ? null : { name: 'nvtop', pid: Number(found), calls: openSync(counts, 'a+') };
}

/** Prints what each costs per second, and the longest of the ticks that `ticks` holds at the end. */
async function measure(label: string, all: readonly Measured[], ticks: number[]): Promise<void> {
  const look = (): readonly { cpu: number; calls: number | null }[] =>
    all.map(({ pid, calls }) => ({ cpu: cpuMs(pid), calls: calls === null ? null : countCalls(calls) }));
  ticks.length = 0;
  const before = look();
  await sleep(SECONDS * 1000);
  const spent = look().map(({ cpu, calls }, i) => ({
    cpu: (cpu - before[i]!.cpu) / SECONDS,
    calls: calls === null ? null : (calls - before[i]!.calls!) / SECONDS / GPUS,
  }));
  const figures = all.map(({ name }, i) => {
    const { cpu, calls } = spent[i]!;
    return `${name} ${cpu.toFixed(2)} ms${calls === null ? '' : ` (${calls.toFixed(1)} calls per GPU and tick)`}`;
  });
  console.log(`CPU per second ${label}, over ${SECONDS} s: ${figures.join(', ')}`);
  const ratios = all.slice(1).map(({ name }, i) => `${(spent[0]!.cpu / spent[i + 1]!.cpu).toFixed(2)} of ${name}`);
  console.log(`sampler ${ratios.join(', ')}; longest tick ${Math.max(...ticks).toFixed(1)} ms`);
}

for (const flag of FLAGS) setFlagsFromString(flag);

const folder = mkdtempSync(join(tmpdir(), 'gpulse-bench-'));
const script = join(folder, 'script');
const holders = Array.from({ length: 16 }, () => spawn('sleep', ['86400'], { stdio: 'ignore' }));
const processes = holders.map(({ pid }, i) => `process ${i >> 1} pid ${pid} memory 1073741824 kind compute`);
writeFileSync(script, `${[`gpus ${GPUS}`, ...processes].join('\n')}\n`);
process.env['FAKE_NVML_SCRIPT'] = script;
process.env['FAKE_NVML_CALLS'] = `${script}-sampler`;

const library = ON_FAKE_NVML[1];
const nvtop = startNvtop(library, script);
if (nvtop === null) console.log('skipped: nvtop in tmux, which the Debian packages of these names would bring');
const floor = spawn(process.execPath, [...FLAGS, '-e', FLOOR], { stdio: 'ignore' });
const probe = await openNvml({ clock: systemClock, library });
if (!probe.ok) throw probe.reason;
const { source } = probe;
const ticks: number[] = [];
async function tick(): Promise<void> {
  const began = performance.now();
  await source.sample(systemClock.now());
  ticks.push(performance.now() - began);
}

const all: readonly Measured[] = [
  { name: 'sampler', pid: process.pid, calls: openSync(`${script}-sampler`, 'r') },
  { name: 'floor', pid: floor.pid!, calls: null },
  ...(nvtop === null ? [] : [nvtop]),
];
let timer = setInterval(() => void tick(), 1000);
await sleep(WARM_UP_SECONDS * 1000);
await measure('in the first minute', all, ticks);
clearInterval(timer);
for (let hurried = 0; hurried < HURRIED_TICKS; hurried++) {
  await tick();
  await sleep(10);
}
timer = setInterval(() => void tick(), 1000);
await sleep(WARM_UP_SECONDS * 1000);
await measure('after an hour', all, ticks);

clearInterval(timer);
await source.close();
floor.kill();
if (nvtop !== null) spawnSync('tmux', [...TMUX, 'kill-server']);
for (const holder of holders) holder.kill();
rmSync(folder, { recursive: true, force: true });
