import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../model/clock.ts';
import type { Device } from '../../model/device.ts';
import { AppError } from '../../model/errors.ts';
import type { GpuEvent } from '../../model/event.ts';
import type { EventQuery, Extent, Grid, History, HistoryStatus, Origin, RangeQuery } from '../../model/ports.ts';
import { ReadingSet } from '../../model/reading-set.ts';
import type { Tick } from '../../model/tick.ts';
import { checkedQuery, toGrid } from '../grid.ts';
import { openHistory } from '../history.ts';
import type { Retention } from '../retention.ts';
import { storeError } from '../store-error.ts';
import { storedColumns } from '../stored-columns.ts';
import { appError } from '../worker-link.ts';
import { Engine, type EngineOptions } from './engine.ts';
import { ExtentMemory } from './extent-memory.ts';
import { Facts } from './facts.ts';
import { Marks } from './marks.ts';
import { noteEngine } from './note.ts';
import { Passes, type Place } from './passes.ts';
import { RangeReader } from './range-reader.ts';
import { Sender } from './sender.ts';
import { Spool } from './spool.ts';
import { SpoolWriter } from './spool-writer.ts';
import { decodeTick, encodeTick } from './tick-record.ts';
import { troubleOf } from './trouble.ts';
import { WriteRequests } from './write-request.ts';

/** How long closing waits for the last ticks to be delivered, and for a disk that does not answer. */
const FAREWELL_MS = 3000;
const SHOWN_WITHIN_MS = 10_000;
const SHOW_STEP_MS = 100;
/** Parts of what was written together may show at different moments. */
const SETTLE_MS = 300;
const DEFAULT_QUEUE_BYTES = 2 ** 30;

export interface RemoteHistoryOptions extends EngineOptions {
  /** Where what waits, and the events, are kept. Belongs to one process at a time. */
  readonly directory: string;
  readonly origin: Origin;
  readonly clock: Clock;
  /** Tells this machine from others in the same engine. */
  readonly host: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Bytes that may wait on the disk. */
  readonly queueBytes?: number;
  /** How long events are kept; the engine itself decides about everything else. */
  readonly retention?: Retention;
  /** 0…1, for the spread of retries. */
  readonly random?: () => number;
}

/** A history whose samples are in an engine elsewhere. */
export interface RemoteHistory extends History {
  /** Resolves once everything accepted so far is in the queue on the disk, or dropped. */
  queued(): Promise<void>;
}

/**
 * Opens the history of this host in an engine that speaks Prometheus remote write and PromQL. The engine need not be there.
 * Rejects like {@link openHistory} where the directory cannot be used.
 */
export async function openRemoteHistory(options: RemoteHistoryOptions): Promise<RemoteHistory> {
  const { directory, origin, clock, retention, queueBytes = DEFAULT_QUEUE_BYTES } = options;
  const local = await openHistory({ directory, origin, clock, ...(retention === undefined ? {} : { retention }) });
  try {
    const columns = storedColumns();
    const spool = await Spool.open(
      join(directory, 'queue'),
      queueBytes,
      columns.map(({ id }) => id),
    );
    const { queryUrl: url, host, labels } = options;
    await noteEngine(directory, { url, identity: { host, origin, labels }, since: clock.now() });
    return new EngineHistory(options, local, spool, await placeIn(spool));
  } catch (error) {
    await local.close();
    throw appError(storeError(error, directory, 'HISTORY_UNUSABLE').data);
  }
}

/** Where the ticks of the process before ended: those that wait are newer than those that were delivered. */
async function placeIn(spool: Spool): Promise<Place | null> {
  const newest = await spool.newest();
  if (newest === null) return spool.delivered;
  const { pass, at } = decodeTick(newest);
  return { pass, last: at };
}

class EngineHistory implements RemoteHistory {
  readonly #options: RemoteHistoryOptions;
  /** Events and devices, which no such engine can keep as they are. */
  readonly #local: History;
  readonly #spool: Spool;
  readonly #writer: SpoolWriter;
  readonly #sender: Sender;
  readonly #engine: Engine;
  readonly #marks: Marks;
  readonly #reader: RangeReader;
  readonly #passes: Passes;
  readonly #extents: ExtentMemory;
  readonly #facts: Facts;
  #generation = 0;
  #unplaced = 0;
  #isClosed = false;
  #closing: Promise<void> | null = null;

