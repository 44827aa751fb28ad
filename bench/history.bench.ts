/**
 * The history beside Prometheus and VictoriaMetrics: the same trace of 12 GPUs at 1 Hz into each, one after the other.
 * Bytes per sample with every index, CPU of taking a tick in, and how long HTTP takes to answer 500 points of all GPUs over
 * the whole time. `HOURS=24 npm run bench -- history` for a whole day.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Peer, startPrometheus, startVictoriaMetrics } from './peers.ts';
import { GPULSE, start } from './process.ts';
import { RemoteWriter } from './remote-write.ts';
import { type TraceTick, trace } from './trace.ts';

const HOURS = Number(process.env['HOURS'] ?? 6);
const SECONDS = Math.round(HOURS * 3600);
const POINTS = 500;
const METRICS = ['utilization_ratio', 'power_watts'];
const QUERIES = 20;
/** Ticks in one request of remote write, which is kind to the peers. */
const BATCH = 10;

interface Result {
  readonly name: string;
  readonly bytesPerSample: number;
  readonly cpuMsPerTick: number;
  readonly queryMs: number;
}

const folder = mkdtempSync(join(tmpdir(), 'gpulse-bench-'));
// Their clocks decide what is too old.
const from = Math.floor((Date.now() - SECONDS * 1000) / 60_000) * 60_000;
const to = from + SECONDS * 1000;

/** Median time of an answer, read to its end, in milliseconds. */
async function queryMs(urls: readonly string[]): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < QUERIES * urls.length; i++) {
    const began = performance.now();
    const response = await fetch(urls[i % urls.length]!);
    const bytes = (await response.arrayBuffer()).byteLength;
    if (!response.ok || bytes < 10_000) throw new Error(`${urls[0]}: ${response.status}, ${bytes} bytes`);
    times.push(performance.now() - began);
  }
  return times.sort((a, b) => a - b)[times.length >> 1]!;
}

async function measureGpulse(): Promise<Result & { readonly samples: number }> {
  const directory = join(folder, 'gpulse');
  const script = join(import.meta.dirname, 'history-ingest.ts');
  const output = execFileSync(process.execPath, [script, directory, `${from}`, `${SECONDS}`], { encoding: 'utf8' });
  const { samples, droppedTicks, cpuMsPerTick, acceptMsPerTick } = JSON.parse(output);
  if (droppedTicks > 0) throw new Error(`${droppedTicks} ticks were dropped`);
  const bytes = statSync(join(directory, 'history.db')).size;
  console.log(`gpulse on the main thread: ${(acceptMsPerTick * 1000).toFixed(0)} µs per tick`);
  const args = ['serve', '--listen', '127.0.0.1:0', '--data', directory, '--source', 'simulate:demo,history=0,gpus=1'];
  const serve = await start(GPULSE, args, /http:\S+/);
  const gpus = Array.from({ length: 8 }, (_, gpu) => `GPU-bench-${gpu}`).join();
  const urls = METRICS.map((metric) => {
    const query = new URLSearchParams({ metric, gpu: gpus, from: `${from}`, to: `${to}`, points: `${POINTS}` });
    return `${new URL('api/v1/series', serve.announced)}?${query}`;
  });
  const median = await queryMs(urls);
  serve.kill();
  return { name: 'gpulse', samples, bytesPerSample: bytes / samples, cpuMsPerTick, queryMs: median };
}

async function measurePeer(peer: Peer, samples: number): Promise<Result> {
  const writer = new RemoteWriter(peer.url + peer.writePath);
  const before = peer.cpu();
  let batch: TraceTick[] = [];
  for await (const tick of trace(from, SECONDS)) {
    batch.push(tick);
    if (batch.length < BATCH) continue;
    await writer.write(batch);
    batch = [];
  }
  if (batch.length > 0) await writer.write(batch);
  const cpuMsPerTick = ((peer.cpu() - before) / SECONDS) * 1000;
  const step = (to - from) / 1000 / POINTS;
  const urls = METRICS.map((metric) => {
    const range = { start: `${from / 1000}`, end: `${to / 1000}`, step: `${step}`, nocache: '1' };
    const query = new URLSearchParams({
      query: `avg_over_time(${metric}{gpu=~"[0-7]"}[${Math.ceil(step)}s])`,
      ...range,
    });
    return `${peer.url}/api/v1/query_range?${query}`;
  });
  await fetch(`${peer.url}/internal/force_flush`);
  const median = await queryMs(urls);
  return { name: peer.name, bytesPerSample: (await peer.finish()) / samples, cpuMsPerTick, queryMs: median };
}

function print(results: readonly Result[]): void {
  const own = results[0]!;
  const columns = ['bytesPerSample', 'cpuMsPerTick', 'queryMs'] as const;
  console.log(`${''.padEnd(16)}  bytes/sample       CPU ms/tick        query ms`);
  for (const result of results) {
    const cells = columns.map((column) => {
      const ratio = `(${(result[column] / own[column]).toFixed(2)}x)`;
      return `${result[column].toFixed(3).padStart(8)} ${ratio.padEnd(8)}`;
    });
    console.log(`${result.name.padEnd(16)}  ${cells.join('  ')}`);
  }
}

try {
  const own = await measureGpulse();
  console.log(`${HOURS} h of 12 GPUs at 1 Hz: ${own.samples} samples`);
  const results: Result[] = [own];
  for (const startPeer of [startPrometheus, startVictoriaMetrics]) {
    const peer = await startPeer(folder);
    if (peer !== null) results.push(await measurePeer(peer, own.samples));
  }
  print(results);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
