import type { Device } from '../../model/device.ts';
import type { Notice } from '../../model/ports.ts';
import type { Hang } from './exit.ts';
import type { SkippedGpu } from './protocol.ts';
import type { WorkerLink } from './worker-link.ts';

interface HungGpu {
  readonly index: number;
  /** Null until somebody knows who it is. */
  device: Device | null;
  /** The worker that hangs on it. */
  link: WorkerLink;
  hang: Hang;
}

/** The GPUs on which a driver call hangs: left out by the worker in use, listed all the same, and retried rarely. */
export class HungGpus {
  #gpus: HungGpu[] = [];
  readonly #retryMs: number;

  constructor(retryMs: number) {
    this.#retryMs = retryMs;
  }

  add(hang: Hang, device: Device | null, link: WorkerLink): void {
    const known = this.#gpus.find(({ index }) => index === hang.gpu);
    if (known === undefined) this.#gpus.push({ index: hang.gpu, device, link, hang });
    else Object.assign(known, { link, hang });
  }

  /** Takes note of who the GPUs are that hung before they were known. */
  describe(devices: readonly Device[]): void {
    for (const gpu of this.#gpus) gpu.device ??= devices.find(({ index }) => index === gpu.index) ?? null;
  }

  /** Those whose call has returned since, and which have been left in peace for long enough. */
  due(now: number): readonly string[] {
    return this.#gpus
      .filter(({ link, hang }) => link.hasEnded && now - hang.since >= this.#retryMs)
      .flatMap(({ device }) => (device === null ? [] : [device.uuid]));
  }

  remove(uuids: readonly string[]): void {
    if (uuids.length > 0) this.#gpus = this.#gpus.filter(({ device }) => !uuids.includes(device?.uuid ?? ''));
  }

  has(uuid: string): boolean {
    return this.#gpus.some(({ device }) => device?.uuid === uuid);
  }

  /** The call that has hung for longest; null where none does. */
  longest(): Hang | null {
    return this.#gpus[0]?.hang ?? null;
  }

  skipped(): readonly SkippedGpu[] {
    return this.#gpus.map(({ index, device }) => ({ index, uuid: device?.uuid ?? null }));
  }

  devices(): readonly Device[] {
    return this.#gpus.flatMap(({ device }) => (device === null ? [] : [device]));
  }

  notices(): readonly Notice[] {
    return this.#gpus.map(({ index, hang }) => ({ key: 'notice.gpu-hangs', params: { index, call: hang.call } }));
  }
}
