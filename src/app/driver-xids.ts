import type { GpuEvent } from '../model/event.ts';
import type { EventFeed, Source } from '../model/ports.ts';
import type { XidMerger } from '../sources/kernel-log/xid-merger.ts';

/** The Xids that the driver of a source reports, as events; what the kernel log says of the same is one event with them. */
export class DriverXids implements EventFeed {
  readonly #source: Source;
  readonly #merger: XidMerger;

  constructor(source: Source, merger: XidMerger) {
    this.#source = source;
    this.#merger = merger;
  }

  take(): readonly GpuEvent[] {
    const reports = this.#source.takeXids?.() ?? [];
    return reports.flatMap((report) => this.#merger.add({ source: 'nvml', busId: null, ...report }) ?? []);
  }

  notices(): readonly [] {
    return [];
  }

  async close(): Promise<void> {}
}
