import type { LogFormat } from '../rows.ts';
import { DcgmDmonReader, isDmonHeader, isDmonRow } from './dmon-reader.ts';

/** The table of `dcgmi dmon`. */
export const dcgmDmonFormat: LogFormat = {
  id: 'dcgmi-dmon',
  recognise(head) {
    if (!head.some(isDmonHeader)) return 0;
    return head.filter((line) => isDmonHeader(line) || isDmonRow(line)).length;
  },
  stampPlaces: () => (line) => (isDmonRow(line) ? 'row' : null),
  open: (context) => new DcgmDmonReader(context),
};
