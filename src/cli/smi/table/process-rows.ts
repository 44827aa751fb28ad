import type { Device } from '../../../model/device.ts';
import { isPresent, type Reading } from '../../../model/reading.ts';
import type { Card } from '../cards.ts';
import { wholeMiB } from '../cell.ts';
import { type CardProcess, PROCESS_TYPES, processesOf, programOf } from '../processes.ts';

/** Longer paths lose their beginning. */
const NAME_WIDTH = 32;

export const PROCESS_HEAD: readonly string[] = [
  `+${'-'.repeat(89)}+`,
  `| ${'Processes:'.padEnd(88)}|`,
  '|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |',
  '|        ID   ID                                                               Usage      |',
  `|${'='.repeat(89)}|`,
];

/**
 * One line for each process. Where no GPU has one a sentence says so; where they cannot be listed the box stays empty, as
 * it does in nvidia-smi.
 */
export function processRows(cards: readonly Card[]): readonly string[] {
  const lists = cards.map((card) => ({ card, listed: processesOf(card) }));
  const rows = lists.flatMap(({ card, listed }) =>
    'absent' in listed ? [] : listed.map((entry) => row(entry, card.view.device)),
  );
  const isSure = lists.every(({ listed }) => !('absent' in listed));
  return rows.length === 0 && isSure ? [`|${'  No running processes found'.padEnd(89)}|`] : rows;
}

function row({ process, gpuInstance, computeInstance }: CardProcess, device: Device): string {
  const text = [
    String(device.index).padStart(5),
    `   ${instanceText(gpuInstance)}  ${instanceText(computeInstance)}`,
    String(process.pid).padStart(16),
    PROCESS_TYPES[process.kind].padStart(7),
    `   ${shortPath(programOf(process) ?? 'N/A').padEnd(NAME_WIDTH)}`,
    memoryText(process.memoryBytes, device),
  ].join('');
  return `|${text.padEnd(89)}|`;
}

function instanceText(id: number | null): string {
  return id === null ? 'N/A' : `${String(id).padStart(2)} `;
}

function shortPath(path: string): string {
  return path.length > NAME_WIDTH ? `...${path.slice(3 - NAME_WIDTH)}` : path;
}

function memoryText(memory: Reading, device: Device): string {
  return isPresent(memory) ? `${wholeMiB(memory, device)}MiB`.padStart(14) : '      N/A';
}
