/** Stores the trace in a history and prints what that cost, as JSON. Arguments: directory, start, seconds. */
import { openHistory } from '../src/history/history.ts';
import { systemClock } from '../src/model/clock.ts';
import type { Device } from '../src/model/device.ts';
import { GPUS, samplesIn, trace } from './trace.ts';

const [directory = '', start = '0', seconds = '0'] = process.argv.slice(2);

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const devices: readonly Device[] = Array.from({ length: GPUS }, (_, index) => ({
  uuid: `GPU-bench-${index}`,
  vendor: 'nvidia',
  name: 'NVIDIA H100 80GB HBM3',
  index,
  pciBusId: null,
  minor: index,
  serial: null,
  driverVersion: null,
}));

// The trace alone first, and once before that to warm up: what is left of the time with a history is the history.
let samples = 0;
let ofTrace = 0;
for (let round = 0; round < 2; round++) {
  const began = cpuMs();
  samples = 0;
  for await (const tick of trace(Number(start), Number(seconds))) samples += samplesIn(tick);
  ofTrace = cpuMs() - began;
}

const history = await openHistory({ directory, origin: 'simulated', clock: systemClock });
const before = cpuMs();
let acceptMs = 0;
let ticks = 0;
for await (const tick of trace(Number(start), Number(seconds))) {
  samplesIn(tick);
  const began = performance.now();
  history.accept({
    at: tick.at,
    monotonic: 0,
    devices: tick.gpus.map((readings, gpu) => ({ device: devices[gpu]!, state: 'ok', readings, processes: [] })),
    events: [],
  });
  acceptMs += performance.now() - began;
  // One tick at a time, as live ones come.
  if (++ticks % 4 === 0) await new Promise((resolve) => setImmediate(resolve));
  if (ticks % 64 === 0) await history.flush();
}
await history.flush();
const ofHistory = cpuMs() - before - ofTrace;
const { droppedTicks } = history.status();
await history.close();
console.log(
  JSON.stringify({ samples, ticks, droppedTicks, cpuMsPerTick: ofHistory / ticks, acceptMsPerTick: acceptMs / ticks }),
);
