/**
 * What sampling alone costs: 8 GPUs with 2 processes each at 1 Hz on the fake NVIDIA library, beside nvtop on the same
 * library where it and tmux are installed. `SECONDS=300 npm run bench -- sampler` for a longer look.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { systemClock } from '../src/model/clock.ts';
import { openNvml } from '../src/sources/nvml/nvml-source.ts';
import { ON_FAKE_NVML, sleep } from './process.ts';

const SECONDS = Number(process.env['SECONDS'] ?? 60);
const WARM_UP_SECONDS = 10;
const TMUX = ['-L', 'gpulse-bench'];

/** Milliseconds of CPU of every thread of a process so far: schedstat counts nanoseconds, where stat counts hundredths. */
function cpuMs(pid: number): number {
  const spent = (task: string): number =>
    Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]);
  return readdirSync(`/proc/${pid}/task`).reduce((sum, task) => sum + spent(task) / 1e6, 0);
}

function startNvtop(library: string, script: string): number | null {
  const env = `LD_LIBRARY_PATH=${dirname(library)} FAKE_NVML_SCRIPT=${script} FAKE_NVML_CALLS=${script}-calls`;
  spawnSync('tmux', [...TMUX, 'new-session', '-d', '-x', '150', '-y', '50', `exec env ${env} nvtop`]);
  const found = spawnSync('tmux', [...TMUX, 'list-panes', '-F', '#{pane_pid}'], { encoding: 'utf8' }).stdout ?? '';
  return found === '' ? null : Number(found);
}

// As `bin/gpulse serve` runs: what is called once a second is not worth compiling for.
setFlagsFromString('--invocation-count-for-maglev=20000');
setFlagsFromString('--invocation-count-for-turbofan=50000');

const folder = mkdtempSync(join(tmpdir(), 'gpulse-bench-'));
const script = join(folder, 'script');
const holders = Array.from({ length: 16 }, () => spawn('sleep', ['86400'], { stdio: 'ignore' }));
const processes = holders.map(({ pid }, i) => `process ${i >> 1} pid ${pid} memory 1073741824 kind compute`);
writeFileSync(script, `${['gpus 8', ...processes].join('\n')}\n`);
process.env['FAKE_NVML_SCRIPT'] = script;

const library = ON_FAKE_NVML[1];
const nvtop = startNvtop(library, script);
if (nvtop === null) console.log('skipped: nvtop in tmux, which the Debian packages of these names would bring');
const probe = await openNvml({ clock: systemClock, library });
if (!probe.ok) throw probe.reason;
const timer = setInterval(() => void probe.source.sample(systemClock.now()), 1000);
await sleep(WARM_UP_SECONDS * 1000);
const before = { own: cpuMs(process.pid), nvtop: nvtop === null ? 0 : cpuMs(nvtop) };
await sleep(SECONDS * 1000);
const own = (cpuMs(process.pid) - before.own) / SECONDS;
const peer = nvtop === null ? null : (cpuMs(nvtop) - before.nvtop) / SECONDS;
console.log(`CPU per second over ${SECONDS} s: sampler ${own.toFixed(2)} ms`);
if (peer !== null) console.log(`nvtop ${peer.toFixed(2)} ms, ratio ${(own / peer).toFixed(2)}`);

clearInterval(timer);
await probe.source.close();
spawnSync('tmux', [...TMUX, 'kill-server']);
for (const holder of holders) holder.kill();
rmSync(folder, { recursive: true, force: true });
