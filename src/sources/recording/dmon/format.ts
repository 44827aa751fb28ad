import type { LogFormat } from '../rows.ts';
import { countMonitorLines, monitorStamps } from '../smi/monitor-lines.ts';
import { DmonReader } from './reader.ts';

/** The output of `nvidia-smi dmon`. */
export const dmonFormat: LogFormat = {
  id: 'dmon',
  recognise: (head) => countMonitorLines(head, 'dmon'),
  stampPlaces: monitorStamps,
  open: (context) => new DmonReader(context),
};
