import type { Clock } from '../../model/clock.ts';
import type { Device } from '../../model/device.ts';
import type { Tick } from '../../model/tick.ts';
import type { Engine } from './engine.ts';
import { type Identity, OWN_SERIES, selector } from './names.ts';

/** How often the engine is told of a device again: more often than any engine forgets. */
const AGAIN_MS = 3_600_000;
/** How far back it is asked for devices. */
const BACK_MS = 400 * 86_400_000;
const ASK_AGAIN_MS = 60_000;

interface Known {
  readonly device: Device;
  readonly text: string;
  /** When the engine was told last, on the monotonic clock. */
  toldAt: number;
}

/** What is known of devices: what this host keeps itself, and what the engine was told by an earlier life of it. */
export class Facts {
  readonly #engine: Engine;
  readonly #identity: Identity;
  readonly #clock: Clock;
  readonly #known = new Map<string, Known>();
  #remote: readonly Device[] | null = null;
  #asking: Promise<void> | null = null;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(engine: Engine, identity: Identity, clock: Clock) {
    this.#engine = engine;
    this.#identity = identity;
    this.#clock = clock;
  }

  /** Devices of a tick that are new or have new facts. */
  changedIn(tick: Tick): readonly Device[] {
    const changed: Device[] = [];
    for (const { device } of tick.devices) {
      const known = this.#known.get(device.uuid);
      if (known?.device === device) continue;
      const text = JSON.stringify(device);
      if (known?.text !== text) changed.push(device);
      this.#known.set(device.uuid, { device, text, toldAt: known?.toldAt ?? Number.NEGATIVE_INFINITY });
    }
    return changed;
  }

  /** Devices of a tick that the engine is to be told of with it. */
  dueIn(tick: Tick, changed: readonly Device[]): readonly Device[] {
    const now = this.#clock.monotonic();
    const due: Device[] = [];
    for (const { device } of tick.devices) {
      const known = this.#known.get(device.uuid);
      if (known === undefined || (now - known.toldAt < AGAIN_MS && !changed.includes(device))) continue;
      known.toldAt = now;
      due.push(device);
    }
    return due;
  }

  /** Devices that this host keeps, with those that only the engine knows, by index. Never waits long for the engine. */
  joined(local: readonly Device[]): readonly Device[] {
    this.#look();
    const own = new Set(local.map(({ uuid }) => uuid));
    const others = (this.#remote ?? []).filter(({ uuid }) => !own.has(uuid));
    if (others.length === 0) return local;
    return [...local, ...others].sort((a, b) => a.index - b.index || (a.uuid < b.uuid ? -1 : 1));
  }

  /** Resolves once the engine has told what it knows; rejects like {@link Engine.query}. */
  async asked(): Promise<void> {
    await this.#ask();
  }

  /** Asks the engine once; where it does not answer, again later. */
  #look(): void {
    const now = this.#clock.monotonic();
    if (this.#remote !== null || this.#asking !== null || now - this.#askedAt < ASK_AGAIN_MS) return;
    this.#askedAt = now;
    this.#asking = this.#ask()
      .catch(() => {})
      .finally(() => {
        this.#asking = null;
      });
  }

  async #ask(): Promise<void> {
    const selected = `${OWN_SERIES.info}${selector(this.#identity, 0, {})}`;
    const results = await this.#engine.query(`max_over_time(${selected}[${BACK_MS}ms])`, this.#clock.now());
    const newest = new Map<string, { readonly at: number; readonly device: Device }>();
    for (const { labels, values } of results) {
      const device = parsed(labels['device']);
      const at = values[0]?.[1] ?? 0;
      if (device !== null && !((newest.get(device.uuid)?.at ?? -1) > at)) newest.set(device.uuid, { at, device });
    }
    this.#remote = [...newest.values()].map(({ device }) => device);
  }
}

/** Null where the text is none of ours, as when a receiver cut it short. */
function parsed(text: string | undefined): Device | null {
  try {
    const device: unknown = JSON.parse(text ?? '');
    return typeof device === 'object' && device !== null && 'uuid' in device ? (device as Device) : null;
  } catch {
    return null;
  }
}
