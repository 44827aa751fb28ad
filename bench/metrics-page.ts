import { cpuUsage } from 'node:process';
import { MetricsExposition } from '../src/exporters/exposition/metrics-exposition.ts';
import { createPageWriter, type NamingOptions } from '../src/exporters/metric-profiles.ts';
import { gpu, NAMING, pageOf, podProcess, wholeView } from '../src/exporters/test-page.ts';
import { ManualClock } from '../src/model/manual-clock.ts';
import { ADMINISTRATOR } from '../src/model/ports.ts';

/** Processes of each GPU. */
const PROCESSES = 2;

/** What one page costs. */
export interface PageCost {
  /** Processor time of making it anew, in milliseconds; what it costs does not depend on what else the machine does. */
  readonly cpuMs: number;
  readonly bytes: number;
  readonly series: number;
}

/**
 * Makes `count` pages of so many GPUs that have every reading there is, each anew as after a tick, and all of them from
 * ticks of their own: what is kept from page to page is kept as it is in the service.
 */
export async function pageCost(gpus: number, profiles: NamingOptions['profiles'], count: number): Promise<PageCost> {
  const writer = createPageWriter('node-1', { ...NAMING, profiles });
  const devices = Array.from({ length: gpus }, (_, i) => gpu(i));
  const processes = devices.map((_, i) =>
    Array.from({ length: PROCESSES }, (__, j) => podProcess(1000 + i * PROCESSES + j, `train-${i}-${j}`)),
  );
  const pages = [0, 1].map((page) =>
    pageOf(devices.map((device, i) => wholeView(device, { processes: processes[i]!, at: page }))),
  );
  let sequence = 0;
  const exposition = new MetricsExposition({
    writer,
    page: () => pages[sequence % 2]!,
    sequence: () => sequence,
    clock: new ManualClock(),
  });
  const make = async (): Promise<Buffer> => {
    sequence++;
    return (await exposition.page({ viewer: ADMINISTRATOR, accept: undefined, acceptEncoding: undefined })).body;
  };
  for (let i = 0; i < count / 4; i++) await make();
  const before = cpuUsage();
  let body: Buffer = Buffer.alloc(0);
  for (let i = 0; i < count; i++) body = await make();
  const { user, system } = cpuUsage(before);
  const series = body
    .toString()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#')).length;
  return { cpuMs: (user + system) / 1000 / count, bytes: body.length, series };
}
