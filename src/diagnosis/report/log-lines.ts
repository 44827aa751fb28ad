import type { Finding } from '../../model/finding.ts';
import type { Diagnosis } from '../diagnosis.ts';
import type { OutputLine } from '../run-facts.ts';

/** What a program printed so long before and after belongs to a finding too. */
const AROUND_MS = 30_000;

/** Lines beside a finding at most. */
const MOST = 6;

const TROUBLE = /error|warn|exception|traceback|out of memory|\boom\b|killed|timed? ?out|nan\b|nccl|xid|retry|slow/i;

/** Lines of the program's output from the time of a finding: what speaks of trouble first, then some of the others, by time. */
export function linesAround({ recorded: { output = [] } }: Diagnosis, { from, to }: Finding): readonly OutputLine[] {
  const near = output.filter(({ at, text }) => at >= from - AROUND_MS && at <= to + AROUND_MS && text.trim() !== '');
  const trouble = near.filter(({ text }) => TROUBLE.test(text)).slice(0, MOST);
  const plain = near.filter((line) => !trouble.includes(line));
  const room = MOST - trouble.length;
  const stride = Math.max(1, Math.ceil(plain.length / Math.max(1, room)));
  const some = plain.filter((_, index) => index % stride === 0).slice(0, room);
  return [...trouble, ...some].sort((a, b) => a.at - b.at);
}
