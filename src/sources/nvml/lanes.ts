import type { Clock } from '../../model/clock.ts';
import type { Device } from '../../model/device.ts';
import { driverHang, type Hang } from './exit.ts';
import { holds, shareWith, shareWithout } from './gpu-share.ts';
import { Lane, PROMPT_MS } from './lane.ts';
import type { GpuRef, Share } from './protocol.ts';
import type { SymbolName } from './symbols.ts';
import type { LinkOptions } from './worker-link.ts';

/** How long is waited for what, in milliseconds. */
export interface Patience {
  /** A call on a GPU that lasts longer moves the other GPUs to another worker. */
  readonly hangMs: number;
  /** The same while GPUs are opened, which takes seconds where the driver has to wake them. */
  readonly openHangMs: number;
  /** With a call that hangs and nothing to show, waiting ends after so long. */
  readonly muteMs: number;
  /** GPUs that have been quick for so long are read by one worker again. */
  readonly calmMs: number;
}

export interface LanesOptions {
  readonly clock: Clock;
  readonly worker: Omit<LinkOptions, 'known' | 'share' | 'asksXids'>;
  readonly patience: Patience;
}

/** Threads at most. If more GPUs hang than this, the driver hangs as a whole. */
const MAX_LANES = 9;
/** Threads at most among which GPUs are shared out that are merely slow. */
const MAX_SHARED_LANES = 8;
/** GPUs of one lane that take longer than this together, several times in a row, are shared out. */
const SHARE_OUT_MS = 600;
const SHARE_OUT_AFTER = 2;
/** So slow that once is enough. */
const HOPELESS_MS = 4 * SHARE_OUT_MS;
/** Once waiting was in vain, so that what is told of a driver that does not answer is never older than this. */
const IMPATIENT_MS = 1000;
/** How often a worker that does not answer is looked at. */
const LOOK_MS = 100;

/** The one call that is made for Xids in every tick. */
const XID_CALL: SymbolName = 'nvmlEventSetWait_v2';

const EVERYTHING: Share = { kind: 'all-but', gpus: [] };

/** A lane that takes GPUs over from another as soon as it has opened them. */
interface Handover {
  readonly from: Lane;
  readonly to: Lane;
}

/**
 * The workers among which the GPUs are shared out. Normally there is one, the main lane, which also looks for GPUs that
 * come and go. A GPU that hangs is left to the worker that hangs on it, and the others go on in a new one; GPUs that are
 * slow together are split among several; once all are quick again they come back to the main lane.
 */
export class Lanes {
  readonly #options: LanesOptions;
  #lanes: Lane[] = [];
  #handovers: readonly Handover[] = [];
  /** Times in a row that a lane was too slow. */
  readonly #slowTimes = new WeakMap<Lane, number>();
  /** When a lane was opened last: until it has had its time, there may be something to show soon. */
  #openedAt = 0;
  #signal = Promise.withResolvers<void>();
  #isClosed = false;
  #asksXids = true;
  /** Set while rounds have ended with nothing to show: the next ones do not wait as long. */
  isImpatient = false;

  constructor(options: LanesOptions) {
    this.#options = options;
  }

  /** Null before the first start and after it has ended. */
  get main(): Lane | null {
    return this.#lanes[0] ?? null;
  }

  get all(): readonly Lane[] {
    return this.#lanes;
  }

  start(known: readonly Device[]): Lane {
    const lane = this.#open(EVERYTHING, known);
    this.#lanes.unshift(lane);
    return lane;
  }

