import { spawnSync } from 'node:child_process';
import { writeSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../model/clock.ts';
import type { History } from '../model/ports.ts';
import { openHistory } from './history.ts';
import { sampleTick } from './sample-ticks.ts';

/**
 * The process the durability tests kill or starve of space. It writes a tick of eight devices every 10 ms into the
 * directory of its first argument and prints one line of JSON per step.
 *
 * Second argument: `forever`, or the command that gives it space once its disk is full, after which it ends by itself.
 */

const TICK_MS = 10;

const [directory = '', ...freeSpace] = process.argv.slice(2);
// Small blocks, so that a kill also hits the sealing of one.
const history = await openHistory({ directory, origin: 'live', clock: systemClock, blockRows: 40 });
let accepted = 0;
let slowestMs = 0;

function say(message: Readonly<Record<string, unknown>>): void {
  // Straight to the pipe, so that nothing said is lost with the process.
  writeSync(1, `${JSON.stringify(message)}\n`);
}

function accept(): number {
  const at = Date.now();
  const rows = Array.from({ length: 8 }, () => ({ power_watts: Math.random() * 700, energy_joules_total: at }));
  const tick = sampleTick(at, rows);
  const began = performance.now();
  history.accept(tick);
  slowestMs = Math.max(slowestMs, performance.now() - began);
  accepted++;
  return at;
}

async function writeForever(): Promise<never> {
  for (;;) {
    const at = accept();
    say({ accepted: at });
    // Every flush but not every tick waits, so that a kill hits writes of all kinds.
    void history.flush().then(() => say({ stored: at }));
    await wait(TICK_MS);
  }
}

async function writeUntil(isReached: (state: ReturnType<History['status']>) => boolean): Promise<string | undefined> {
  while (!isReached(history.status())) {
    accept();
    await wait(TICK_MS);
  }
  return history.status().failure?.code;
}

async function fillAndResume([command = '', ...args]: readonly string[]): Promise<void> {
  const failure = await writeUntil((status) => status.failure !== null);
  for (let i = 0; i < 100; i++) {
    accept();
    await wait(TICK_MS);
  }
  const stillFailing = history.status().failure?.code;
  const readable = (await history.extent()) !== null;
  spawnSync(command, args);
  await writeUntil((status) => status.failure === null);
  await history.flush();
  const { droppedTicks } = history.status();
  const query = { metrics: ['power_watts'] as const, devices: ['GPU-0'], from: 0, to: Date.now() + 1000, points: 1 };
  const stored = (await history.range(query)).series[0]?.count.reduce((sum, count) => sum + count);
  await history.close();
  say({ failure, stillFailing, readable, accepted, stored, droppedTicks, slowestMs });
}

if (freeSpace[0] === 'forever') await writeForever();
else await fillAndResume(freeSpace);
