import type { Clock } from '../../model/clock.ts';
import type { Device } from '../../model/device.ts';
import type { TopologyLink } from '../../model/ports.ts';
import type { DeviceDetails } from '../../model/tick.ts';
import type { Hang } from './exit.ts';
import { holds } from './gpu-share.ts';
import { type Failure, type GpuRef, NO_NEWS, type Reply, type Share, type TickReply } from './protocol.ts';
import { type LinkOptions, WorkerLink } from './worker-link.ts';

/** A lane that took longer than this the last time is not waited for: its GPUs ride on a later tick. */
export const PROMPT_MS = 800;

/** How a lane ended, other than by being closed. */
export type LaneEnd =
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'died'; readonly detail: string };

/**
 * A share of the GPUs and the worker that reads it. GPUs on which calls hang, or last long, get a lane of their own, so
 * that the others do not wait for them.
 */
export class Lane {
  share: Share;
  readonly #clock: Clock;
  readonly #link: WorkerLink;
  /** What the worker lists, in its order. */
  #devices: readonly Device[];
  #isOpen = false;
  #library: string | null = null;
  #unseen: readonly Device[] = [];
  #details: readonly (DeviceDetails | null)[] = [];
  #topology: readonly TopologyLink[] = [];
  #answer: TickReply | null = null;
  #end: LaneEnd | null = null;
  #hang: Hang | null = null;
  /** The reply under way is of a tick in which a call hung: its parts are of different times. */
  #isOutdated = false;
  #newShare: Share | null = null;
  #askedAt = 0;
  #lastedMs = 0;
  #costs: readonly number[] | null = null;
  #calmSince: number;

  constructor(options: LinkOptions, clock: Clock, wake: () => void) {
    this.share = options.share;
    this.#devices = options.known;
    this.#clock = clock;
    this.#calmSince = clock.monotonic();
    this.#link = new WorkerLink(options, clock, {
      reply: (reply) => {
        this.#receive(reply);
        wake();
      },
      died: (detail) => {
        this.#end ??= { kind: 'died', detail };
        wake();
      },
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get isBusy(): boolean {
    return this.#end === null && this.#link.isBusy;
  }

  get end(): LaneEnd | null {
    return this.#end;
  }

  /** The file that was loaded; null while none is. */
  get library(): string | null {
    return this.#library;
  }

  /** The call that does not return; null where none is known to. */
  get hang(): Hang | null {
    return this.#hang;
  }

  /** True where its answer is not to be waited for. */
  get isLate(): boolean {
    return this.#hang !== null || this.#lastedMs > PROMPT_MS;
  }

  /** Milliseconds that each of its GPUs costs, or null where all together cost little. */
  get costs(): readonly number[] | null {
    return this.#costs;
  }

  /** Since when, on the monotonic clock, nothing was slow. */
  get calmSince(): number {
    return this.#calmSince;
  }

  /** Its devices as the worker has them: positions in a reply are positions here. */
  get workerDevices(): readonly Device[] {
    return this.#devices;
  }

  get devices(): readonly Device[] {
    return this.#devices.filter((device) => holds(this.share, device));
  }

  /** What does not fit into one number per metric, by position like {@link workerDevices}. */
  get details(): readonly (DeviceDetails | null)[] {
    return this.#details;
  }

  /** How its GPUs are joined. */
  get topology(): readonly TopologyLink[] {
    return this.#topology;
  }

  /** Devices left to other lanes before anybody knew them, as far as the kernel tells. */
  get unseen(): readonly Device[] {
    return this.#unseen;
  }

  /** Asks for a tick, unless it is busy or not open. */
  ask(now: number): void {
    if (!this.#isOpen || this.isBusy || this.#end !== null) return;
    this.#link.send({ type: 'sample', now, share: this.#newShare });
    this.#newShare = null;
    this.#askedAt = now;
  }

  /** The newest tick, once. */
  take(): TickReply | null {
    const answer = this.#answer;
    this.#answer = null;
    return answer;
  }

  hasAnswer(): boolean {
    return this.#answer !== null;
  }

  /** What a busy lane is doing. */
  look(): Hang {
    return this.#link.look();
  }

  /** Since when a busy lane has been reading the GPU of the last look. */
  get gpuSince(): number {
    return this.#link.gpuSince;
  }

  noteHang(hang: Hang): void {
    this.#hang = hang;
    this.#isOutdated = this.#isOpen;
    this.#link.noteHang(hang);
  }

  /** The call that hung has returned; what it was part of goes on. */
  noteReturn(): void {
    this.#hang = null;
    this.#link.noteReturn();
  }

  /** Leaves it the GPU on which it hangs, and tells the worker so, should it come back. */
  restrictTo(gpu: GpuRef): void {
    this.share = { kind: 'only', gpus: [gpu] };
    this.#link.restrict(gpu.index);
  }

  /** Gives it another share from its next tick on. */
  reshare(share: Share): void {
    this.share = share;
    this.#newShare = share;
  }

  close(): Promise<void> {
    return this.#link.close();
  }

  #receive(reply: Reply): void {
    this.#hang = null;
    if (reply.type === 'failed') {
      this.#end = { kind: 'failed', failure: reply.failure };
      void this.#link.close();
      return;
    }
    if (reply.type === 'opened') {
      this.#isOpen = true;
      this.#devices = reply.devices;
      this.#unseen = reply.unseen;
      this.#library = reply.library;
      return;
    }
    const { devices, details, topology, costs } = reply.news ?? NO_NEWS;
    if (devices !== null) this.#devices = devices;
    if (details !== null) this.#details = details;
    if (topology !== null) this.#topology = topology;
    const now = this.#clock.monotonic();
    this.#lastedMs = now - this.#askedAt;
    this.#costs = costs;
    if (costs !== null || this.#isOutdated) this.#calmSince = now;
    if (!this.#isOutdated) this.#answer = reply;
    this.#isOutdated = false;
  }
}
