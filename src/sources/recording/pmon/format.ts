import type { LogFormat } from '../rows.ts';
import { countMonitorLines, monitorStamps } from '../smi/monitor-lines.ts';
import { PmonReader } from './reader.ts';

/** The output of `nvidia-smi pmon`. */
export const pmonFormat: LogFormat = {
  id: 'pmon',
  recognise: (head) => countMonitorLines(head, 'pmon'),
  stampPlaces: monitorStamps,
  open: (context) => new PmonReader(context),
};
