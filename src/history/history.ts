import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock, Stop } from '../model/clock.ts';
import type { Device } from '../model/device.ts';
import { AppError } from '../model/errors.ts';
import type { GpuEvent } from '../model/event.ts';
import type { EventQuery, Extent, Grid, History, HistoryStatus, Origin, RangeQuery } from '../model/ports.ts';
import type { Tick } from '../model/tick.ts';
import { Backlog } from './backlog.ts';
import { checkedQuery, toGrid } from './grid.ts';
import { bytesIn, bytesOf, Outbox } from './outbox.ts';
import type { Questions, StoreOptions, StoreState, Topic } from './protocol.ts';
import { isEndless, KEEP_ALL, type Retention, USUAL_RETENTION } from './retention.ts';
import { storedColumns } from './stored-columns.ts';
import { appError, WorkerLink } from './worker-link.ts';

const PRUNE_EVERY_MS = 600_000;
/** Pause before a worker that died is started again. */
const RESTART_MS = 5000;
/** How long closing waits for a disk that does not answer. */
const CLOSE_MS = 10_000;
const MAX_EVENTS = 10_000;

export interface HistoryOptions {
  /**
   * Where the files lie; null for a temporary directory, which is removed on close and on a normal exit. One whose
   * process was killed is removed when the next temporary history is opened.
   */
  readonly directory: string | null;
  readonly origin: Origin;
  readonly clock: Clock;
  /** What is kept. A recording keeps everything by default: its times are long past. */
  readonly retention?: Retention;
  /** Rows of a block, for those who want many blocks of little data; by default it depends on the number of devices. */
  readonly blockRows?: number;
}

/**
 * Opens or creates the history in a directory. Rejects with HISTORY_UNUSABLE (no access, a damaged or foreign file),
 * HISTORY_LOCKED (another process writes it), HISTORY_OTHER_ORIGIN, HISTORY_NEWER_FORMAT or HISTORY_DISK_FULL. Files
 * are never deleted or repaired.
 */
export async function openHistory(options: HistoryOptions): Promise<History> {
  const { origin, clock } = options;
  const temporary = options.directory === null ? temporaryDirectory() : null;
  const directory = options.directory ?? temporary!.path;
  const retention = options.retention ?? (origin === 'recorded' ? KEEP_ALL : USUAL_RETENTION);
  const storeOptions = {
    directory,
    origin,
    columns: storedColumns(),
    retention,
    isTemporary: temporary !== null,
    ...(options.blockRows === undefined ? {} : { blockRows: options.blockRows }),
  };
  const history = new EmbeddedHistory(storeOptions, clock, () => temporary?.remove());
  try {
    await history.start();
  } catch (error) {
    temporary?.remove();
    throw error;
  }
  return history;
}

/**
 * The history port on the main thread: packs ticks, passes questions on, and keeps the state of the disk in mind.
 *
 * What is asked (`flush` too) rejects with HISTORY_STOPPED where the worker has died or `close` comes before the answer:
 * what was accepted may then not be on the disk, and is counted in `droppedTicks`. `close` itself never rejects.
 */
class EmbeddedHistory implements History {
  readonly #options: StoreOptions;
  readonly #clock: Clock;
  readonly #removeFiles: () => void;
  readonly #backlog = new Backlog();
  #outbox = new Outbox();
  #link: WorkerLink | null = null;
  #timers: Stop[] = [];
  #isPosting = false;
  /** The devices, once they have been asked for; null where they may have changed since. */
  #devices: Promise<readonly Device[]> | null = null;
  /** Facts about devices are on their way to the disk. */
  #hasNewFacts = false;
  #closing: Promise<void> | null = null;
  #state: StoreState = { bytes: 0, daysThatFit: null, damage: null };
  #droppedTicks = 0;
  #failure: AppError | null = null;

  constructor(options: StoreOptions, clock: Clock, removeFiles: () => void) {
    this.#options = options;
    this.#clock = clock;
    this.#removeFiles = removeFiles;
  }

