import { ffi } from './ffi.ts';

const SIGALRM = 14;

type Alarm = (seconds: number) => number;
let alarm: Alarm | null = null;

/**
 * Does what may block for good. Where it has not ended after so many seconds the process does, at once and without a word,
 * with the number of SIGALRM for its status: nothing of JavaScript runs while a native call lasts, but a signal arrives. See
 * alarm(2).
 */
export function withDeadline(seconds: number, work: () => void): void {
  alarm ??= prepare();
  alarm(seconds);
  try {
    work();
  } finally {
    alarm(0);
  }
}

/** A handler is called with the number of its signal, which `_exit` takes for the status: no shell remarks on that. */
function prepare(): Alarm {
  const libc = ffi().load(null);
  libc.func('signal', 'void *', ['int', 'void *'])(SIGALRM, libc.symbol('_exit', 'void *'));
  return libc.func('alarm', 'uint32', ['uint32']) as Alarm;
}
