/**
 * What a scrape of /metrics costs: simulated GPUs with their processes, one scrape after each tick as Prometheus does it
 * (so that every page is made anew), then many at once. `SCRAPES=1000 npm run bench -- metrics` for more.
 */
import { Agent, get } from 'node:http';
import { GPULSE, residentBytes, sleep, start } from './process.ts';

const SCRAPES = Number(process.env['SCRAPES'] ?? 150);
const INTERVAL_MS = 200;
const CROWD = 50;

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

function summary(scrapes: readonly Scrape[]): string {
  const sorted = scrapes.map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(2);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, ${((scrapes[0]?.bytes ?? 0) / 1024).toFixed(0)} KiB`;
}

const CODINGS: readonly (readonly [string, Record<string, string>])[] = [
  ['gzip ', { 'accept-encoding': 'gzip' }],
  ['plain', {}],
];

for (const profiles of ['gpulse', 'gpulse,dcgm,nvidia_smi']) {
  for (const gpus of [8, 64, 128]) {
    const serve = await start(
      GPULSE,
      [
        ...['serve', '--listen', '127.0.0.1:0', '--interval', `${INTERVAL_MS}ms`, '--metrics-profile', profiles],
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
        await sleep(INTERVAL_MS + 7);
      }
      console.log(`${profiles}, ${gpus} GPUs, ${coding}: ${summary(scrapes)}`);
    }
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
