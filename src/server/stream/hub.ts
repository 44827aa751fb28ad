import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Clock, Stop } from '../../model/clock.ts';
import { AppError } from '../../model/errors.ts';
import type { GpuEvent } from '../../model/event.ts';
import type { Lang } from '../../model/i18n/text.ts';
import type { Viewer } from '../../model/ports.ts';
import type { Reader, Snapshot, Update } from '../../model/reader.ts';
import type { FaultLog } from '../fault-log.ts';
import type { StreamLimits } from '../limits.ts';
import { changesBetween, isNothing, type Sourced } from '../wire/api-changes.ts';
import { compactGpusJson, gpusJson } from '../wire/gpus-json.ts';
import { type Frame, snapshotMessage, tickFrame } from './frame.ts';
import { FrameRing } from './frame-ring.ts';
import { StreamClient } from './stream-client.ts';

/** Clients are told to connect again after this long. */
const RETRY = Buffer.from('retry: 2000\n\n');
const HEARTBEAT = Buffer.from(': still here\n\n');

/** Events kept while ticks are being merged into one message; a client can ask /api/v1/events for more. */
const MOST_MERGED_EVENTS = 1000;

interface HubOptions {
  readonly reader: Reader;
  readonly viewer: Viewer;
  readonly clock: Clock;
  readonly limits: StreamLimits;
  readonly faults: FaultLog;
}

/** How a snapshot is written: as /api/v1/gpus has it, or with every list of absences once. */
export type SnapshotForm = 'full' | 'compact';

interface StreamRequest {
  readonly lang: Lang;
  readonly form: SnapshotForm;
  /** Id of the last message the client received. */
  readonly lastId: string | null;
  readonly headers: OutgoingHttpHeaders;
}

/**
 * The live stream: one subscription and one delta per tick, shared by all clients.
 *
 * It is cold without clients: not even subscribed, so that a tick costs nothing. After the last client has gone it stays
 * warm for as long as that client could still resume from the ring.
 *
 * An id is `start-number`. The number alone would not do: after a restart it would mean another message.
 */
export class StreamHub {
  readonly #options: HubOptions;
  readonly #epoch: string;
  readonly #ring: FrameRing;
  readonly #clients = new Set<StreamClient>();
  /** What clients know once they have read the message `#number`; null while cold. */
  #known: Sourced | null = null;
  #number = 0;
  readonly #snapshots = new Map<SnapshotForm, Buffer>();
  #pendingEvents: GpuEvent[] = [];
  #publishedAt = Number.NEGATIVE_INFINITY;
  #messagesAlone = 0;
  #closed = false;
  #stopUpdates: Stop = () => {};
  #stopHeartbeat: Stop = () => {};
  #stopMerging: Stop | null = null;

  constructor(options: HubOptions) {
    this.#options = options;
    this.#epoch = options.clock.now().toString(36);
    this.#ring = new FrameRing({ frames: options.limits.ringMessages, bytes: options.limits.ringBytes });
  }

  /** Clients that are connected now. */
  get size(): number {
    return this.#clients.size;
  }

