import type { LogFormat } from '../rows.ts';
import { firstLine, processLine, tableCells } from './lines.ts';
import { SmiTableReader } from './reader.ts';

const VERSION = /^\W*NVIDIA-SMI \d[\d.]*\s/;
const PROCESSES = /^\W*(?:Compute )?[Pp]rocesses:/;

/** The table that `nvidia-smi` prints without options. */
export const smiTableFormat: LogFormat = {
  id: 'smi-table',
  recognise(head) {
    let lines = 0;
    let isInProcesses = false;
    for (const line of head) {
      if (VERSION.test(line)) lines++;
      else if (PROCESSES.test(line)) isInProcesses = true;
      else if (line.includes('|')) {
        const cells = tableCells(line, true);
        // Each of them has a second line.
        if (firstLine(cells) !== null) lines += 2;
        else if (isInProcesses && processLine(cells) !== null) lines++;
      }
    }
    return lines;
  },
  open: (context) => new SmiTableReader(context),
};
