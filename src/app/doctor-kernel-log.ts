import type { Clock } from '../model/clock.ts';
import type { Device } from '../model/device.ts';
import type { GpuEvent } from '../model/event.ts';
import { eventText } from '../model/i18n/event-text.ts';
import { noticeText } from '../model/i18n/notice-text.ts';
import { XID_ACTIONS } from '../model/xid/actions.ts';
import { xidEntry } from '../model/xid-table.ts';
import { type BootClock, systemBootClock } from '../sources/kernel-log/boot-clock.ts';
import { KernelLog } from '../sources/kernel-log/kernel-log.ts';
import { XidMerger } from '../sources/kernel-log/xid-merger.ts';
import { type Check, said } from './doctor-check.ts';

interface LogOptions {
  readonly clock: Clock;
  readonly devices: readonly Device[];
  /** `/dev/kmsg` of the machine. */
  readonly path: string;
  readonly boot?: BootClock;
}

/** A log without an end, such as one that is written faster than it is read, is left after so long. */
const LIMIT_MS = 2000;
/** The newest so many are told one by one. */
const MOST_TOLD = 10;

/** The Xids that the kernel has logged since it started. Those that only tell of a faulty program are warnings. */
export async function examineKernelLog({
  clock,
  devices,
  path,
  boot = systemBootClock(),
}: LogOptions): Promise<Check[]> {
  const merger: XidMerger = new XidMerger({
    clock,
    bootId: boot.bootId,
    devices: () => devices,
    hasKernelLog: () => true,
  });
  const log = new KernelLog({ clock, merger, path, boot });
  try {
    await Promise.race([log.start(), new Promise<void>((resolve) => void clock.after(LIMIT_MS, resolve))]);
    if (!log.isOpen) return log.notices().map((notice) => unread((lang) => noticeText(notice, lang)));
    const events = log.take().filter(({ kind }) => kind === 'xid' || kind === 'sxid' || kind === 'gpu-lost');
    if (events.length === 0) return [said('kernel-log', 'ok', 'doctor.no-xid')];
    const told = events.slice(-MOST_TOLD).map(tellOf);
    const left = events.length - told.length;
    return left === 0 ? told : [said('xid-more', 'warning', 'doctor.more-xids', { count: left }), ...told];
  } finally {
    await log.close();
  }
}

function unread(text: Check['text']): Check {
  return { id: 'kernel-log', level: 'warning', text, remedy: () => null };
}

function tellOf(event: GpuEvent): Check {
  const { params, severity } = event;
  const { action } = xidEntry(Number(params['xid'] ?? 0));
  return {
    id: event.kind,
    level: severity === 'critical' ? 'fault' : severity === 'warning' ? 'warning' : 'ok',
    text: (lang) => `${new Date(event.at).toISOString().slice(0, 19)}Z ${eventText(event, lang)}`,
    remedy: (lang) => (severity === 'info' ? null : XID_ACTIONS[action][lang]),
  };
}