  /** Takes the response over and streams to it until the client goes; throws TOO_MANY_STREAMS or STREAM_ENDED before anything is sent. */
  open(response: ServerResponse, { lang, form, lastId, headers }: StreamRequest): void {
    const { clock, limits } = this.#options;
    if (this.#closed) throw new AppError('STREAM_ENDED');
    if (this.#clients.size >= limits.clients) throw new AppError('TOO_MANY_STREAMS', { limit: limits.clients });
    if (response.destroyed) return;
    // So that the client begins with what is known now, as /api/v1/gpus would answer it.
    if (this.#known !== null) this.#publish(this.#read());
    if (this.#known === null) this.#warmUp();
    response.writeHead(200, headers);
    const client: StreamClient = new StreamClient({
      response,
      lang,
      clock,
      bufferedBytes: limits.bufferedBytes,
      onCaughtUp: () => client.begin(this.#snapshotFrame(form)),
      onGone: () => this.#remove(client),
    });
    const missed = lastId === null ? null : this.#missedSince(lastId);
    // A client that missed nothing gets a snapshot too: it tells that the stream is open before the next tick does.
    const start =
      missed === null || missed.length === 0 ? [this.#snapshotFrame(form)] : missed.map(({ bytes }) => bytes[lang]);
    client.begin(Buffer.concat([RETRY, ...start]));
    if (this.#clients.size === 0) this.#stopHeartbeat = clock.every(limits.heartbeatMs, () => this.#heartbeat());
    this.#clients.add(client);
  }

  /** Ends every stream; later ones are refused. */
  close(): void {
    this.#closed = true;
    for (const client of this.#clients) client.end();
    this.#stopHeartbeat();
    this.#coolDown();
  }

  #remove(client: StreamClient): void {
    this.#clients.delete(client);
    if (this.#clients.size > 0) return;
    this.#stopHeartbeat();
    this.#messagesAlone = 0;
  }

  #warmUp(): void {
    const { reader, viewer } = this.#options;
    this.#known = { snapshot: this.#read(), source: reader.source(viewer).name };
    this.#stopUpdates = reader.subscribe(viewer, (update) => this.#onUpdate(update));
  }

  #coolDown(): void {
    this.#stopUpdates();
    this.#stopMerging?.();
    this.#stopMerging = null;
    this.#pendingEvents = [];
    this.#ring.clear();
    this.#known = null;
    this.#snapshots.clear();
    // What happens while cold is not recorded, so nobody may resume from the last message.
    this.#number++;
  }

  #read(): Snapshot {
    return this.#options.reader.snapshot(this.#options.viewer);
  }

  /** Ticks that follow each other too fast, as when a recording is read at full speed, are merged. */
  #onUpdate({ snapshot, events }: Update): void {
    if (events.length > 0) this.#pendingEvents = [...this.#pendingEvents, ...events].slice(-MOST_MERGED_EVENTS);
    if (this.#stopMerging !== null) return;
    const { clock, limits } = this.#options;
    const wait = this.#publishedAt + limits.gapMs - clock.monotonic();
    if (wait <= 0) this.#publish(snapshot);
    else this.#stopMerging = clock.after(wait, () => this.#publish(this.#read()));
  }

  /** Never throws: it runs within the sampling of a tick, and a fault in a message must not stop that. */
  #publish(snapshot: Snapshot): void {
    this.#stopMerging?.();
    this.#stopMerging = null;
    const events = this.#pendingEvents;
    this.#pendingEvents = [];
    try {
      this.#send(snapshot, events);
    } catch (error) {
      this.#options.faults.report(error, 'the live stream');
    }
    if (this.#clients.size === 0 && ++this.#messagesAlone >= this.#options.limits.ringMessages) this.#coolDown();
  }

  /** Sends what is new in the snapshot, with the events; nothing where there is neither. */
  #send(snapshot: Snapshot, events: readonly GpuEvent[]): void {
    const { reader, viewer, clock } = this.#options;
    const before = this.#known;
    if (before === null) return;
    const after = { snapshot, source: reader.source(viewer).name };
    const changes = changesBetween(before, after);
    if (events.length === 0 && isNothing(changes, before)) return;
    const number = this.#number + 1;
    const frame = tickFrame(number, this.#id(number), changes, events);
    this.#known = after;
    this.#number = number;
    this.#snapshots.clear();
    this.#publishedAt = clock.monotonic();
    this.#ring.push(frame);
    for (const client of this.#clients) client.send(frame.bytes[client.lang]);
  }

  /** Also carries what changed by time alone, such as a sample that became stale while the driver hangs. */
  #heartbeat(): void {
    this.#publish(this.#read());
    for (const client of this.#clients) {
      if (client.laggingMs() >= this.#options.limits.laggingMs) client.drop();
      else client.send(HEARTBEAT);
    }
  }

  #id(number: number): string {
    return `${this.#epoch}-${number}`;
  }

  /** Made once for all clients that begin between two messages. */
  #snapshotFrame(form: SnapshotForm): Buffer {
    const made = this.#snapshots.get(form);
    if (made !== undefined) return made;
    const known = this.#known;
    if (known === null) return Buffer.alloc(0);
    const write = form === 'compact' ? compactGpusJson : gpusJson;
    const json = write(known.snapshot, this.#options.reader.host, known.source);
    const bytes = snapshotMessage(this.#id(this.#number), json);
    this.#snapshots.set(form, bytes);
    return bytes;
  }

  #missedSince(lastId: string): readonly Frame[] | null {
    const [, epoch, number] = /^(\w+)-(\d{1,15})$/.exec(lastId) ?? [];
    return epoch === this.#epoch ? this.#ring.after(Number(number)) : null;
  }
}
