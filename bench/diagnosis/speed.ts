import { diagnose } from '../../src/diagnosis/diagnose.ts';
import { FindingsWatch } from '../../src/diagnosis/live/findings-watch.ts';
import { TickLog } from '../../src/diagnosis/window/tick-log.ts';
import { Window } from '../../src/diagnosis/window/window.ts';
import { ManualClock } from '../../src/model/manual-clock.ts';
import type { Tick } from '../../src/model/tick.ts';
import { openSimulator } from '../../src/sources/simulator/simulator-source.ts';
import { TickFinisher } from '../../src/sources/tick-finisher.ts';

const START = Date.UTC(2026, 0, 5, 8);
const SECONDS = 7200;

/** What diagnosing costs on 8 GPUs at one sample a second: an hour of them at once, and tick by tick as they come. */
export async function measureSpeed(): Promise<string> {
  const ticks = await simulated();
  const hour = new TickLog();
  const collected = cpuMs(() => {
    for (const tick of ticks.slice(0, 3600)) hour.add(tick);
  });
  const diagnosed = cpuMs(() => diagnose(new Window(hour, { seesXids: true })));
  const clock = new ManualClock(START);
  const watch = new FindingsWatch({ clock, intervalMs: 1000, seesXids: () => true, oldestMs: null });
  watch.start();
  let spent = 0;
  let slowest = 0;
  for (const tick of ticks) {
    await clock.advance(1000);
    const began = process.cpuUsage();
    watch.accept(tick);
    await watch.idle();
    const { user, system } = process.cpuUsage(began);
    const ms = (user + system) / 1000;
    spent += ms;
    slowest = Math.max(slowest, ms);
  }
  await watch.stop();
  return `8 GPUs, CPU time: an hour collected in ${collected.toFixed(0)} ms and diagnosed in ${diagnosed.toFixed(0)} ms; live ${(spent / SECONDS).toFixed(2)} ms a tick over ${SECONDS / 3600} h (the costliest look ${slowest.toFixed(0)} ms, in slices)`;
}

async function simulated(): Promise<readonly Tick[]> {
  const source = openSimulator('data-starved,gpus=8,history=0');
  const finisher = new TickFinisher(source, null);
  const ticks: Tick[] = [];
  for (let second = 0; second < SECONDS; second++) {
    ticks.push(finisher.finish((await source.sample(START + second * 1000))!));
  }
  return ticks;
}

function cpuMs(run: () => void): number {
  const began = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000;
}
