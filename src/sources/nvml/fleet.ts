import type { Device } from '../../model/device.ts';
import { CODE, type Code, ENABLED, GPU_SENSOR } from './abi.ts';
import { closedReason, isDriverFailure, isLost, runReader } from './answers.ts';
import type { Driver } from './driver.ts';
import { GpmMemory } from './gpm-samples.ts';
import { Gpu } from './gpu.ts';
import { holds, isWhole, mayHold } from './gpu-share.ts';
import { identify, unopened } from './identity.ts';
import { type KernelGpu, readKernelGpus } from './kernel-view.ts';
import { byPlace, listInstances } from './mig.ts';
import type { Nvml } from './nvml.ts';
import type { Plan } from './plan.ts';
import { NONE } from './progress.ts';
import type { Share } from './protocol.ts';
import type { PlannedReader } from './reader.ts';
import { countFans } from './readings/fan.ts';
import { codeOf } from './row.ts';
import { symbol } from './symbols.ts';

const COUNT = [symbol('nvmlDeviceGetCount_v2'), symbol('nvmlDeviceGetCount')];
const HANDLE_BY_INDEX = [symbol('nvmlDeviceGetHandleByIndex_v2'), symbol('nvmlDeviceGetHandleByIndex')];
const MIG_MODE = symbol('nvmlDeviceGetMigMode');
const TEMPERATURE = symbol('nvmlDeviceGetTemperature');
const POWER = symbol('nvmlDeviceGetPowerUsage');

const LOST = codeOf('gpu-lost');
const ERROR = codeOf('error');
const MIG = codeOf('mig');

const MOST_GPUS = 1024;

/** Opening all GPUs may take so long; what is left to ask is asked beside the ticks. */
const PRIME_MS = 1500;
const REPRIME_MS = 200;

/** How often a GPU that is lost or cannot be opened is looked at again. */
const PROBE_MS = 10_000;

/** Every GPU that was ever seen, in the order of their indexes, and how they come and go. */
export class Fleet {
  readonly gpus: Gpu[] = [];
  /** Those of {@link gpus} that are no MIG instances. */
  cards: readonly Gpu[] = [];
  /** Set when a GPU came, or is known better than before; whoever reports it resets it. */
  isChanged = true;
  readonly #plan: Plan;
  readonly #kernelGpus: string;
  #share: Share;
  /** What the driver counted when the indexes were last gone through. */
  #count = 0;
  /** What every GPU is asked at first: what people look at most comes first, should the driver be slow. */
  readonly #initial: readonly PlannedReader[];
  #primeDeadline = 0;

  constructor(plan: Plan, options: { known: readonly Device[]; share: Share; kernelGpus: string }) {
    this.#plan = plan;
    this.#initial = [...plan.static, ...plan.slow].sort((a, b) => Math.min(...a.slots) - Math.min(...b.slots));
    this.#kernelGpus = options.kernelGpus;
    this.#share = options.share;
    for (const device of options.known) {
      // MIG instances are listed anew with their card.
      if (device.mig !== undefined) continue;
      const gpu = this.#add(device);
      gpu.close(LOST, CODE.gpuIsLost, Number.POSITIVE_INFINITY);
    }
  }

  /** GPUs of the machine, whoever reads them. */
  get count(): number {
    return this.#count;
  }

