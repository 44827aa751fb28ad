import { withoutEscapes } from '../plain-line.ts';
import type { LogFormat } from '../rows.ts';
import { isNpuTableLine, NpuTableReader } from './table-reader.ts';
import { isWatchHeader, isWatchRow, NpuWatchReader } from './watch-reader.ts';

/** The table of `npu-smi info` for Ascend accelerators, once or again and again. */
export const npuTableFormat: LogFormat = {
  id: 'npu-smi',
  recognise(head) {
    const lines = head.map(withoutEscapes);
    return lines.some((line) => /npu-smi\s+\S|\bAICore\(%\)/.test(line)) ? lines.filter(isNpuTableLine).length : 0;
  },
  stampPlaces: () => (line) => (/npu-smi\s+\S/.test(line) ? 'start' : null),
  open: (context) => new NpuTableReader(context),
};

/** The rows of `npu-smi info watch`. */
export const npuWatchFormat: LogFormat = {
  id: 'npu-smi-watch',
  recognise(head) {
    if (!head.some(isWatchHeader)) return 0;
    return head.filter((line) => isWatchHeader(line) || isWatchRow(line)).length;
  },
  stampPlaces: () => (line) => (isWatchRow(line) ? 'row' : null),
  open: (context) => new NpuWatchReader(context),
};
