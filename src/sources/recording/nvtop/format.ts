import { documentStart, jsonLines } from '../json-lines.ts';
import type { LogFormat } from '../rows.ts';
import { NvtopReader } from './reader.ts';

/** The snapshots of `nvtop -s`, and of `nvtop -l`, which follow each other. */
export const nvtopFormat: LogFormat = {
  id: 'nvtop',
  recognise: (head) => jsonLines(head, [/"device_name"\s*:/, /"(?:gpu_util|gpu_clock|mem_util|temp|power_draw)"\s*:/]),
  stampPlaces: () => documentStart,
  open: (context) => new NvtopReader(context),
};