  /** Every device of every lane, each once. */
  devices(): readonly Device[] {
    const byUuid = new Map<string, Device>();
    for (const lane of this.#lanes) for (const device of lane.devices) byUuid.set(device.uuid, device);
    for (const unseen of this.main?.unseen ?? []) {
      const lane = this.#lanes.find(({ share }) => share.kind === 'only' && holds(share, unseen));
      if (lane !== undefined && lane.devices.length === 0) byUuid.set(unseen.uuid, unseen);
    }
    return [...byUuid.values()].sort((a, b) => a.index - b.index);
  }

  /** Calls that do not return, longest first. */
  hangs(): readonly Hang[] {
    return this.#lanes.flatMap(({ hang }) => (hang === null ? [] : [hang])).sort((a, b) => a.since - b.since);
  }

  /** Waits until the main lane is open or has ended, but not longer than `limitMs`. */
  async opened(limitMs: number): Promise<void> {
    const started = this.#now();
    while (!this.#isClosed && this.main !== null && !this.main.isOpen && this.main.end === null) {
      if (this.#now() - started >= limitMs) return;
      await this.#news();
    }
  }

  /**
   * Asks every lane for a tick and waits for those that answer promptly. Afterwards some lane has an answer, or the main
   * lane has ended, or calls hang and there is nothing to show.
   */
  async round(): Promise<void> {
    const started = this.#now();
    this.#rearrange(started);
    const asked: Lane[] = [];
    for (;;) {
      this.#askAll(asked);
      if (this.#isClosed || this.#isEnough(started)) return;
      await this.#news();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#signal.resolve();
    await this.clear();
  }

  /** Closes every lane, so that nothing of the driver is held. */
  async clear(): Promise<void> {
    const lanes = [...this.#lanes];
    lanes.push(...this.#handovers.map(({ to }) => to));
    this.#lanes = [];
    this.#handovers = [];
    await Promise.all(lanes.map((lane) => lane.close()));
  }

  #askAll(asked: Lane[]): void {
    for (const lane of this.#lanes) {
      if (lane.isBusy || !lane.isOpen || asked.includes(lane)) continue;
      asked.push(lane);
      lane.ask(this.#now());
    }
  }

  #isEnough(started: number): boolean {
    if (this.main === null || this.main.end !== null) return true;
    const busy = this.#lanes.filter(({ isBusy }) => isBusy);
    if (busy.length === 0) return true;
    const now = this.#now();
    if (this.#lanes.some((lane) => lane.hasAnswer())) {
      return now - started >= PROMPT_MS || busy.every(({ isLate }) => isLate);
    }
    const muteMs = now - Math.max(started, this.#openedAt);
    const limitMs = this.isImpatient ? IMPATIENT_MS : this.#options.patience.muteMs;
    return muteMs >= limitMs && busy.some(({ hang }) => hang !== null);
  }

  /** Resolves when a worker has said something, or after a short while, when those that have not are looked at. */
  async #news(): Promise<void> {
    const { promise, resolve } = this.#signal;
    const stop = this.#options.clock.after(LOOK_MS, resolve);
    await promise;
    stop();
    this.#signal = Promise.withResolvers();
    for (const lane of [...this.#lanes]) if (lane.isBusy) this.#look(lane);
  }

  #look(lane: Lane): void {
    const { hangMs, openHangMs } = this.#options.patience;
    const hang = lane.look();
    const limitMs = lane.isOpen ? hangMs : openHangMs;
    if (this.#now() - hang.since < limitMs) {
      // The call that hung has returned, and the next ones do not.
      if (lane.hang !== null && lane.hang.since < hang.since) lane.noteReturn();
      // No call hangs, but one GPU takes its time: the others need not wait.
      if (lane.isOpen && hang.gpu >= 0 && this.#now() - lane.gpuSince >= limitMs) this.#leaveBehind(lane, hang.gpu);
      return;
    }
    if (hang.call === XID_CALL) {
      this.#stopXids(lane, hang);
      return;
    }
    // Between two calls it is this machine that is busy, not the driver.
    if (hang.gpu >= 0 && !hang.isInCall) return;
    // A driver that took its time to start may have a GPU that hangs all the same.
    const isKnown = lane.hang !== null && lane.hang.gpu === hang.gpu;
    lane.noteHang(hang);
    if (!isKnown && hang.gpu >= 0 && driverHang() === null) this.#leaveBehind(lane, hang.gpu);
  }

  /** Lets the other GPUs of a lane go on without one, unless there are none, or too many threads already. */
  #leaveBehind(lane: Lane, index: number): void {
    const isAlone = lane.share.kind === 'only' && lane.share.gpus.length === 1;
    if (!isAlone && this.#lanes.length < MAX_LANES) this.#isolate(lane, index);
  }

  /** Asking for Xids is not to wait, but does: a worker that does not ask takes the place of this one. */
  #stopXids(lane: Lane, hang: Hang): void {
    lane.noteHang(hang);
    this.#asksXids = false;
    this.#cancelHandovers(lane);
    void lane.close();
    this.#lanes.splice(this.#lanes.indexOf(lane), 1, this.#open(lane.share, lane.devices));
  }

  /** Leaves a lane the GPU on which it hangs, and opens another for the rest of its share. */
  #isolate(lane: Lane, index: number): void {
    const device = lane.devices.find((candidate) => candidate.index === index);
    const gpu: GpuRef = { index, uuid: device?.uuid ?? null };
    const rest = shareWithout(lane.share, [gpu]);
    const others = lane.devices.filter((other) => other !== device);
    this.#cancelHandovers(lane);
    lane.restrictTo(gpu);
    const position = this.#lanes.indexOf(lane);
    this.#lanes.splice(position, 1, this.#open(rest, others));
    this.#lanes.push(lane);
  }

  #rearrange(now: number): void {
    // As nearly always: one lane, and it is quick.
    if (this.#lanes.length === 1 && this.#handovers.length === 0 && this.#lanes[0]!.costs === null) {
      this.#slowTimes.delete(this.#lanes[0]!);
      return;
    }
    for (const lane of this.#lanes.slice(1)) if (lane.end !== null) this.#giveBack(lane);
    this.#nameUnknown();
    this.#finishHandovers();
    if (this.#handovers.length > 0) return;
    for (const lane of [...this.#lanes]) if (this.#isTooSlow(lane)) this.#shareOut(lane);
    this.#mergeCalm(now);
  }

  /** A GPU that hung before anybody knew who it is, and has told since. */
  #nameUnknown(): void {
    for (const lane of this.#lanes.slice(1)) {
      const [gpu] = lane.share.gpus;
      const [device] = lane.devices;
      if (!lane.isOpen || gpu?.uuid !== null || device === undefined) continue;
      const named = { index: gpu.index, uuid: device.uuid };
      lane.share = { kind: 'only', gpus: [named] };
      this.main?.reshare(shareWithout(shareWith(this.main.share, [gpu]), [named]));
    }
  }

  #isTooSlow(lane: Lane): boolean {
    if (lane.costs === null) {
      this.#slowTimes.delete(lane);
      return false;
    }
    const cost = costOf(lane).reduce((sum, { ms }) => sum + ms, 0);
    const isSlow = cost > SHARE_OUT_MS && lane.hang === null && costOf(lane).length > 1;
    const weight = cost > HOPELESS_MS ? SHARE_OUT_AFTER : 1;
    const times = isSlow ? (this.#slowTimes.get(lane) ?? 0) + weight : 0;
    this.#slowTimes.set(lane, times);
    return times >= SHARE_OUT_AFTER && this.#lanes.length < MAX_SHARED_LANES;
  }

  /** Opens as many lanes more as the GPUs of one need to be read in time, and gives each its part of the cost. */
  #shareOut(lane: Lane): void {
    const costs = [...costOf(lane)].sort((a, b) => b.ms - a.ms);
    const total = costs.reduce((sum, { ms }) => sum + ms, 0);
    const wanted = Math.min(Math.ceil(total / SHARE_OUT_MS), MAX_SHARED_LANES - this.#lanes.length + 1, costs.length);
    const parts = Array.from({ length: wanted }, () => ({ ms: 0, devices: [] as Device[] }));
    for (const { device, ms } of costs) {
      const lightest = parts.reduce((a, b) => (b.ms < a.ms ? b : a));
      lightest.devices.push(device);
      lightest.ms += ms;
    }
    this.#slowTimes.set(lane, 0);
    const opened = parts.slice(1).map(({ devices }) => {
      const gpus = devices.map(({ index, uuid }) => ({ index, uuid }));
      return { from: lane, to: this.#open({ kind: 'only', gpus }, devices) };
    });
    this.#handovers = [...this.#handovers, ...opened];
  }

  #finishHandovers(): void {
    if (this.#handovers.length === 0) return;
    const done = this.#handovers.filter(({ to }) => to.isOpen || to.end !== null);
    this.#handovers = this.#handovers.filter((handover) => !done.includes(handover));
    for (const { from, to } of done) {
      if (to.end !== null) {
        void to.close();
        continue;
      }
      from.reshare(shareWithout(from.share, to.share.gpus));
      this.#lanes.push(to);
    }
  }

  /** What was to be taken from a lane stays in it. */
  #cancelHandovers(from: Lane): void {
    for (const handover of this.#handovers) if (handover.from === from) void handover.to.close();
    this.#handovers = this.#handovers.filter((handover) => handover.from !== from);
  }

  #mergeCalm(now: number): void {
    const isCalm = (lane: Lane): boolean =>
      lane.isOpen && lane.hang === null && now - lane.calmSince >= this.#options.patience.calmMs;
    if (this.main === null || !isCalm(this.main)) return;
    const lane = this.#lanes.slice(1).find(isCalm);
    if (lane !== undefined) this.#giveBack(lane);
  }

  /** Lets the main lane read the GPUs of a lane that is not needed, or has ended. */
  #giveBack(lane: Lane): void {
    this.#lanes = this.#lanes.filter((other) => other !== lane);
    void lane.close();
    this.main?.reshare(shareWith(this.main.share, lane.share.gpus));
  }

  #open(share: Share, known: readonly Device[]): Lane {
    const { clock, worker } = this.#options;
    this.#openedAt = clock.monotonic();
    return new Lane({ ...worker, share, known, asksXids: this.#asksXids }, clock, () => this.#signal.resolve());
  }

  #now(): number {
    return this.#options.clock.monotonic();
  }
}

/** What reading each card of a lane costs; one that has not been read yet costs as much as the others. */
function costOf({ costs, workerDevices }: Lane): readonly { readonly device: Device; readonly ms: number }[] {
  if (costs === null) return [];
  const known = costs.filter((ms) => ms > 0);
  const usual = known.reduce((sum, ms) => sum + ms, 0) / Math.max(1, known.length);
  return workerDevices
    .map((device, position) => ({ device, ms: costs[position] || usual }))
    .filter(({ device }) => isCard(device));
}

/** MIG instances go where their card goes. */
function isCard({ mig }: Device): boolean {
  return mig === undefined;
}
