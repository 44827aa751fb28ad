import { CODE } from './abi.ts';
import type { Gpu } from './gpu.ts';
import type { Handle, Nvml } from './nvml.ts';
import type { XidSeen } from './protocol.ts';
import { symbol } from './symbols.ts';

const CREATE = symbol('nvmlEventSetCreate');
const FREE = symbol('nvmlEventSetFree');
const SUPPORTED = symbol('nvmlDeviceGetSupportedEventTypes');
const REGISTER = symbol('nvmlDeviceRegisterEvents');
const WAIT = symbol('nvmlEventSetWait_v2');

/** The bit of an Xid among the types of events. */
const XID_EVENT = 0x8;

/** Layout of nvmlEventData_t, in bytes. */
const DATA = { type: 8, number: 16, gpuInstance: 24 } as const;

/** Beyond it the number is a sentinel, not an Xid. */
const LARGEST_XID = 9999;

/** The instance of an event that is about no MIG instance. */
const NO_INSTANCE = 0xffffffff;

/** A storm of Xids must not keep a tick from ending; the rest comes with the next one. */
const MOST_PER_POLL = 32;

/** After an error the events are registered for anew, but no sooner: a lost GPU gives the error for ever. */
const PAUSE_MS = 10_000;

/**
 * Asks in every tick which Xids the driver has to report, without waiting for one: one call for all GPUs, no thread of
 * its own, and Xids are known where the kernel log may not be read.
 */
export class XidPoll {
  #set: Handle = 0;
  /** The GPUs that are registered, by their handles. */
  #handles: readonly Handle[] = [];
  #pausedUntil = Number.NEGATIVE_INFINITY;
  /** This library has no events, or none of these GPUs has. */
  #isOff = false;

  /** The Xids since the last time; null where there are none, as nearly always. */
  poll(nvml: Nvml, gpus: readonly Gpu[], now: number): readonly XidSeen[] | null {
    if (now < this.#pausedUntil) return null;
    if (!this.#isCurrent(gpus)) this.#register(nvml, gpus);
    if (this.#isOff) return null;
    let seen: XidSeen[] | null = null;
    for (let i = 0; i < MOST_PER_POLL; i++) {
      const code = nvml.call(WAIT, this.#set, nvml.out, 0);
      if (code === CODE.timeout) return seen;
      if (code !== CODE.ok) {
        this.#isOff = code === CODE.functionNotFound || code === CODE.notSupported;
        this.#free(nvml);
        this.#pausedUntil = now + PAUSE_MS;
        return seen;
      }
      const xid = eventIn(nvml, gpus);
      if (xid !== null) seen = [...(seen ?? []), xid];
    }
    return seen;
  }

  /** Begins anew with the next poll. To be called before the library is shut down. */
  release(nvml: Nvml): void {
    this.#free(nvml);
    this.#pausedUntil = Number.NEGATIVE_INFINITY;
  }

  #free(nvml: Nvml): void {
    if (this.#set !== 0) nvml.call(FREE, this.#set);
    this.#set = 0;
    this.#handles = [];
  }

  #isCurrent(gpus: readonly Gpu[]): boolean {
    let position = 0;
    for (let i = 0; i < gpus.length; i++) {
      const gpu = gpus[i]!;
      if (gpu.closed !== 0 || gpu.device.mig !== undefined) continue;
      if (this.#handles[position++] !== gpu.handle) return false;
    }
    return position > 0 && position === this.#handles.length;
  }

  #register(nvml: Nvml, gpus: readonly Gpu[]): void {
    this.#free(nvml);
    this.#isOff = true;
    const open = gpus.filter(({ closed, device }) => closed === 0 && device.mig === undefined);
    this.#handles = open.map(({ handle }) => handle);
    if (nvml.call(CREATE, nvml.out) !== CODE.ok) return;
    this.#set = nvml.handle();
    for (const { handle } of open) {
      // Asking for an event that a GPU does not have would be refused as a whole.
      const hasXids = nvml.call(SUPPORTED, handle, nvml.out) === CODE.ok && (nvml.out[0]! & XID_EVENT) !== 0;
      if (hasXids && nvml.call(REGISTER, handle, XID_EVENT, this.#set) === CODE.ok) this.#isOff = false;
    }
  }
}

function eventIn(nvml: Nvml, gpus: readonly Gpu[]): XidSeen | null {
  if (nvml.u64(DATA.type) !== XID_EVENT || nvml.u64(DATA.number) > LARGEST_XID) return null;
  const handle = nvml.handle();
  const gpu = gpus.find((candidate) => candidate.handle === handle);
  const instance = nvml.out[DATA.gpuInstance / 4]!;
  return {
    uuid: gpu?.device.uuid ?? null,
    xid: nvml.u64(DATA.number),
    gpuInstance: instance === NO_INSTANCE ? null : instance,
  };
}
