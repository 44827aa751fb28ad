import type { Clock } from '../model/clock.ts';
import type { EventFeed, HostReader, Notice, Source } from '../model/ports.ts';
import { ProcHostReader } from '../sources/host/proc-host-reader.ts';
import { systemBootClock } from '../sources/kernel-log/boot-clock.ts';
import { KernelLog } from '../sources/kernel-log/kernel-log.ts';
import { XidMerger } from '../sources/kernel-log/xid-merger.ts';
import { DriverXids } from './driver-xids.ts';

/** What is read of this machine beside the GPUs of a source. */
export interface MachineWatch {
  readonly host: HostReader;
  readonly feeds: readonly EventFeed[];
  notices(): readonly Notice[];
  close(): Promise<void>;
}

/** Starts to watch this machine, and waits for nothing. Null where the source is about another machine, or none. */
export function watchMachine(source: Source, clock: Clock): MachineWatch | null {
  if (source.origin !== 'live' || source.name.includes('ssh:')) return null;
  const boot = systemBootClock();
  const xids: XidMerger = new XidMerger({
    clock,
    bootId: boot.bootId,
    devices: () => source.devices(),
    hasKernelLog: () => log.isOpen,
  });
  const log: KernelLog = new KernelLog({ clock, merger: xids, boot });
  void log.start();
  const host = new ProcHostReader();
  return {
    host,
    feeds: [new DriverXids(source, xids), log],
    // Only NVIDIA's driver writes Xids: without its GPUs nobody misses them.
    notices: () => (source.devices().some(({ vendor }) => vendor === 'nvidia') ? log.notices() : []),
    async close() {
      host.close();
      await log.close();
    },
  };
}
