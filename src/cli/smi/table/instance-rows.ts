import type { MetricId } from '../../../model/catalogue.ts';
import type { DeviceView } from '../../../model/reader.ts';
import type { Card } from '../cards.ts';
import { wholeMiB } from '../cell.ts';
import { shortText } from './short-text.ts';

const RULE = '+------------------+----------------------------------+-----------+-----------------------+';

export const INSTANCE_HEAD: readonly string[] = [
  `+${'-'.repeat(89)}+`,
  `| ${'MIG devices:'.padEnd(88)}|`,
  RULE,
  '| GPU  GI  CI  MIG |              Shared Memory-Usage |        Vol|        Shared         |',
  '|      ID  ID  Dev |                Shared BAR1-Usage | SM     Unc| CE ENC  DEC  OFA  JPG |',
  '|                  |                                  |        ECC|                       |',
  '|==================+==================================+===========+=======================|',
];

/** How many engines an instance has is not read. */
const ENGINES = 'N/A N/A  N/A  N/A  N/A ';

/** Two lines for each MIG instance; none where there is none. */
export function instanceRows(cards: readonly Card[]): readonly string[] {
  return cards.flatMap(({ instances }) => instances.flatMap((view, index) => [...rows(view, index), RULE]));
}

function rows({ device, readings }: DeviceView, index: number): readonly string[] {
  const { gpuInstance = null, computeInstance = null } = device.mig ?? {};
  const mib = (id: MetricId): string => shortText(readings.get(id), (bytes) => `${wholeMiB(bytes, device)}MiB`);
  const memory = (used: MetricId, total: MetricId): string => `${mib(used).padStart(19)} / ${mib(total).padEnd(12)}`;
  const place = [
    String(device.index).padStart(3),
    String(gpuInstance ?? 'N/A').padStart(5),
    String(computeInstance ?? 'N/A').padStart(4),
    String(index).padStart(4),
  ].join('');
  const errors = shortText(readings.get('ecc_sram_uncorrected_volatile_total'), String);
  return [
    `|${place}  |${memory('memory_used_bytes', 'memory_total_bytes')}| N/A${errors.padStart(6)} |${ENGINES}|`,
    `|${' '.repeat(18)}|${memory('bar1_used_bytes', 'bar1_total_bytes')}|${' '.repeat(11)}|${' '.repeat(23)}|`,
  ];
}
