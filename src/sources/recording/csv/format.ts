import { withoutEscapes } from '../plain-line.ts';
import type { LogFormat } from '../rows.ts';
import { parseHeader } from './header.ts';
import { withoutHost } from './host-prefix.ts';
import { headerWithout } from './inference.ts';
import { CsvReader } from './reader.ts';
import { gatherSamples, looksLikeValues } from './samples.ts';

/** A row that has a time of its own, or counts from some start. */
const TIME = /\d{2}:\d{2}:\d{2}|\d{4}[-/]\d{2}[-/]\d{2}|(?<![\d.])\d{10,19}(?!\d)|\b(?:time|timestamp|elapsed)/i;

/** The output of `nvidia-smi --query-gpu=… --format=csv`, of `--query-compute-apps`, and CSV of scripts around it. */
export const csvFormat: LogFormat = {
  id: 'csv',
  recognise(lines, columns) {
    const head = lines.map((line) => withoutHost(withoutEscapes(line)));
    const headers = head.map(parseHeader);
    const readable = headers.filter((header) => header !== null && header.kind !== 'other');
    const [header] = readable;
    if (header != null) {
      return readable.length + gatherSamples(head, header).filter(looksLikeValues).length;
    }
    const otherQuery = headers.findIndex((found) => found !== null);
    const samples = gatherSamples(otherQuery === -1 ? head : head.slice(0, otherQuery), null);
    return headerWithout(samples, columns) === null ? 0 : samples.length;
  },
  stampPlaces: (head) => (head.some((line) => TIME.test(line)) ? null : () => 'row'),
  open: (context) => new CsvReader(context),
};
