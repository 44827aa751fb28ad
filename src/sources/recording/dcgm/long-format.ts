import type { LogFormat } from '../rows.ts';
import { DcgmLongReader, isLongHeader, isLongRow } from './long-reader.ts';

/** One value of one field per row, as programs write that use DCGM as a library: `GPUId,TimeStampUs,Field,Values`. */
export const dcgmLongFormat: LogFormat = {
  id: 'dcgm-long',
  recognise(head) {
    if (!head.some(isLongHeader)) return 0;
    return head.filter((line) => isLongHeader(line) || isLongRow(line)).length;
  },
  open: (context) => new DcgmLongReader(context),
};
