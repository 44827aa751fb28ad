import type { LogFormat } from '../rows.ts';
import { OwnReader } from './reader.ts';
import { FORMAT_NAME } from './wire.ts';

const HEADER = `{"format":"${FORMAT_NAME}"`;
/** The start of a file may have been cut off. */
const TICK = /^\{"time":"[^"]{1,40}","epoch_ms":-?\d+,"monotonic_ms":/;

/** What `gpulse record` and `gpulse run` write. */
export const ownFormat: LogFormat = {
  id: 'gpulse',
  recognise: (head) => head.filter((line) => line.startsWith(HEADER) || TICK.test(line)).length,
  open: (context) => new OwnReader(context),
};
