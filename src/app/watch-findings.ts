import type { FindingsWatch } from '../diagnosis/live/findings-watch.ts';
import type { Clock } from '../model/clock.ts';
import type { Origin } from '../model/ports.ts';
import type { SourceStatus } from '../model/reader.ts';

/** What lies longer ago in a past that is made up or was stored is not looked at. */
const OLDEST_MS = 3_600_000;

/** Diagnoses what `serve` samples, as it comes. The rules are loaded only here: other commands start without them. */
export async function watchFindings(
  { intervalMs }: { readonly intervalMs: number },
  origin: Origin,
  clock: Clock,
  source: () => SourceStatus,
): Promise<FindingsWatch> {
  const { FindingsWatch } = await import('../diagnosis/live/findings-watch.ts');
  const isRecorded = origin === 'recorded';
  const watch = new FindingsWatch({
    clock,
    intervalMs,
    oldestMs: isRecorded ? null : OLDEST_MS,
    seesXids: () => !isRecorded && reportsXids(source()),
  });
  watch.start();
  return watch;
}

/** NVML tells them itself; of other sources only the kernel log does. */
export function reportsXids({
  name,
  notices,
}: {
  readonly name: string;
  readonly notices: readonly { readonly key: string }[];
}): boolean {
  return name.includes('nvml') || !notices.some(({ key }) => key.startsWith('notice.kernel-log'));
}
