import type { Origin, Source } from '../model/ports.ts';
import type { Snapshot } from '../model/reader.ts';
import { ProcessDirectory } from '../owners/procfs.ts';
import { TickFinisher } from '../sources/tick-finisher.ts';
import { Live } from './live.ts';
import { openSource, type SourceOptions } from './open-source.ts';

export interface OneShot {
  readonly source: string;
  readonly origin: Origin;
  readonly snapshot: Snapshot;
}

/**
 * What a source knows now: one tick of devices, or the state at the end of a recording. Throws the AppError that says
 * why where there is no device.
 */
export async function takeSnapshot(options: SourceOptions): Promise<OneShot> {
  const probe = await openSource({ ...options, simulatePast: false });
  if (!probe.ok) throw probe.reason;
  const { source } = probe;
  try {
    return { source: source.name, origin: source.origin, snapshot: await readSnapshot(source, options) };
  } finally {
    await source.close();
  }
}

async function readSnapshot(source: Source, { clock }: SourceOptions): Promise<Snapshot> {
  const live = new Live({ clock, origin: source.origin, staleAfterMs: Number.POSITIVE_INFINITY });
  const processes = new ProcessDirectory();
  const finisher = new TickFinisher(source, (pid, monotonic) => processes.lookup(pid, monotonic));
  for (;;) {
    const tick = await source.sample(clock.now());
    if (tick === null) break;
    live.accept(finisher.finish(tick));
    if (source.origin !== 'recorded') break;
  }
  return live.snapshot();
}
