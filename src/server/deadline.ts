import type { Clock } from '../model/clock.ts';
import { AppError } from '../model/errors.ts';

/** The result of `work`, or BUSY after `ms`: an answer never waits for ever on a disk that hangs. */
export async function withinDeadline<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const stop = clock.after(ms, () => reject(new AppError('BUSY')));
  try {
    return await Promise.race([work, late]);
  } finally {
    stop();
  }
}
