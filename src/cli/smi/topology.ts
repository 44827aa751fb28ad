import { openSource, type SourceOptions } from '../../app/open-source.ts';
import { namedLook } from '../../app/served-look.ts';
import { getJson } from '../../app/server-request.ts';
import type { ApiTopology } from '../../model/api-device.ts';
import { AppError } from '../../model/errors.ts';
import type { Lang } from '../../model/i18n/text.ts';
import type { Source, TopologyLink } from '../../model/ports.ts';
import type { Card } from './cards.ts';
import type { Moment } from './feed.ts';

/** Links are told a few at a time: so many ticks are waited for them. */
const MOST_TICKS = 100;
const PAUSE_MS = 20;

const ASK_MS = 10_000;

/** The devices of a source with how they are joined. Throws NO_TOPOLOGY where the source cannot tell. */
export async function readTopology(
  options: SourceOptions,
): Promise<{ readonly moment: Moment; readonly links: readonly TopologyLink[] }> {
  const probe = await openSource({ ...options, simulatePast: false, probeMs: 30_000 });
  if (!probe.ok) throw probe.reason;
  const { source } = probe;
  try {
    if (source.topology === undefined) throw new AppError('NO_TOPOLOGY', { source: source.name });
    return { moment: await sampleUntilKnown(source, options), links: source.topology() };
  } finally {
    await source.close();
  }
}

/** The same of another gpulse. */
export async function askTopology(
  base: URL,
  lang: Lang,
): Promise<{ readonly moment: Moment; readonly links: readonly TopologyLink[] }> {
  const { snapshot, source } = await namedLook(base, lang);
  const { links } = await getJson<ApiTopology>(base, 'topology', lang, ASK_MS);
  if (links === null) throw new AppError('NO_TOPOLOGY', { source });
  return { moment: { at: snapshot.at ?? 0, devices: snapshot.devices, isHere: false }, links };
}

async function sampleUntilKnown(source: Source, { clock }: SourceOptions): Promise<Moment> {
  for (let count = 1; ; count++) {
    const at = clock.now();
    const tick = await source.sample(at);
    const samples = tick?.devices ?? [];
    const cards = samples.filter(({ device, state }) => device.mig === undefined && state === 'ok').length;
    const isKnown = cards > 0 && (source.topology?.().length ?? 0) >= (cards * (cards - 1)) / 2;
    if (isKnown || count >= MOST_TICKS) {
      const isHere = source.origin === 'live' && !source.name.includes('ssh:');
      return { at, devices: samples.map((sample) => ({ ...sample, at })), isHere };
    }
    await new Promise<void>((resolve) => clock.after(PAUSE_MS, resolve));
  }
}

/** In the words of nvidia-smi, which a script may read: they are English everywhere. */
const LEGEND = [
  ['X', 'Self'],
  ['SYS', 'Connection traversing PCIe as well as the SMP interconnect between NUMA nodes (e.g., QPI/UPI)'],
  ['NODE', 'Connection traversing PCIe as well as the interconnect between PCIe Host Bridges within a NUMA node'],
  ['PHB', 'Connection traversing PCIe as well as a PCIe Host Bridge (typically the CPU)'],
  ['PXB', 'Connection traversing multiple PCIe bridges (without traversing the PCIe Host Bridge)'],
  ['PIX', 'Connection traversing at most a single PCIe bridge'],
  ['NV#', 'Connection traversing a bonded set of # NVLinks'],
] as const;

const ON_BOARD = '  PSB  = Connection on the same board';

/** `topo -m`: how each GPU reaches each other one, and which CPUs and memory are near. Network cards are not listed. */
export function topologyLines(cards: readonly Card[], links: readonly TopologyLink[]): readonly string[] {
  const names = cards.map(({ view }) => `GPU${view.device.index}`);
  const levels = new Map(
    links.flatMap(({ from, to, level }): [string, string][] => [
      [`${from}\n${to}`, level],
      [`${to}\n${from}`, level],
    ]),
  );
  const rows = cards.map((card, i) => {
    const own = card.view.device.uuid;
    const cells = cards.map((other) => {
      const { uuid } = other.view.device;
      return uuid === own ? ' X ' : (levels.get(`${own}\n${uuid}`) ?? 'N/A');
    });
    const { cpus = null, memoryNode = null } = card.place ?? {};
    return [names[i]!, ...cells, cpus ?? 'N/A', memoryNode ?? 'N/A', '', 'N/A'].join('\t');
  });
  return [
    ['', ...names, 'CPU Affinity', 'NUMA Affinity', 'GPU NUMA ID'].join('\t'),
    ...rows,
    '',
    'Legend:',
    '',
    ...LEGEND.map(([word, meaning]) => `  ${word.padEnd(4)} = ${meaning}`),
    // Only boards with several GPUs have it; nvidia-smi leaves it out.
    ...(links.some(({ level }) => level === 'PSB') ? [ON_BOARD] : []),
  ];
}
