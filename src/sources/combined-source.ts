import type { Clock, Stop } from '../model/clock.ts';
import type { Device } from '../model/device.ts';
import { type AppError, toAppError } from '../model/errors.ts';
import type { GpuEvent } from '../model/event.ts';
import type { Notice, Probe, Source, TopologyLink } from '../model/ports.ts';
import type { Millis } from '../model/reading.ts';
import type { DeviceSample, HostSample, Tick } from '../model/tick.ts';
import { IndexMap } from './index-map.ts';

/** A source that could not be opened though there is something for it to read; it is tried again from time to time. */
export interface MissingSource {
  readonly name: string;
  readonly reason: AppError;
  /** Its devices keep their indexes once it is there, and those of all others follow. */
  readonly isFirst: boolean;
  /** Nothing is at fault: gpulse just cannot read what is there. */
  readonly isRemark: boolean;
  open(): Promise<Probe>;
}

export interface CombinedOptions {
  /** At least one. The devices of the first keep their indexes, those of the others follow. */
  readonly sources: readonly Source[];
  readonly missing?: readonly MissingSource[];
  readonly clock: Clock;
  /** Milliseconds for which a tick waits for a source that has answered before. */
  readonly patienceMs?: number;
}

const PATIENCE_MS = 250;
/** A first answer may take longer, and whoever asks only once lives on it. */
const FIRST_PATIENCE_MS = 1500;
const RETRY_MS = 60_000;

/** A source that has not answered for so long is named in a notice. */
const LATE_MS = 3000;

/** One of the sources, and how it stands. */
class Member {
  readonly source: Source;
  readonly map = new IndexMap();
  /** Since when a call has been under way, monotonic; null between calls. */
  busySince: number | null = null;
  hasAnswered = false;
  failure: AppError | null = null;
  /** What has come and was not handed on yet. */
  tick: Tick | null = null;

  constructor(source: Source) {
    this.source = source;
  }

  /** Asks for a tick unless a call is still under way. `settled` is called when one ends, however it does. */
  ask(at: Millis, now: number, settled: () => void): void {
    if (this.busySince !== null) return;
    this.busySince = now;
    void this.#sample(at).then(settled);
  }

  async #sample(at: Millis): Promise<void> {
    try {
      this.tick = (await this.source.sample(at)) ?? this.tick;
      this.failure = null;
    } catch (error) {
      this.failure = toAppError(error);
    }
    this.busySince = null;
    this.hasAnswered = true;
  }
}

/**
 * Several live sources of one machine as one. A source that fails or is slow takes nothing from the others: its devices
 * are missing from a tick, and what comes late rides on the next one.
 */
export class CombinedSource implements Source {
  readonly origin = 'live';
  readonly #clock: Clock;
  readonly #patienceMs: number;
  readonly #members: Member[] = [];
  #missing: readonly MissingSource[];
  #stopRetry: Stop = () => {};
  #settled: (() => void) | null = null;
  #isRetrying = false;
  #isClosed = false;

  constructor({ sources, missing = [], clock, patienceMs = PATIENCE_MS }: CombinedOptions) {
    this.#clock = clock;
    this.#patienceMs = patienceMs;
    this.#missing = missing;
    for (const source of sources) this.#members.push(new Member(source));
    if (missing.length > 0) this.#stopRetry = clock.every(RETRY_MS, () => void this.#retry());
  }

  get name(): string {
    return this.#members.map(({ source }) => source.name).join('+');
  }

  devices(): readonly Device[] {
    this.#renumber();
    return this.#members
      .flatMap(({ source, map }) => source.devices().map((device) => map.device(device)))
      .sort((a, b) => a.index - b.index);
  }

  async sample(at: Millis): Promise<Tick | null> {
    const now = this.#clock.monotonic();
    const asked = this.#members.filter(({ busySince }) => busySince === null);
    for (const member of this.#members) member.ask(at, now, () => this.#settled?.());
    await this.#wait(asked);
    if (this.#isClosed) return null;
    this.#renumber();
    const ticks = this.#members.flatMap((member) => {
      const { tick } = member;
      member.tick = null;
      return tick === null ? [] : [{ member, tick }];
    });
    const failure = this.#members.find((member) => member.failure !== null)?.failure ?? null;
    // Only where nobody has anything: what fails beside others is told by a notice.
    if (ticks.length === 0 && failure !== null) throw failure;
    return merge(ticks, at, now);
  }