  /** Goes through the indexes and opens what is new. Devices are told by UUID, since indexes move. */
  enumerate(driver: Driver, now: number): Code {
    const { nvml } = driver;
    nvml.progress.setGpu(NONE);
    const code = nvml.callFirst(COUNT, nvml.out);
    if (code !== CODE.ok) return code;
    // A count that no machine has is a fault of the driver, and would make for as many entries.
    if (nvml.out[0]! > MOST_GPUS) return CODE.unknown;
    this.#primeDeadline = performance.now() + PRIME_MS;
    // Once cards came or went, an index no longer tells which card it was: then each has to be asked.
    const areSame = this.#count === 0 || this.#count === nvml.out[0];
    this.#count = nvml.out[0]!;
    const found = new Set<Gpu>();
    const failed: { index: number; code: Code }[] = [];
    for (let index = 0; index < this.#count; index++) {
      if ((areSame && !mayHold(this.#share, index)) || !isWanted(driver, index)) continue;
      nvml.progress.setGpu(index);
      const opened = nvml.callFirst(HANDLE_BY_INDEX, index, nvml.out);
      const admitted = opened === CODE.ok ? this.#admit(driver, index, now) : opened;
      if (typeof admitted === 'number') failed.push({ index, code: admitted });
      else if (admitted !== null) found.add(admitted);
    }
    this.#admitFailed(driver, failed, found, now);
    for (const gpu of this.gpus) if (gpu.card === null && !found.has(gpu)) this.#remove(gpu);
    this.#renumberRemoved();
    this.#sort();
    return code;
  }

  /** Takes over another share: what is no longer in it is dropped, what is new in it is opened. */
  take(share: Share, driver: Driver | null, now: number): void {
    this.#share = share;
    this.#drop(({ device }) => !holds(this.#share, device));
    if (driver !== null) this.enumerate(driver, now);
  }

  /** Drops every GPU but one: the others have been given to another worker while a call on this one hung. */
  keepOnly(index: number): void {
    const kept = this.gpus.find(({ device }) => device.index === index);
    this.#share = { kind: 'only', gpus: [{ index, uuid: kept?.device.uuid ?? null }] };
    this.#drop(({ device }) => device.index !== index);
  }

  /** Looks whether a GPU was plugged in or pulled out. */
  checkCount(driver: Driver, now: number): void {
    const { nvml } = driver;
    nvml.progress.setGpu(NONE);
    if (nvml.callFirst(COUNT, nvml.out) === CODE.ok && nvml.out[0] !== this.#count) this.enumerate(driver, now);
  }

  /** The GPUs that were left to others before anybody knew who they are, by what the kernel tells. */
  describeUnseen({ version }: Driver): readonly Device[] {
    const { kind, gpus } = this.#share;
    const nameless = kind === 'all-but' ? gpus.filter(({ uuid }) => uuid === null) : [];
    if (nameless.length === 0) return [];
    const seen = readKernelGpus(this.#kernelGpus);
    const isComplete = seen.length === this.#count;
    return nameless.map(({ index }) => unopened(index, isComplete ? seen[index]! : null, version));
  }

  /**
   * Whether a GPU of which a call said "lost" is lost: two other questions give the same answer. One function alone that
   * says so has a fault of its own.
   */
  isLost({ nvml }: Driver, { handle }: Gpu): boolean {
    return isLost(nvml.call(TEMPERATURE, handle, GPU_SENSOR, nvml.out)) && isLost(nvml.call(POWER, handle, nvml.out));
  }

  lose(gpu: Gpu, now: number): void {
    this.#close(gpu, LOST, CODE.gpuIsLost, now + PROBE_MS);
  }

  /** Closes a GPU, and with it its MIG instances: they are looked at again with their card. */
  #close(gpu: Gpu, reason: number, code: Code, nextProbe: number): void {
    gpu.close(reason, code, nextProbe);
    for (const other of this.gpus) if (other.card === gpu) other.close(reason, code, Number.POSITIVE_INFINITY);
  }

  /** Stops asking a GPU that answers nothing until it is reset. */
  awaitReset(gpu: Gpu, now: number): void {
    this.#close(gpu, ERROR, CODE.resetRequired, now + PROBE_MS);
  }

  /** Asks a GPU that would not tell its UUID for it again. */
  reidentify(driver: Driver, gpu: Gpu): void {
    if (gpu.device.uuidIsDerived !== true) return;
    const device = this.#apartFromTwin(identify(driver.nvml, gpu.handle, gpu.device.index, driver.version));
    if (device.uuidIsDerived !== true) this.#rename(gpu, device);
  }

  /** It is no longer counted: only a change of the count can bring it back. */
  #remove(gpu: Gpu): void {
    this.#close(gpu, LOST, CODE.gpuIsLost, Number.POSITIVE_INFINITY);
  }

  #drop(isDropped: (gpu: Gpu) => boolean): void {
    const kept = this.gpus.filter((gpu) => !isDropped(gpu));
    if (kept.length === this.gpus.length) return;
    this.gpus.splice(0, this.gpus.length, ...kept);
    this.#noteChange();
  }

  /** A card that is gone gives up its number to the one that has it now. */
  #renumberRemoved(): void {
    for (const gpu of this.gpus) {
      const isRemoved = gpu.card === null && gpu.closed !== 0 && gpu.nextProbe === Number.POSITIVE_INFINITY;
      const { index } = gpu.device;
      if (!isRemoved || !this.gpus.some((other) => other !== gpu && other.card !== gpu && other.device.index === index))
        continue;
      const highest = Math.max(this.#count - 1, ...this.gpus.map(({ device }) => device.index));
      this.#rename(gpu, { ...gpu.device, index: highest + 1 });
    }
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
    if (isLost(code) || code === CODE.resetRequired || isDriverFailure(code)) return;
    // It was lost before anybody could ask who it is.
    if (gpu.device.uuidIsDerived === true) gpu.handle = 0;
    if (gpu.handle === 0) this.enumerate(driver, now);
    else {
      this.#primeDeadline = performance.now() + REPRIME_MS;
      this.#prime(driver, gpu, now);
    }
  }

  /** The library is closed, and with it every handle. */
  voidHandles(): void {
    for (const gpu of this.gpus) {
      gpu.handle = 0;
      if (gpu.closed === 0) gpu.close(ERROR, CODE.uninitialized, Number.POSITIVE_INFINITY);
    }
  }

  readMigMode({ nvml }: Driver, gpu: Gpu): void {
    gpu.isRecut = false;
    if (!gpu.canMig) return;
    const code = nvml.call(MIG_MODE, gpu.handle, nvml.out, nvml.ignored);
    if (code === CODE.notSupported || code === CODE.functionNotFound) gpu.canMig = false;
    // A question that fails changes nothing: the instances are still there.
    if (code === CODE.ok || !gpu.canMig) gpu.mig = code === CODE.ok && nvml.out[0] === ENABLED;
    this.#syncInstances(nvml, gpu);
  }

  /** Lists the MIG instances of a card beside it. One that is no longer there was taken away on purpose: it goes. */
  #syncInstances(nvml: Nvml, card: Gpu): void {
    const before = this.gpus.filter((gpu) => gpu.card === card);
    if (!card.mig && before.length === 0) return;
    const listed = card.mig ? listInstances(nvml, card) : [];
    card.isUnlisted = listed === null;
    if (listed === null) return;
    const kept = new Set<Gpu>();
    for (const { handle, device } of listed) {
      const known = before.find((gpu) => gpu.device.uuid === device.uuid);
      const instance = known ?? this.#add(device);
      instance.card = card;
      instance.handle = handle;
      if (instance.closed !== 0 || known === undefined) this.#primeInstance(instance);
      this.#rename(instance, device);
      kept.add(instance);
    }
    this.#drop((gpu) => gpu.card === card && !kept.has(gpu));
    this.#sort();
  }

  /** What is read of the card as a whole is not read of its parts. */
  #primeInstance(instance: Gpu): void {
    instance.forget();
    instance.canMig = false;
    instance.primed = this.#initial.length;
    instance.gpm = new GpmMemory(instance.device.mig?.gpuInstance ?? null);
    instance.row.codes.fill(MIG);
  }