  constructor(options: RemoteHistoryOptions, local: History, spool: Spool, place: Place | null) {
    const { clock, host, origin, labels, random = Math.random } = options;
    const identity = { host, origin, labels };
    const requests = new WriteRequests(identity);
    this.#options = options;
    this.#local = local;
    this.#spool = spool;
    this.#engine = new Engine(options);
    this.#marks = new Marks(this.#engine, identity);
    this.#passes = new Passes(place);
    this.#extents = new ExtentMemory(this.#marks, clock);
    this.#facts = new Facts(this.#engine, identity, clock);
    this.#sender = new Sender({ engine: this.#engine, spool, requests, marks: this.#marks, clock, random });
    this.#writer = new SpoolWriter(spool, clock, options.directory, () => this.#sender.wake());
    this.#reader = new RangeReader({
      engine: this.#engine,
      marks: this.#marks,
      identity,
      columns: storedColumns(),
      generation: () => this.#generation + requests.seriesMade,
      extent: () => this.#extents.extent(spool.delivered),
      now: () => clock.now(),
    });
  }

  accept(tick: Tick): void {
    if (this.#isClosed) return;
    const { clock } = this.#options;
    const changed = this.#facts.changedIn(tick);
    if (tick.events.length > 0 || changed.length > 0) this.#local.accept(localPart(tick, changed));
    if (tick.devices.length === 0 && tick.host === undefined) return;
    const before = this.#passes.place;
    const place = this.#passes.next(tick.at, clock.monotonic());
    if (place === null) {
      this.#unplaced++;
      return;
    }
    const head = {
      at: place.last,
      pass: place.pass,
      distanceMs: place.pass === before.pass && Number.isFinite(before.last) ? place.last - before.last : null,
      isMark: this.#extents.isMark(place, before),
      facts: this.#facts.dueIn(tick, changed),
    };
    this.#writer.add(encodeTick(head, tick));
  }

  async range(query: RangeQuery): Promise<Grid> {
    const checked = checkedQuery(query);
    this.#assertOpen();
    return toGrid(checked, await this.#reader.read(checked));
  }

  events(query: EventQuery): Promise<readonly GpuEvent[]> {
    return this.#local.events(query);
  }

  async devices(): Promise<readonly Device[]> {
    return this.#facts.joined(await this.#local.devices());
  }

  async extent(): Promise<Extent | null> {
    this.#assertOpen();
    return this.#extents.extent(this.#spool.delivered);
  }

  status(): HistoryStatus {
    const { url } = this.#engine;
    const { queued, queuedBytes, bytes, maxBytes, lost } = this.#spool;
    const { trouble, refused, lastRefusal } = this.#sender;
    const local = this.#local.status();
    const refusal = new AppError('HISTORY_TICKS_REFUSED', { url, ticks: refused, detail: lastRefusal ?? '' });
    return {
      path: url,
      bytes: local.bytes + bytes,
      droppedTicks: this.#unplaced + this.#writer.dropped + lost + refused + local.droppedTicks,
      failure:
        this.#writer.failure ??
        troubleOf(url, trouble, { queued, bytes: queuedBytes, maxBytes, lost }) ??
        local.failure,
      daysThatFit: null,
      damage: refused > 0 ? refusal : local.damage,
      queue: {
        ticks: queued + this.#writer.waiting,
        bytes: queuedBytes,
        maxBytes,
        failingSince: trouble?.since ?? null,
      },
    };
  }

  async queued(): Promise<void> {
    await this.#writer.settled();
  }

  async flush(): Promise<void> {
    this.#assertOpen();
    await this.#local.flush();
    await this.#writer.settled();
    await this.#sender.drained();
    const failure = this.status().failure;
    if (this.#spool.queued + this.#writer.waiting > 0) throw failure ?? this.#stopped();
    await this.#shown();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#isClosed = true;
    await this.#forAWhile(this.#lastDelivery());
    this.#writer.stop();
    this.#engine.close();
    await this.#forAWhile(this.#sender.stop());
    // Gives the directory free, so that it comes last.
    await this.#local.close();
  }

  async #lastDelivery(): Promise<void> {
    await this.#writer.settled();
    if (this.#sender.trouble === null) await this.#sender.drained();
  }

  async #forAWhile(work: Promise<void>): Promise<void> {
    let stop = () => {};
    const limit = new Promise<void>((resolve) => {
      stop = this.#options.clock.after(FAREWELL_MS, resolve);
    });
    await Promise.race([work, limit]);
    stop();
  }

  /** Waits until the newest tick that was delivered can be read: VictoriaMetrics shows what it has taken a second later. */
  async #shown(): Promise<void> {
    const newest = this.#spool.delivered;
    if (newest === null) return;
    const until = performance.now() + SHOWN_WITHIN_MS;
    let isFirst = true;
    while (!(await this.#marks.has(newest.pass, newest.last))) {
      if (performance.now() > until) return;
      isFirst = false;
      await sleep(SHOW_STEP_MS);
    }
    if (!isFirst) await sleep(SETTLE_MS);
    this.#generation++;
  }

  #assertOpen(): void {
    if (this.#isClosed) throw this.#stopped();
  }

  #stopped(): AppError {
    return new AppError('HISTORY_STOPPED', { path: this.#engine.url, detail: 'closed' });
  }
}

/** What is kept beside the engine of a tick: its events, and devices with new facts, without any values. */
function localPart(tick: Tick, changed: readonly Device[]): Tick {
  const devices = changed.map((device) => ({
    device,
    state: 'ok' as const,
    readings: ReadingSet.allAbsent('not-collected'),
    processes: [],
  }));
  return { at: tick.at, monotonic: tick.monotonic, devices, events: tick.events };
}
