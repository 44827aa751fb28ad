/**
 * What a scrape of /metrics costs: the processor time of one page, which is the same on a busy machine; then simulated GPUs
 * with their processes over HTTP, one scrape after each tick as Prometheus does it (so that every page is made anew), ten
 * thousand in a row, and many at once. `SCRAPES=1000 npm run bench -- metrics` for more.
 */
import { Agent, get } from 'node:http';
import { pageCost } from './metrics-page.ts';
import { cpuSeconds, GPULSE, residentBytes, sleep, start } from './process.ts';

const SCRAPES = Number(process.env['SCRAPES'] ?? 150);
/** More GPUs than a machine has are not sampled five times a second. */
const intervalOf = (gpus: number): number => (gpus > 64 ? 1000 : 200);
const CROWD = 50;
/** Enough to see whether scrapes leave anything behind. */
const MANY = Number(process.env['MANY'] ?? 10_000);

interface Scrape {
  readonly ms: number;
  readonly bytes: number;
}

const agent = new Agent({ keepAlive: true });

function scrape(url: URL, headers: Record<string, string>): Promise<Scrape> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    get(url, { agent, headers }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on('end', () => resolve({ ms: performance.now() - began, bytes }));
    }).on('error', reject);
  });
}

async function scrapeMany(url: URL, count: number): Promise<readonly Scrape[]> {
  const scrapes: Scrape[] = [];
  for (let i = 0; i < count; i++) scrapes.push(await scrape(url, CODINGS[0]![1]));
  return scrapes;
}

function summary(scrapes: readonly Scrape[]): string {
  const sorted = scrapes.map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(2);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, ${((scrapes[0]?.bytes ?? 0) / 1024).toFixed(0)} KiB`;
}

const CODINGS: readonly (readonly [string, Record<string, string>])[] = [
  ['gzip ', { 'accept-encoding': 'gzip' }],
  ['plain', {}],
];

const PROFILES = [['gpulse'], ['gpulse', 'dcgm', 'nvidia_smi']] as const;
const SIZES = [8, 64, 256];

for (const profiles of PROFILES) {
  for (const gpus of SIZES) {
    const { cpuMs, bytes, series } = await pageCost(gpus, profiles, Math.ceil(4000 / gpus));
    console.log(
      `${profiles}, ${gpus} GPUs with every reading: a page takes ${cpuMs.toFixed(2)} ms of processor time, has ${series} series and ${(bytes / 1024).toFixed(0)} KiB`,
    );
  }
}

for (const profiles of PROFILES.map((names) => names.join())) {
  for (const gpus of SIZES) {
    const intervalMs = intervalOf(gpus);
    const serve = await start(
      GPULSE,
      [
        ...['serve', '--listen', '127.0.0.1:0', '--interval', `${intervalMs}ms`, '--metrics-profile', profiles],
        ...['--source', `simulate:healthy-training,gpus=${gpus},history=1m`],
      ],
      /http:\S+/,
    );
    const url = new URL('metrics', serve.announced);
    await sleep(2000);
    const floor: Scrape[] = [];
    for (let i = 0; i < SCRAPES; i++) floor.push(await scrape(new URL('api/v1/metrics?lang=en', serve.announced), {}));
    console.log(`${profiles}, ${gpus} GPUs, for comparison a constant page of the API: ${summary(floor)}`);
    for (const [coding, headers] of CODINGS) {
      const scrapes: Scrape[] = [];
      for (let i = 0; i < SCRAPES; i++) {
        scrapes.push(await scrape(url, headers));
        await sleep(intervalMs + 7);
      }
      console.log(`${profiles}, ${gpus} GPUs, ${coding}: ${summary(scrapes)}`);
    }
    const warm = await scrapeMany(url, MANY / 10);
    const [settled, used] = [residentBytes(serve.pid), cpuSeconds(serve.pid)];
    const many = await scrapeMany(url, MANY);
    const cpu = (((cpuSeconds(serve.pid) - used) * 1000) / MANY).toFixed(2);
    const drift = ((residentBytes(serve.pid) - settled) / 2 ** 20).toFixed(1);
    console.log(
      `${profiles}, ${gpus} GPUs, ${MANY} in a row: ${summary(many)}; ${cpu} ms of processor time each, ticks included; resident memory grew by ${drift} MiB after the first ${warm.length}`,
    );
    const before = residentBytes(serve.pid);
    const crowd: Scrape[] = [];
    for (let round = 0; round < 20; round++) {
      crowd.push(...(await Promise.all(Array.from({ length: CROWD }, () => scrape(url, CODINGS[0]![1])))));
    }
    const growth = ((residentBytes(serve.pid) - before) / 2 ** 20).toFixed(1);
    console.log(
      `${profiles}, ${gpus} GPUs, ${CROWD} at once: ${summary(crowd)}; resident memory grew by ${growth} MiB`,
    );
    serve.kill();
  }
}
agent.destroy();
