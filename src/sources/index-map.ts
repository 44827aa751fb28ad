import type { Device } from '../model/device.ts';
import type { GpuEvent } from '../model/event.ts';
import type { Notice, Source } from '../model/ports.ts';

/** Gives the devices of one source the indexes they have among those of several. */
export class IndexMap {
  /** Index per UUID. */
  #indexes: ReadonlyMap<string, number> = new Map();
  /** Devices with their new index, so that a tick does not make them anew. */
  readonly #renumbered = new Map<string, { readonly from: Device; readonly to: Device }>();
  #seen: readonly Device[] = [];
  #start: number | null = null;
  #next = 0;

  /**
   * Learns the devices of the source and gives the first index behind them. From `start` on they are numbered in their
   * order; null leaves them the indexes they have. Instances that share the index of their card go on sharing one.
   */
  update(devices: readonly Device[], start: number | null): number {
    if (start === this.#start && isSame(devices, this.#seen)) return this.#next;
    this.#start = start;
    this.#seen = [...devices];
    const own = [...new Set(devices.map(({ index }) => index))].sort((a, b) => a - b);
    const given = new Map(own.map((index, order) => [index, start === null ? index : start + order]));
    this.#indexes = new Map(devices.map(({ uuid, index }) => [uuid, given.get(index)!]));
    this.#next = Math.max(start ?? 0, ...[...given.values()].map((index) => index + 1));
    return this.#next;
  }

  device(device: Device): Device {
    const index = this.#indexes.get(device.uuid) ?? device.index;
    if (index === device.index) return device;
    const known = this.#renumbered.get(device.uuid);
    if (known?.from === device && known.to.index === index) return known.to;
    const to = { ...device, index };
    this.#renumbered.set(device.uuid, { from: device, to });
    return to;
  }

  /** Events of a device name it by its index. */
  event(event: GpuEvent): GpuEvent {
    const index = event.uuid === null ? undefined : this.#indexes.get(event.uuid);
    if (index === undefined || event.params['index'] === undefined) return event;
    return { ...event, params: { ...event.params, index } };
  }

  /** So do notices. */
  notice(notice: Notice, source: Source): Notice {
    const own = notice.params['index'];
    const device = own === undefined ? undefined : source.devices().find(({ index }) => index === own);
    const index = device === undefined ? undefined : this.#indexes.get(device.uuid);
    return index === undefined || index === own ? notice : { ...notice, params: { ...notice.params, index } };
  }
}

/** Sources may give a new list of the same devices every time. */
function isSame(a: readonly Device[], b: readonly Device[]): boolean {
  return a.length === b.length && a.every(({ uuid, index }, i) => uuid === b[i]!.uuid && index === b[i]!.index);
}
