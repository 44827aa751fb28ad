/**
 * What `top` costs in a terminal of 120 x 40: 8 GPUs with 2 processes each on the fake NVIDIA library, where utilisation,
 * power and temperature change every second, beside an idle Node and, where it is installed, nvtop on the same library.
 * What a frame sends is set against drawing the whole screen. `SECONDS=60 npm run bench -- top` for a longer look.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { TestTerminal } from '../src/cli/top/test-terminal.ts';
import { FakeDriver } from '../src/sources/nvml/fake-driver.ts';
import { cpuSeconds, GPULSE, residentBytes, sleep, start } from './process.ts';

const SECONDS = Number(process.env['SECONDS'] ?? 20);
const WARM_UP_SECONDS = 8;
const GPUS = 8;
const REDRAWS = 5;

const folder = mkdtempSync(join(tmpdir(), 'gpulse-bench-'));
const holders = Array.from({ length: 2 * GPUS }, () => spawn('sleep', ['86400'], { stdio: 'ignore' }));
const driver = new FakeDriver({ script: machine(0) });
let second = 0;
const changing = setInterval(() => driver.script(machine(++second)), 1000);

/** The machine as it is in a second of its life. */
function machine(at: number): string {
  const lines = [`gpus ${GPUS}`];
  for (let gpu = 0; gpu < GPUS; gpu++) {
    const wave = (at * 7 + gpu * 13) % 40;
    lines.push(`gpu ${gpu} utilization ${60 + wave}`, `gpu ${gpu} power ${500_000 + 5000 * wave}`);
    lines.push(`gpu ${gpu} temperature ${55 + Math.floor(wave / 4)}`);
  }
  for (const [i, { pid }] of holders.entries()) {
    lines.push(`process ${i >> 1} pid ${pid} memory ${2 ** 30 * (1 + i)} kind compute`);
  }
  return `${lines.join('\n')}\n`;
}

interface Cost {
  /** Milliseconds of CPU per second. */
  readonly cpu: number;
  readonly bytesPerSecond: number;
  readonly framesPerSecond: number;
  readonly mebibytes: number;
}

/** What stands before every frame of `top`. */
const FRAME = '\x1b[?2026h';

/** What was sent to a terminal so far. */
function sent(copy: string): { readonly bytes: number; readonly frames: number } {
  const text = readFileSync(copy);
  return { bytes: text.length, frames: text.toString('latin1').split(FRAME).length - 1 };
}

/** The cost of whatever a terminal shows. */
async function costOf(terminal: TestTerminal, copy: string): Promise<Cost> {
  terminal.copyTo(copy);
  await sleep(WARM_UP_SECONDS * 1000);
  const pid = terminal.pid();
  const [cpu, before] = [cpuSeconds(pid), sent(copy)];
  await sleep(SECONDS * 1000);
  const after = sent(copy);
  return {
    cpu: ((cpuSeconds(pid) - cpu) / SECONDS) * 1000,
    bytesPerSecond: (after.bytes - before.bytes) / SECONDS,
    framesPerSecond: (after.frames - before.frames) / SECONDS,
    mebibytes: residentBytes(pid) / 2 ** 20,
  };
}

function costText({ cpu, bytesPerSecond, mebibytes }: Cost): string {
  return `${cpu.toFixed(1)} ms CPU per second, ${bytesPerSecond.toFixed(0)} bytes per second, ${mebibytes.toFixed(0)} MiB`;
}

/** Bytes of a screen that is drawn as a whole. */
async function redrawBytes(terminal: TestTerminal, copy: string, frameBytes: number): Promise<number> {
  const before = sent(copy).bytes;
  for (let n = 0; n < REDRAWS; n++) {
    terminal.press('C-l');
    await sleep(1000);
  }
  return (sent(copy).bytes - before) / REDRAWS - frameBytes;
}

async function measureTop(command: string, name: string): Promise<Cost> {
  const terminal = new TestTerminal({ columns: 120, rows: 40 });
  const copy = join(folder, name.replaceAll(' ', '-'));
  terminal.run(command);
  await terminal.until(/F10 Quit/);
  const cost = await costOf(terminal, copy);
  const whole = await redrawBytes(terminal, copy, cost.bytesPerSecond);
  const frame = cost.bytesPerSecond / cost.framesPerSecond;
  console.log(`${name}: ${costText(cost)}`);
  console.log(
    `${name}: ${cost.framesPerSecond.toFixed(2)} frames per second of ${frame.toFixed(0)} bytes, drawn as a whole ${whole.toFixed(0)}, ratio ${(whole / frame).toFixed(1)}`,
  );
  terminal.press('q');
  terminal.close();
  return cost;
}

async function idleCpu(): Promise<number> {
  const idle: ChildProcess & { pid: number } = await start(
    process.execPath,
    ['-e', 'console.log("ready"); setInterval(() => {}, 1000)'],
    /ready/,
  );
  await sleep(1000);
  const before = cpuSeconds(idle.pid);
  await sleep(SECONDS * 1000);
  const cpu = ((cpuSeconds(idle.pid) - before) / SECONDS) * 1000;
  idle.kill();
  return cpu;
}

async function measureNvtop(top: Cost): Promise<void> {
  if (spawnSync('sh', ['-c', 'command -v nvtop']).status !== 0) {
    console.log('skipped: nvtop, which the Debian package nvtop of "contrib" would bring');
    return;
  }
  const terminal = new TestTerminal({ columns: 120, rows: 40, env: { LD_LIBRARY_PATH: dirname(driver.library) } });
  terminal.run('nvtop -d 10');
  const cost = await costOf(terminal, join(folder, 'nvtop'));
  console.log(`nvtop: ${costText(cost)}`);
  console.log(
    `CPU, top / nvtop: ${(top.cpu / cost.cpu).toFixed(2)}; bytes: ${(top.bytesPerSecond / cost.bytesPerSecond).toFixed(2)}`,
  );
  terminal.press('q');
  terminal.close();
}

const own = await measureTop(`${GPULSE} top --lang en --no-server --nvml-library ${driver.library}`, 'top');
const data = join(folder, 'data');
const serve = await start(
  GPULSE,
  ['serve', '--listen', '127.0.0.1:0', '--data', data, '--nvml-library', driver.library],
  /http:\S+/,
);
await measureTop(`${GPULSE} top --lang en --server ${serve.announced}`, 'top beside serve');
serve.kill();
console.log(`idle Node: ${(await idleCpu()).toFixed(1)} ms CPU per second`);
await measureNvtop(own);

clearInterval(changing);
driver.dispose();
for (const holder of holders) holder.kill();
rmSync(folder, { recursive: true, force: true });
