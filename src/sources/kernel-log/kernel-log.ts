import type { Clock, Stop } from '../../model/clock.ts';
import { detailOf } from '../../model/errors.ts';
import type { GpuEvent } from '../../model/event.ts';
import type { EventFeed, Notice } from '../../model/ports.ts';
import type { Millis } from '../../model/reading.ts';
import { busIdIn, parseXidLine } from '../../model/xid-line.ts';
import { type BootClock, systemBootClock, wallTime } from './boot-clock.ts';
import { KmsgReader } from './kmsg-reader.ts';
import { parseKmsgRecord } from './kmsg-record.ts';
import type { XidMerger } from './xid-merger.ts';

export interface KernelLogOptions {
  readonly clock: Clock;
  readonly merger: XidMerger;
  /** `/dev/kmsg` where left out. */
  readonly path?: string;
  readonly boot?: BootClock;
}

const POLL_MS = 1000;

/** The driver splits one message over records that follow each other at once. */
const SPLIT_MICROS = 10_000;

/** `NVRM: GPU at PCI:0000:0a:00: GPU-…`, and the driver's `NVRM: The NVIDIA GPU 0000:b3:00.0` of a GPU it lost. */
const UUID_AT = /NVRM: GPU at (?:PCI:)?([0-9a-f:.]+): (GPU-[0-9a-f-]{36})/i;
const LOST_AT = /NVRM: The NVIDIA GPU ([0-9a-f:.]+)/i;

/**
 * The Xids of the kernel log, from the oldest record that is still there: those from before gpulse was started come with
 * their own time, once. Falls back to nothing, and says so, where the log may not be read.
 */
export class KernelLog implements EventFeed {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #merger: XidMerger;
  readonly #boot: BootClock;
  readonly #reader: KmsgReader;
  readonly #events = new Map<string, GpuEvent>();
  #notice: Notice | null = null;
  #stopTimer: Stop = () => {};
  #draining: Promise<void> | null = null;
  /** When the log was last at its end; null before the first time. */
  #endedAt: Millis | null = null;
  /** A place named by a message that goes on in the next record. */
  #lastPlace: { readonly busId: string; readonly micros: number } | null = null;

  constructor({ clock, merger, path = '/dev/kmsg', boot = systemBootClock() }: KernelLogOptions) {
    this.#path = path;
    this.#clock = clock;
    this.#merger = merger;
    this.#boot = boot;
    this.#reader = new KmsgReader(path);
  }

  /** Whether the log is being read. */
  get isOpen(): boolean {
    return this.#notice === null;
  }

  /** Starts to read, and goes on every second. Resolves once the log as it is now has been read. */
  async start(): Promise<void> {
    try {
      await this.#reader.open();
    } catch (error) {
      this.#notice = noticeOf(this.#path, error);
      return;
    }
    this.#stopTimer = this.#clock.every(POLL_MS, () => void this.#drain());
    await this.#drain();
  }

  take(): readonly GpuEvent[] {
    for (const event of this.#merger.due()) this.#put(event);
    if (this.#events.size === 0 || this.#isReadingPast()) return [];
    const events = [...this.#events.values()].sort((a, b) => a.at - b.at);
    this.#events.clear();
    return events;
  }

  notices(): readonly Notice[] {
    return this.#notice === null ? [] : [this.#notice];
  }

  async close(): Promise<void> {
    this.#stopTimer();
    await this.#draining;
    await this.#reader.close();
  }

  /** Until the log has been read to its end once, an event may be half of what it becomes. */
  #isReadingPast(): boolean {
    return this.#endedAt === null && this.#notice === null;
  }

  #drain(): Promise<void> {
    this.#draining ??= this.#drainOnce().finally(() => {
      this.#draining = null;
    });
    return this.#draining;
  }

  async #drainOnce(): Promise<void> {
    const since = this.#endedAt;
    try {
      const startedAt = this.#clock.now();
      await this.#reader.drain((line) => this.#line(line, since));
      this.#endedAt = startedAt;
    } catch (error) {
      this.#stopTimer();
      this.#notice = noticeOf(this.#path, error);
    }
  }

  #line(text: string, since: Millis | null): void {
    // Nearly every record is about something else and costs one search.
    if (!text.includes('NVRM') && !text.includes('Xid')) return;
    const record = parseKmsgRecord(text);
    if (record === null) return;
    for (const line of record.lines) this.#message(line, record.micros, since);
  }

  #message(line: string, micros: number, since: Millis | null): void {
    const named = UUID_AT.exec(line);
    const namedBus = named === null ? null : busIdIn(named[1]!);
    if (namedBus !== null) this.#merger.learn(namedBus, named![2]!);
    const lost = LOST_AT.exec(line);
    const lostBus = lost === null ? null : busIdIn(lost[1]!);
    if (lostBus !== null) this.#lastPlace = { busId: lostBus, micros };
    const found = parseXidLine(line);
    if (found === null) return;
    const now = { wall: this.#clock.now(), micros: this.#boot.micros() };
    const event = this.#merger.add({
      ...found,
      source: 'kernel',
      at: wallTime(micros, now, since),
      uuid: null,
      busId: found.busId ?? (found.isNumbered ? null : this.#placeBefore(micros)),
      micros,
    });
    if (event !== null) this.#put(event);
  }

  #placeBefore(micros: number): string | null {
    const last = this.#lastPlace;
    return last !== null && micros - last.micros <= SPLIT_MICROS ? last.busId : null;
  }

  #put(event: GpuEvent): void {
    this.#events.set(event.key ?? String(event.at), event);
  }
}

function noticeOf(path: string, error: unknown): Notice {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EACCES' || code === 'EPERM') {
    return { key: 'notice.kernel-log-no-permission', params: { path }, isRemark: true };
  }
  if (code === 'ENOENT' || code === 'ENXIO' || code === 'ENODEV') {
    return { key: 'notice.kernel-log-missing', params: { path }, isRemark: true };
  }
  return { key: 'notice.kernel-log-failed', params: { path, detail: detailOf(error) }, isRemark: true };
}
