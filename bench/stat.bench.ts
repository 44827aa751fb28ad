/** Start-up of `gpulse stat` on the fake NVIDIA library with 8 GPUs, beside a Node that does nothing. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GPULSE, ON_FAKE_NVML } from './process.ts';

const RUNS = 15;

const folder = mkdtempSync(join(tmpdir(), 'gpulse-bench-'));
const script = join(folder, 'script');
writeFileSync(script, 'gpus 8\n');

function medianMs(command: string, args: readonly string[]): number {
  const times = Array.from({ length: RUNS + 1 }, () => {
    const began = performance.now();
    const { status, stderr } = spawnSync(command, args, { env: { ...process.env, FAKE_NVML_SCRIPT: script } });
    if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr}`);
    return performance.now() - began;
  });
  // The first run fills the caches.
  const counted = times.slice(1).sort((a, b) => a - b);
  return counted[Math.floor(RUNS / 2)] ?? Number.NaN;
}

const node = medianMs(process.execPath, ['-e', '0']);
const stat = medianMs(GPULSE, ['stat', ...ON_FAKE_NVML]);
console.log(
  `median of ${RUNS}: gpulse stat ${stat.toFixed(0)} ms, bare Node ${node.toFixed(0)} ms, ratio ${(stat / node).toFixed(2)}`,
);
rmSync(folder, { recursive: true, force: true });
