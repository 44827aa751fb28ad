/**
 * What a scrape of /metrics costs: the processor time of one page, which is the same on a busy machine; then simulated GPUs
 * with their processes over HTTP, scraped in the rhythms of Prometheus and without any, beside a page that never changes
 * and the short page of a Pushgateway, which is Go and the client library of Prometheus; ten thousand in a row, and many at
 * once. `SCRAPES=1000 npm run bench -- metrics` for more.
 */
import { pageCost } from './metrics-page.ts';
import { type Rhythm, type Scrape, Scraper, summary } from './metrics-scraper.ts';
import { startPushgateway } from './peers.ts';
import { cpuSeconds, GPULSE, residentBytes, sleep, start } from './process.ts';

const SCRAPES = Number(process.env['SCRAPES'] ?? 40);
const SIZES = (process.env['GPUS'] ?? '8,64,256').split(',').map(Number);
const PROFILES = [['gpulse'], ['gpulse', 'dcgm', 'nvidia_smi']] as const;
/** Faster than anybody samples so many GPUs, so that this ends; short enough that no page of a tick becomes too old. */
const intervalOf = (gpus: number): number => (gpus > 64 ? 300 : 200);
/** A tick takes a while itself. */
const SOON_MS = 20;
const CROWD = 50;
/** Enough to see whether scrapes leave anything behind. */
const MANY = Number(process.env['MANY'] ?? 10_000);

const everyTick = (): number => 1;
const everyFifth = (): number => 5;
/** One to four ticks, as good as at random. */
const irregular = (count: number): number => 1 + (((count * count * 7 + count * 3) % 11) % 4);

for (const profiles of PROFILES) {
  for (const gpus of SIZES) {
    const { cpuMs, bytes, series } = await pageCost(gpus, profiles, Math.ceil(4000 / gpus));
    console.log(
      `${profiles}, ${gpus} GPUs with every reading: a page takes ${cpuMs.toFixed(2)} ms of processor time, has ${series} series and ${(bytes / 1024).toFixed(0)} KiB`,
    );
  }
}

const pushgateway = await startPushgateway();
for (const gpus of SIZES) {
  const intervalMs = intervalOf(gpus);
  const source = `simulate:healthy-training,gpus=${gpus},history=1m`;
  const args = ['serve', '--listen', '127.0.0.1:0', '--interval', `${intervalMs}ms`, '--source', source];
  const serve = await start(GPULSE, args, /http:\S+/);
  const scraper = new Scraper(serve.announced, intervalMs);
  await sleep(2000);
  await measureRhythms(scraper, gpus, intervalMs);
  await measureMany(scraper, gpus, serve.pid);
  scraper.close();
  serve.kill();
}
await pushgateway?.end();

async function measureRhythms(scraper: Scraper, gpus: number, intervalMs: number): Promise<void> {
  // A scraper keeps the phase that it was given at its start.
  const phaseMs = Math.round((0.2 + 0.6 * Math.random()) * intervalMs);
  const somewhere = `${phaseMs} ms after it`;
  const say = (what: string, scrapes: readonly Scrape[]): void =>
    console.log(`${gpus} GPUs, a tick every ${intervalMs} ms, ${what}: ${summary(scrapes)}`);
  const run = (ticks: Rhythm['ticks'], afterMs: number, count = SCRAPES, isCompressed = true) =>
    scraper.inRhythm(count, { afterMs, ticks }, 'metrics', isCompressed);
  const constant = 'api/v1/metrics?lang=en';
  const floor = await scraper.inRhythm(SCRAPES, { afterMs: phaseMs, ticks: everyTick }, constant, false);
  say('for comparison a constant page of the API, every tick', floor);
  if (pushgateway !== null) {
    const peer = await scraper.inRhythm(SCRAPES, { afterMs: phaseMs, ticks: everyTick }, pushgateway.page, true);
    say('for comparison the page of a Pushgateway, every tick', peer);
  }
  say('every tick, right after it', await run(everyTick, SOON_MS));
  say(`every tick, ${somewhere}`, await run(everyTick, phaseMs));
  say(`every tick, ${somewhere}, not compressed`, await run(everyTick, phaseMs, SCRAPES, false));
  // Those take several ticks each.
  say(`every fifth tick, ${somewhere}`, await run(everyFifth, phaseMs, SCRAPES / 2));
  say(`without a rhythm, ${somewhere}`, await run(irregular, phaseMs, SCRAPES / 2));
}

async function measureMany(scraper: Scraper, gpus: number, pid: number): Promise<void> {
  const warm = await scraper.inARow(MANY / 10);
  const [settled, used] = [residentBytes(pid), cpuSeconds(pid)];
  const many = await scraper.inARow(MANY);
  const cpu = (((cpuSeconds(pid) - used) * 1000) / MANY).toFixed(2);
  const drift = mebibytes(residentBytes(pid) - settled);
  console.log(
    `${gpus} GPUs, ${MANY} in a row: ${summary(many)}; ${cpu} ms of processor time each, ticks included; resident memory grew by ${drift} MiB after the first ${warm.length}`,
  );
  const before = residentBytes(pid);
  const crowd: Scrape[] = [];
  for (let round = 0; round < 20; round++) {
    crowd.push(...(await Promise.all(Array.from({ length: CROWD }, () => scraper.scrape()))));
  }
  const growth = mebibytes(residentBytes(pid) - before);
  console.log(`${gpus} GPUs, ${CROWD} at once: ${summary(crowd)}; resident memory grew by ${growth} MiB`);
}

function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1);
}
