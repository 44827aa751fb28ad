/**
 * What `serve` costs: 8 GPUs with 2 processes each at 1 Hz on the fake NVIDIA library, history and API on, beside an
 * idle Node that only runs a timer. `SECONDS=600 npm run bench -- serve` for a longer look.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cpuSeconds, GPULSE, ON_FAKE_NVML, residentBytes, sleep, start } from './process.ts';

const SECONDS = Number(process.env['SECONDS'] ?? 60);
const WARM_UP_SECONDS = 10;

const folder = mkdtempSync(join(tmpdir(), 'gpulse-bench-'));
const script = join(folder, 'script');
const lines = ['gpus 8'];
// Processes that exist, so that their owners are looked up as they are on a real machine.
const holders = Array.from({ length: 16 }, () => spawn('sleep', ['86400'], { stdio: 'ignore' }));
for (const [i, { pid }] of holders.entries()) {
  lines.push(`process ${i >> 1} pid ${pid} memory 1073741824 kind compute`);
}
writeFileSync(script, `${lines.join('\n')}\n`);

const serve = await start(
  GPULSE,
  ['serve', '--listen', '127.0.0.1:0', '--data', join(folder, 'data'), ...ON_FAKE_NVML],
  /http:\S+/,
  { FAKE_NVML_SCRIPT: script },
);
const idle = await start(process.execPath, ['-e', 'console.log("ready"); setInterval(() => {}, 1000)'], /ready/);
await sleep(WARM_UP_SECONDS * 1000);
const before = { serve: cpuSeconds(serve.pid), idle: cpuSeconds(idle.pid) };
await sleep(SECONDS * 1000);
const cpu = {
  serve: ((cpuSeconds(serve.pid) - before.serve) / SECONDS) * 1000,
  idle: ((cpuSeconds(idle.pid) - before.idle) / SECONDS) * 1000,
};
console.log(`CPU per second over ${SECONDS} s: serve ${cpu.serve.toFixed(2)} ms, idle Node ${cpu.idle.toFixed(2)} ms`);
const memory = { serve: residentBytes(serve.pid) / 2 ** 20, idle: residentBytes(idle.pid) / 2 ** 20 };
console.log(
  `resident: serve ${memory.serve.toFixed(0)} MiB, idle Node ${memory.idle.toFixed(0)} MiB, ratio ${(memory.serve / memory.idle).toFixed(2)}`,
);

const url = new URL('api/v1/gpus', serve.announced);
const times: number[] = [];
for (let request = 0; request < 500; request++) {
  const began = performance.now();
  await (await fetch(url)).arrayBuffer();
  times.push(performance.now() - began);
}
times.sort((a, b) => a - b);
console.log(`/api/v1/gpus: p50 ${times[250]?.toFixed(2)} ms, p99 ${times[495]?.toFixed(2)} ms`);

serve.kill();
idle.kill();
for (const holder of holders) holder.kill();
rmSync(folder, { recursive: true, force: true });
