import type { LogFormat } from '../rows.ts';
import { SmiTextReader } from './reader.ts';

/** Only `nvidia-smi -q` has these lines. */
const ANCHOR = /^\s*(?:=+\s*NVSMI LOG\s*=+|GPU [\da-f]{4,8}:[\da-f]{2}:[\da-f]{2}\.[\da-f])\s*$/i;
const VALUE = /^ {4,}[A-Za-z][\w. /-]* : /;

/** The text of `nvidia-smi -q`, on its own, several in a file, or inside another report. */
export const smiTextFormat: LogFormat = {
  id: 'smi-q',
  recognise(head) {
    const start = head.findIndex((line) => ANCHOR.test(line));
    return start === -1 ? 0 : head.slice(start).filter((line) => ANCHOR.test(line) || VALUE.test(line)).length;
  },
  open: (context) => new SmiTextReader(context),
};
