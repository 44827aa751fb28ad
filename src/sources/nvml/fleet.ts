import type { Device } from '../../model/device.ts';
import { CODE, type Code, ENABLED, GPU_SENSOR } from './abi.ts';
import { isDriverFailure, isLost, runReader } from './answers.ts';
import type { Driver } from './driver.ts';
import { Gpu } from './gpu.ts';
import { identify, unopened } from './identity.ts';
import { type KernelGpu, readKernelGpus } from './kernel-view.ts';
import type { Plan } from './plan.ts';
import { NONE } from './progress.ts';
import type { SkippedGpu } from './protocol.ts';
import { codeOf } from './row.ts';
import { symbol } from './symbols.ts';

const COUNT = [symbol('nvmlDeviceGetCount_v2'), symbol('nvmlDeviceGetCount')];
const HANDLE_BY_INDEX = [symbol('nvmlDeviceGetHandleByIndex_v2'), symbol('nvmlDeviceGetHandleByIndex')];
const NUM_FANS = symbol('nvmlDeviceGetNumFans');
const MIG_MODE = symbol('nvmlDeviceGetMigMode');
const TEMPERATURE = symbol('nvmlDeviceGetTemperature');

const LOST = codeOf('gpu-lost');
const ERROR = codeOf('error');

/** How often a GPU that is lost or cannot be opened is looked at again. */
const PROBE_MS = 10_000;

/** Every GPU that was ever seen, in the order of their indexes, and how they come and go. */
export class Fleet {
  readonly gpus: Gpu[] = [];
  /** Set when a GPU came, or is known better than before; whoever reports it resets it. */
  isChanged = true;
  readonly #plan: Plan;
  readonly #kernelGpus: string;
  #skipped: readonly SkippedGpu[];
  /** What the driver counted when the indexes were last gone through. */
  #count = 0;

  constructor(plan: Plan, options: { known: readonly Device[]; skip: readonly SkippedGpu[]; kernelGpus: string }) {
    this.#plan = plan;
    this.#kernelGpus = options.kernelGpus;
    this.#skipped = options.skip;
    for (const device of options.known) {
      const gpu = this.#add(device);
      gpu.close(LOST, Number.POSITIVE_INFINITY);
    }
  }

  /** Goes through the indexes and opens what is new. Devices are told by UUID, since indexes move. */
  enumerate(driver: Driver, now: number): Code {
    const { nvml } = driver;
    nvml.progress.setGpu(NONE);
    const code = nvml.callFirst(COUNT, nvml.out);
    if (code !== CODE.ok) return code;
    this.#count = nvml.out[0]!;
    const found = new Set<Gpu>();
    const failed: { index: number; code: Code }[] = [];
    for (let index = 0; index < this.#count; index++) {
      if (this.#skipped.some((skipped) => skipped.index === index)) continue;
      nvml.progress.setGpu(index);
      const opened = nvml.callFirst(HANDLE_BY_INDEX, index, nvml.out);
      const gpu = opened === CODE.ok ? this.#admit(driver, index, now) : null;
      if (gpu !== null) found.add(gpu);
      else failed.push({ index, code: opened === CODE.ok ? CODE.gpuIsLost : opened });
    }
    this.#admitFailed(driver, failed, found, now);
    for (const gpu of this.gpus) if (!found.has(gpu)) this.#remove(gpu);
    this.gpus.sort((a, b) => a.device.index - b.device.index);
    return code;
  }

  /** Looks whether a GPU was plugged in or pulled out. */
  checkCount(driver: Driver, now: number): void {
    const { nvml } = driver;
    nvml.progress.setGpu(NONE);
    if (nvml.callFirst(COUNT, nvml.out) === CODE.ok && nvml.out[0] !== this.#count) this.enumerate(driver, now);
  }

  /** Takes GPUs that were left out because they hang back in. */
  resume(driver: Driver, uuids: readonly string[], now: number): void {
    this.#skipped = this.#skipped.filter(({ uuid }) => uuid === null || !uuids.includes(uuid));
    this.enumerate(driver, now);
  }

  /** The GPUs that were left out before anybody knew who they are, by what the kernel tells. */
  describeSkipped({ version }: Driver): readonly Device[] {
    const nameless = this.#skipped.filter(({ uuid }) => uuid === null);
    if (nameless.length === 0) return [];
    const seen = readKernelGpus(this.#kernelGpus);
    const isComplete = seen.length === this.#count;
    const devices = nameless.map(({ index }) => unopened(index, isComplete ? seen[index]! : null, version));
    this.#skipped = this.#skipped.map((skipped) => ({
      index: skipped.index,
      uuid: skipped.uuid ?? devices.find(({ index }) => index === skipped.index)!.uuid,
    }));
    return devices;
  }

  lose(gpu: Gpu, now: number): void {
    gpu.close(LOST, now + PROBE_MS);
  }