  async start(): Promise<void> {
    await this.#connect();
    // What deletes nothing needs no timer, which would keep the process alive.
    if (isEndless(this.#options.retention)) return;
    this.#timers.push(this.#clock.every(PRUNE_EVERY_MS, () => this.#link?.prune(this.#clock.now())));
  }

  accept(tick: Tick): void {
    if (this.#link === null || !this.#backlog.hasRoomFor(bytesOf(tick), this.#clock.monotonic())) {
      this.#drop();
      return;
    }
    if (this.#outbox.isFullFor(tick)) this.#post();
    this.#outbox.add(tick);
    if (this.#isPosting) return;
    // Ticks that come in one go, as from a recording, travel and are written together.
    this.#isPosting = true;
    setImmediate(() => {
      this.#isPosting = false;
      this.#post();
    });
  }

  async range(query: RangeQuery): Promise<Grid> {
    const checked = checkedQuery(query);
    return toGrid(checked, await this.#ask('range', checked));
  }

  events(query: EventQuery): Promise<readonly GpuEvent[]> {
    const limit = Math.min(Math.max(Math.trunc(query.limit), 1), MAX_EVENTS);
    return this.#ask('events', { ...query, limit });
  }

  devices(): Promise<readonly Device[]> {
    this.#post();
    if (this.#hasNewFacts) return this.#ask('devices', null);
    // Every chart asks, and they change about never.
    this.#devices ??= this.#ask('devices', null).catch((error: AppError) => {
      this.#devices = null;
      throw error;
    });
    return this.#devices;
  }

  extent(): Promise<Extent | null> {
    return this.#ask('extent', null);
  }

  status(): HistoryStatus {
    return {
      path: this.#options.directory,
      bytes: this.#state.bytes,
      daysThatFit: this.#state.daysThatFit,
      damage: this.#state.damage === null ? null : appError(this.#state.damage),
      droppedTicks: this.#droppedTicks,
      failure: this.#failure,
    };
  }

  async flush(): Promise<void> {
    await this.#ask('flush', null);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    for (const stop of this.#timers.splice(0)) stop();
    const link = this.#link;
    if (link !== null) {
      await this.#closeLink(link);
      this.#link = null;
      this.#devices = null;
      link.end(this.#stopped('closed'));
    }
    this.#droppedTicks += this.#backlog.settleAll();
    this.#removeFiles();
  }

  /** Waits for the last write, but not for a disk that hangs. */
  async #closeLink(link: WorkerLink): Promise<void> {
    this.#post();
    await new Promise<void>((resolve) => {
      const stop = this.#clock.after(CLOSE_MS, resolve);
      link
        .ask('close', null)
        .catch((error: AppError) => {
          this.#failure = error;
        })
        .finally(() => {
          stop();
          resolve();
        });
    });
  }

  async #connect(): Promise<void> {
    // A worker that died of a damaged file does not try the same file again.
    const isDamaged = this.#failure?.code === 'HISTORY_UNUSABLE';
    const { link, state } = await WorkerLink.open(
      { ...this.#options, isDamaged },
      {
        written: (room) => {
          this.#outbox.giveBack(room);
          this.#backlog.settle();
          this.#settleFacts();
          this.#failure = null;
        },
        looked: (newer) => {
          this.#state = newer;
        },
        failing: (error) => {
          this.#failure = error;
        },
        unwritable: (error) => {
          this.#droppedTicks += this.#backlog.settle();
          this.#failure = error;
        },
        died: (error) => this.#restart(error),
      },
    );
    if (this.#closing !== null) {
      link.end(this.#stopped('closed'));
      return;
    }
    this.#link = link;
    this.#state = state;
    // A new worker knows no device yet.
    this.#outbox = new Outbox();
  }

  #settleFacts(): void {
    if (!this.#hasNewFacts || !this.#backlog.isEmpty) return;
    this.#hasNewFacts = false;
    this.#devices = null;
  }

  #restart(error: AppError): void {
    if (this.#failure?.code !== 'HISTORY_UNUSABLE') this.#failure = error;
    this.#link = null;
    this.#devices = null;
    this.#droppedTicks += this.#backlog.settleAll() + this.#outbox.ticks;
    this.#outbox = new Outbox();
    if (this.#closing !== null) return;
    const retry = () => {
      this.#connect().catch((reason: AppError) => this.#restart(reason));
    };
    this.#timers.push(this.#clock.after(RESTART_MS, retry));
  }

  #post(): void {
    if (this.#link === null || this.#outbox.ticks === 0) return;
    const batch = this.#outbox.take();
    this.#hasNewFacts ||= batch.devices.length > 0;
    this.#backlog.add(batch.ticks, bytesIn(batch.used), this.#clock.monotonic());
    this.#link.post(batch);
  }

  #drop(): void {
    this.#droppedTicks++;
    this.#failure ??= new AppError('HISTORY_BEHIND', { path: this.#options.directory });
  }

  #ask<T extends Topic>(topic: T, query: Questions[T]['query']): Promise<Questions[T]['answer']> {
    if (this.#link === null) return Promise.reject(this.#failure ?? this.#stopped('closed'));
    this.#post();
    return this.#link.ask(topic, query);
  }

  #stopped(detail: string): AppError {
    return new AppError('HISTORY_STOPPED', { path: this.#options.directory, detail });
  }
}

function temporaryDirectory(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'gpulse-'));
  const removeFiles = () => rmSync(path, { recursive: true, force: true });
  process.once('exit', removeFiles);
  const remove = () => {
    process.off('exit', removeFiles);
    removeFiles();
  };
  return { path, remove };
}
