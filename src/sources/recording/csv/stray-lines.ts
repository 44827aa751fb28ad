import type { SkipReason } from '../report.ts';
import { looksLikeValues } from './samples.ts';

const TABLE = /^\s*[|+]?[-=+]{8,}[|+]?\s*$|^\s*\|.*\|\s*$/;
/** `Fri Jan  7 10:21:49 2022`, which nvidia-smi prints above its table. */
const TABLE_DATE = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}\s*$/;

const FAILURES: readonly (readonly [string, SkipReason])[] = [
  ['No devices were found', 'no-devices'],
  ['Unable to determine the device handle', 'device-handle'],
  ['Failed to initialize NVML', 'driver-failure'],
  ['NVML library version', 'driver-failure'],
  ['NVIDIA-SMI has failed', 'driver-failure'],
  ['Make sure that the latest NVIDIA driver', 'driver-failure'],
];

const BUS_ID = /(?:[\da-f]{4,8}:)?[\da-f]{2}:[\da-f]{2}\.[\da-f]/i;

/** True for a line of nvidia-smi's table, or its frame. */
export function isTableLine(line: string): boolean {
  return TABLE.test(line);
}

/** Why a line that is no record was not read, given what was wrong with it as a record. */
export function classify(line: string, outcome: SkipReason, isWhole: boolean): SkipReason {
  const failure = FAILURES.find(([words]) => line.includes(words));
  if (failure !== undefined) return failure[1];
  if (isTableLine(line) || TABLE_DATE.test(line)) return 'table';
  if (outcome !== 'wrong-columns' && outcome !== 'no-time') return outcome;
  const cells = line.split(/[,;\t]/).map((cell) => cell.trim());
  if (cells.length < 2 || !looksLikeValues(cells)) return 'stray-text';
  return isWhole ? outcome : 'truncated';
}

/** The bus id in a message that nvidia-smi cannot reach a device, or null. */
export function lostBusId(line: string): string | null {
  return BUS_ID.exec(line)?.[0] ?? null;
}