  /** It is no longer counted: only a change of the count can bring it back. */
  #remove(gpu: Gpu): void {
    gpu.close(LOST, Number.POSITIVE_INFINITY);
  }

  /** Looks at a closed GPU again, with one cheap call. */
  probe(driver: Driver, gpu: Gpu, now: number): void {
    const { nvml } = driver;
    gpu.nextProbe = now + PROBE_MS;
    nvml.progress.setGpu(gpu.device.index);
    if (gpu.handle === 0) {
      if (nvml.callFirst(HANDLE_BY_INDEX, gpu.device.index, nvml.out) === CODE.ok) this.enumerate(driver, now);
      return;
    }
    const code = nvml.call(TEMPERATURE, gpu.handle, GPU_SENSOR, nvml.out);
    if (isLost(code) || isDriverFailure(code)) return;
    // It was lost before anybody could ask who it is.
    if (gpu.device.uuidIsDerived === true) gpu.handle = 0;
    if (gpu.handle === 0) this.enumerate(driver, now);
    else this.#prime(driver, gpu, now);
  }

  /** The library is closed, and with it every handle. */
  voidHandles(): void {
    for (const gpu of this.gpus) {
      gpu.handle = 0;
      if (gpu.closed === 0) gpu.close(ERROR, Number.POSITIVE_INFINITY);
    }
  }

  readMigMode({ nvml }: Driver, gpu: Gpu): void {
    if (!gpu.canMig) return;
    const code = nvml.call(MIG_MODE, gpu.handle, nvml.out, nvml.ignored);
    gpu.mig = code === CODE.ok && nvml.out[0] === ENABLED;
    if (code === CODE.notSupported || code === CODE.functionNotFound) gpu.canMig = false;
  }

  #add(device: Device): Gpu {
    const gpu = new Gpu(device, { row: this.#plan.rowSize, readers: this.#plan.readerCount });
    this.gpus.push(gpu);
    this.isChanged = true;
    return gpu;
  }

  /** Null where the GPU answers nothing, not even who it is. */
  #admit(driver: Driver, index: number, now: number): Gpu | null {
    const handle = driver.nvml.handle();
    const device = this.#apartFromTwin(this.#withKnownUuid(identify(driver.nvml, handle, index, driver.version)));
    if (device.uuidIsDerived === true && device.pciBusId === null) return null;
    const placeholder = this.#placeholder(index);
    const known = this.gpus.find((gpu) => gpu.device.uuid === device.uuid);
    if (known !== undefined && placeholder !== undefined && known !== placeholder) {
      this.gpus.splice(this.gpus.indexOf(placeholder), 1);
      this.isChanged = true;
    }
    const gpu = known ?? placeholder ?? this.#add(device);
    const isNew = gpu.closed !== 0 || gpu.handle === 0;
    this.#rename(gpu, device);
    gpu.handle = handle;
    if (isNew) this.#prime(driver, gpu, now);
    return gpu;
  }

  /** A card that does not tell its UUID now, but did before, is known by its place on the bus. */
  #withKnownUuid(device: Device): Device {
    if (device.uuidIsDerived !== true || device.pciBusId === null) return device;
    const known = this.gpus.find((gpu) => gpu.device.pciBusId === device.pciBusId);
    return known === undefined ? device : { ...known.device, index: device.index };
  }

  /** Two open cards with one UUID (an empty one, a cloned board) are told apart by the bus: neither may hide the other. */
  #apartFromTwin(device: Device): Device {
    const { uuid, pciBusId } = device;
    const isTwin = ({ handle, device: other }: Gpu): boolean =>
      handle !== 0 && other.uuid === uuid && other.pciBusId !== null && other.pciBusId !== pciBusId;
    if (pciBusId === null || !this.gpus.some(isTwin)) return device;
    return { ...device, uuid: `${uuid}@${pciBusId}`, uuidIsDerived: true };
  }

  /** The entry that has stood for an index while nobody could tell which card it is. */
  #placeholder(index: number): Gpu | undefined {
    return this.gpus.find((gpu) => gpu.device.index === index && gpu.device.uuidIsDerived === true && gpu.handle === 0);
  }

  #rename(gpu: Gpu, device: Device): void {
    const isSame = JSON.stringify(gpu.device) === JSON.stringify(device);
    if (isSame) return;
    gpu.device = device;
    this.isChanged = true;
  }

  /** Keeps GPUs that are counted and cannot be opened in sight, with what the kernel knows of them. */
  #admitFailed(
    { version }: Driver,
    failed: readonly { index: number; code: Code }[],
    found: Set<Gpu>,
    now: number,
  ): void {
    if (failed.length === 0) return;
    const unclaimed = readKernelGpus(this.#kernelGpus).filter(
      ({ pciBusId }) => ![...found].some(({ device }) => device.pciBusId === pciBusId),
    );
    for (const [order, { index, code }] of failed.entries()) {
      // Both lists are in PCI order: if they are of one length, they are the same cards.
      const seen = unclaimed.length === failed.length ? unclaimed[order]! : null;
      const gpu = this.#unopened(index, seen, version, found);
      found.add(gpu);
      gpu.handle = 0;
      gpu.close(codeOf(closedReason(code)), now + PROBE_MS);
    }
  }

  #unopened(index: number, seen: KernelGpu | null, version: string | null, found: Set<Gpu>): Gpu {
    const device = unopened(index, seen, version);
    const known = this.gpus.find((gpu) => gpu.device.uuid === device.uuid);
    if (known !== undefined) return known;
    const before = seen === null ? this.gpus.find((gpu) => gpu.device.index === index && !found.has(gpu)) : undefined;
    return before ?? this.#add(device);
  }

  /** Begins with a GPU: what is static, and what is slow for a first time, so that its first tick is complete. */
  #prime(driver: Driver, gpu: Gpu, now: number): void {
    const { nvml } = driver;
    gpu.forget();
    const code = nvml.call(NUM_FANS, gpu.handle, nvml.out);
    gpu.fans = code === CODE.ok ? nvml.out[0]! : code === CODE.notSupported ? 0 : null;
    this.readMigMode(driver, gpu);
    for (const reader of [...this.#plan.static, ...this.#plan.slow]) {
      if (!isLost(runReader(nvml, gpu, reader))) continue;
      this.lose(gpu, now);
      return;
    }
  }
}

/** A handle that cannot be had for an unknown reason is a GPU that fell off the bus, as drivers report some of them. */
function closedReason(code: Code): 'no-permission' | 'gpu-lost' | 'error' {
  if (code === CODE.noPermission) return 'no-permission';
  return isLost(code) || code === CODE.unknown ? 'gpu-lost' : 'error';
}