  notices(): readonly Notice[] {
    const now = this.#clock.monotonic();
    return [
      ...this.#members.flatMap(({ source, map }) => source.notices().map((notice) => map.notice(notice, source))),
      ...this.#members.flatMap((member) => stateOf(member, now)),
      ...this.#missing.map(({ name, reason, isRemark }): Notice => {
        const notice: Notice = { key: 'notice.source-missing', params: { name, code: reason.code } };
        return isRemark ? { ...notice, isRemark } : notice;
      }),
    ];
  }

  topology(): readonly TopologyLink[] {
    return this.#members.flatMap(({ source }) => source.topology?.() ?? []);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopRetry();
    this.#settled?.();
    await Promise.allSettled(this.#members.map(({ source }) => source.close()));
  }

  /**
   * Waits until everybody who was asked has answered, but no longer than there is patience. Where nobody has a tick by
   * then, it goes on waiting for the first: a tick without devices would hide that nothing answers.
   */
  #wait(asked: readonly Member[]): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const isFirst = this.#members.some((member) => asked.includes(member) && !member.hasAnswered);
    let isPatient = true;
    const check = (): void => {
      const isIdle = this.#members.every(({ busySince }) => busySince === null);
      const hasTick = this.#members.some(({ tick }) => tick !== null);
      const isAnswered = asked.every(({ busySince }) => busySince === null);
      if (this.#isClosed || isIdle || (hasTick && (isAnswered || !isPatient))) resolve();
    };
    const stop = this.#clock.after(isFirst ? FIRST_PATIENCE_MS : this.#patienceMs, () => {
      isPatient = false;
      check();
    });
    this.#settled = check;
    check();
    return promise.finally(() => {
      stop();
      this.#settled = null;
    });
  }

  /** The first member's devices keep their indexes; the others' follow in order. */
  #renumber(): void {
    let next = 0;
    for (const [order, { source, map }] of this.#members.entries()) {
      next = map.update(source.devices(), order === 0 ? null : next);
    }
  }

  async #retry(): Promise<void> {
    if (this.#isRetrying) return;
    this.#isRetrying = true;
    for (const entry of [...this.#missing]) await this.#look(entry);
    this.#isRetrying = false;
    if (this.#missing.length === 0) this.#stopRetry();
  }

  async #look(entry: MissingSource): Promise<void> {
    const probe = await entry.open();
    if (!probe.ok) return;
    if (this.#isClosed) {
      await probe.source.close();
      return;
    }
    const member = new Member(probe.source);
    if (entry.isFirst) this.#members.unshift(member);
    else this.#members.push(member);
    this.#missing = this.#missing.filter((other) => other !== entry);
  }
}

/** One tick out of several. The time is that of the question; only differences of the monotonic time mean something. */
function merge(ticks: readonly { member: Member; tick: Tick }[], at: Millis, monotonic: number): Tick {
  const devices: DeviceSample[] = [];
  const events: GpuEvent[] = [];
  let host: HostSample | undefined;
  for (const { member, tick } of ticks) {
    for (const sample of tick.devices) devices.push({ ...sample, device: member.map.device(sample.device) });
    for (const event of tick.events) events.push(member.map.event(event));
    host ??= tick.host;
  }
  events.sort((a, b) => a.at - b.at);
  return { at, monotonic, devices, events, ...(host === undefined ? {} : { host }) };
}

function stateOf({ source: { name }, busySince, failure }: Member, now: number): Notice[] {
  if (failure !== null) return [{ key: 'notice.source-failed', params: { name, code: failure.code } }];
  if (busySince === null || now - busySince < LATE_MS) return [];
  return [{ key: 'notice.source-late', params: { name, seconds: Math.round((now - busySince) / 1000) } }];
}