  /** By index, and the MIG instances of a card behind it. */
  #sort(): void {
    this.gpus.sort((a, b) => byPlace(a.device, b.device));
    this.cards = this.gpus.filter(({ card }) => card === null);
  }

  #noteChange(): void {
    this.isChanged = true;
    this.cards = this.gpus.filter(({ card }) => card === null);
  }

  #add(device: Device): Gpu {
    const gpu = new Gpu(device, {
      row: this.#plan.rowSize,
      readers: this.#plan.readerCount,
      blank: this.#plan.blank,
    });
    this.gpus.push(gpu);
    this.#noteChange();
    return gpu;
  }

  /** Null where the GPU is another worker's; the code it gives where it answers nothing, not even who it is. */
  #admit(driver: Driver, index: number, now: number): Gpu | Code | null {
    const { nvml } = driver;
    const handle = nvml.handle();
    const device = this.#apartFromTwin(this.#withKnownUuid(identify(nvml, handle, index, driver.version)));
    if (!holds(this.#share, device)) return null;
    if (device.uuidIsDerived === true && device.pciBusId === null) {
      const code = nvml.call(TEMPERATURE, handle, GPU_SENSOR, nvml.out);
      if (isLost(code) || code === CODE.resetRequired || isDriverFailure(code)) return code;
    }
    const placeholder = this.#placeholder(index);
    const known = this.gpus.find((gpu) => gpu.device.uuid === device.uuid);
    if (known !== undefined && placeholder !== undefined && known !== placeholder) {
      this.gpus.splice(this.gpus.indexOf(placeholder), 1);
      this.#noteChange();
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
    const known = this.cards.find((gpu) => gpu.device.pciBusId === device.pciBusId);
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
    return this.cards.find(
      (gpu) => gpu.device.index === index && gpu.device.uuidIsDerived === true && gpu.handle === 0,
    );
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
      const seen = isWhole(this.#share) && unclaimed.length === failed.length ? unclaimed[order]! : null;
      const gpu = this.#unopened(index, seen, version, found);
      found.add(gpu);
      gpu.handle = 0;
      this.#close(gpu, codeOf(closedReason(code)), code, now + PROBE_MS);
    }
  }

  #unopened(index: number, seen: KernelGpu | null, version: string | null, found: Set<Gpu>): Gpu {
    const device = unopened(index, seen, version);
    const known = this.gpus.find((gpu) => gpu.device.uuid === device.uuid);
    if (known !== undefined) return known;
    const before = seen === null ? this.cards.find((gpu) => gpu.device.index === index && !found.has(gpu)) : undefined;
    return before ?? this.#add(device);
  }

  /**
   * Begins with a GPU: what is static, and what is slow for a first time, so that its first tick is complete where the
   * driver answers quickly.
   */
  #prime(driver: Driver, gpu: Gpu, now: number): void {
    const { nvml } = driver;
    gpu.forget();
    gpu.fans = countFans(nvml, gpu.handle);
    this.readMigMode(driver, gpu);
    gpu.primed = 0;
    this.#primeOne(driver, gpu, now, this.#primeDeadline);
  }

  /** Goes on with what GPUs were not asked when they were opened, because it would have taken too long. */
  primeOn(driver: Driver, now: number, deadline: number): void {
    const { gpus } = this;
    for (let i = 0; i < gpus.length; i++) {
      const gpu = gpus[i]!;
      if (gpu.closed !== 0 || gpu.primed === this.#initial.length) continue;
      this.#primeOne(driver, gpu, now, deadline);
      if (performance.now() > deadline) return;
    }
  }

  #primeOne(driver: Driver, gpu: Gpu, now: number, deadline: number): void {
    driver.nvml.progress.setGpu(gpu.device.index);
    while (gpu.primed < this.#initial.length) {
      const code = runReader(driver.nvml, gpu, this.#initial[gpu.primed++]!);
      if (isLost(code) && this.isLost(driver, gpu)) {
        this.lose(gpu, now);
        return;
      }
      if (performance.now() > deadline) return;
    }
  }
}

/** False where the main thread has given every other GPU to another worker, because this one hung. */
function isWanted({ nvml }: Driver, index: number): boolean {
  const { only } = nvml.progress;
  return only === NONE || only === index;
}
