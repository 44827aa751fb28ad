import type { LogFormat } from '../rows.ts';
import { listedCard } from './lines.ts';
import { SmiListReader } from './reader.ts';

/** The output of `nvidia-smi -L`. */
export const smiListFormat: LogFormat = {
  id: 'smi-list',
  /** A list of devices stands in front of many logs, and every other kind of log says more. */
  recognise: (head) => (head.some((line) => listedCard(line) !== null) ? 0.5 : 0),
  open: (context) => new SmiListReader(context),
};
