import type { Calendar } from '../calendar.ts';
import type { Shot } from '../cards.ts';
import { driverRelease } from '../cell.ts';
import { cardRows, hasDriverModel } from './card-rows.ts';
import { INSTANCE_HEAD, instanceRows } from './instance-rows.ts';
import { PROCESS_HEAD, processRows } from './process-rows.ts';

const RULE = `+${'-'.repeat(89)}+`;
const COLUMNS = [41, 24, 22] as const;
const CARD_RULE = rule(COLUMNS, '-', '+');

/** The summary that nvidia-smi prints without arguments, in 91 columns. */
export function summaryTable(shot: Shot, calendar: Calendar): readonly string[] {
  const instances = instanceRows(shot.cards);
  return [
    `${calendar.report(shot.at)}       `,
    RULE,
    bannerLine(shot),
    CARD_RULE,
    ...cardHead(shot),
    ...shot.cards.flatMap((card) => [...cardRows(card), CARD_RULE]),
    '',
    ...(instances.length === 0 ? [] : [...INSTANCE_HEAD, ...instances, '']),
    ...PROCESS_HEAD,
    ...processRows(shot.cards),
    RULE,
  ];
}

/** From this release on the two versions have other names. */
const RENAMED = 610;

function bannerLine(shot: Shot): string {
  const device = shot.lead;
  const isNvidia = device?.vendor === 'nvidia';
  const version = device?.driverVersion ?? 'N/A';
  const cuda = device?.facts?.['cuda-version'] ?? 'N/A';
  const tool = isNvidia ? `NVIDIA-SMI ${version}` : 'GPULSE-SMI';
  const isRenamed = device !== null && (driverRelease(device) ?? 0) >= RENAMED;
  const [driver, width, toolkit] = isRenamed
    ? ['KMD Version: ', 14, 'CUDA UMD Version: ']
    : ['Driver Version: ', 15, 'CUDA Version: '];
  const text = `${tool.padEnd(34)}${driver}${version.padEnd(width)}${toolkit}${cuda.padEnd(9)}`;
  return `| ${text.slice(0, 88).padEnd(88)}|`;
}

function cardHead({ cards }: Shot): readonly string[] {
  const mode = cards.some(hasDriverModel) ? ' Driver-Model ' : 'Persistence-M ';
  return [
    `| GPU  Name                 ${mode}| Bus-Id          Disp.A | Volatile Uncorr. ECC |`,
    '| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |',
    '|                                         |                        |               MIG M. |',
    rule(COLUMNS, '=', '|'),
  ];
}

function rule(widths: readonly number[], line: string, end: string): string {
  return `${end}${widths.map((width) => line.repeat(width)).join('+')}${end}`;
}
