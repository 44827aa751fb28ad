import { withoutEscapes } from '../plain-line.ts';
import type { LogFormat } from '../rows.ts';
import { parseGpustatLine } from './text-line.ts';
import { GpustatTextReader, isGpustatDetail, isNoGpus } from './text-reader.ts';

/** What gpustat prints, with any of its columns, once or again and again, with or without colours. */
export const gpustatTextFormat: LogFormat = {
  id: 'gpustat',
  recognise(head) {
    const lines = head.map(withoutEscapes);
    const rows = lines.filter((line) => parseGpustatLine(line) !== null || isNoGpus(line)).length;
    return rows === 0 ? 0 : rows + lines.filter(isGpustatDetail).length;
  },
  open: (context) => new GpustatTextReader(context),
};
