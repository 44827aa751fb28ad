import type { LogFormat } from '../rows.ts';
import { isTegrastatsLine, TegrastatsReader } from './reader.ts';

/** The lines of tegrastats, which Jetson boards have in place of nvidia-smi. */
export const tegrastatsFormat: LogFormat = {
  id: 'tegrastats',
  recognise: (head) => head.filter(isTegrastatsLine).length,
  stampPlaces: (head) => (head.some((line) => /^\s*RAM /.test(line)) ? () => 'row' : null),
  open: (context) => new TegrastatsReader(context),
};
