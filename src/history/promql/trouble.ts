import { AppError } from '../../model/errors.ts';
import { quantityText } from '../../model/format.ts';
import type { Trouble } from './sender.ts';

/** What is queued. */
interface Queue {
  readonly queued: number;
  readonly bytes: number;
  readonly maxBytes: number;
  readonly lost: number;
}

/** The failure that people see while nothing is delivered: since when, and how much waits. Null where all is well. */
export function troubleOf(url: string, trouble: Trouble | null, queue: Queue): AppError | null {
  if (trouble === null) return null;
  const since = `${new Date(trouble.since).toISOString().slice(0, 19)}Z`;
  const common = { url, since, detail: trouble.reason, room: quantityText(queue.maxBytes, 'bytes', 'en') };
  if (queue.lost > 0) return new AppError('HISTORY_QUEUE_FULL', { ...common, lost: queue.lost });
  return new AppError('HISTORY_ENGINE_DOWN', {
    ...common,
    ticks: queue.queued,
    queued: quantityText(queue.bytes, 'bytes', 'en'),
  });
}
