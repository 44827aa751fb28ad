import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { slotOf } from '../../model/catalogue.ts';
import type { Device } from '../../model/device.ts';
import { absent } from '../../model/reading.ts';
import { ReadingSet } from '../../model/reading-set.ts';
import type { DeviceSample } from '../../model/tick.ts';
import { unopened } from './identity.ts';
import { longBusId, readKernelGpus } from './kernel-view.ts';

const NVIDIA = '0x10de';
/** PCI class of everything that draws or computes: VGA, 3D and other display controllers. */
const DISPLAY_CLASS = '0x03';

const UTILISATION = slotOf('utilization_ratio');

/** GPUs that have done nothing for so long are let go of, so that the kernel may suspend them. */
const IDLE_MS = 30_000;
/** The kernel suspends a device some time after the last one has let go of it. */
const GRACE_MS = 45_000;
/** GPUs that did not fall asleep, since something else holds them, are not let go of again for so long. */
const RETRY_MS = 600_000;

/** A laptop's GPU: what the kernel knows of its sleep. */
interface Card {
  /** Folder in sysfs. */
  readonly folder: string;
  /** The driver powers it down when nobody uses it. */
  readonly maySleep: boolean;
}

/**
 * Keeps gpulse from waking a suspended GPU, and from keeping awake one that would sleep if gpulse let go of it. Opening the
 * library wakes every GPU and holds it, so it is left alone while all of them sleep. Machines whose GPUs are always on, as
 * servers' are, never get that far.
 */
export class Doze {
  readonly #root: string;
  readonly #cards: readonly Card[];
  readonly #maySleep: boolean;
  #idleSince: number | null = null;
  /** When the GPUs were let go of; null while they are held, or were found asleep. */
  #letGoAt: number | null = null;
  #nextTry = Number.NEGATIVE_INFINITY;

  constructor(root: string) {
    this.#root = root;
    this.#cards = listCards(root);
    this.#maySleep = this.#cards.length > 0 && this.#cards.every(({ maySleep }) => maySleep);
  }

  /** Whether the GPUs are to be left alone at `now`, on the monotonic clock: they sleep, or are about to. */
  isQuiet(now: number): boolean {
    if (!this.#maySleep) return false;
    if (this.#cards.every(({ folder }) => isSuspended(folder))) {
      this.#letGoAt = null;
      return true;
    }
    if (this.#letGoAt === null) return false;
    if (now - this.#letGoAt < GRACE_MS) return true;
    this.#letGoAt = null;
    this.#nextTry = now + RETRY_MS;
    return false;
  }

  /** Takes note of what the GPUs do. True when they have done nothing for long, and may sleep if they are let go of. */
  isIdle(samples: readonly DeviceSample[], now: number): boolean {
    if (!this.#maySleep || now < this.#nextTry) return false;
    if (samples.length === 0 || !samples.every(isUnused)) {
      this.#idleSince = null;
      return false;
    }
    this.#idleSince ??= now;
    return now - this.#idleSince >= IDLE_MS;
  }

  noteLetGo(now: number): void {
    this.#idleSince = null;
    this.#letGoAt = now;
  }

  /** The GPUs as the kernel lists them, which does not wake them. */
  devices(): readonly Device[] {
    return readKernelGpus(join(this.#root, 'proc/driver/nvidia/gpus')).map((seen, index) =>
      unopened(index, seen, null),
    );
  }
}

/** Of a GPU that sleeps nothing is known. */
export function asleepSample(device: Device): DeviceSample {
  return { device, state: 'asleep', readings: ReadingSet.allAbsent('asleep'), processes: absent('asleep') };
}

function isUnused({ state, readings, processes }: DeviceSample): boolean {
  return (
    state === 'ok' && (readings.number(UTILISATION) ?? 0) === 0 && !('absent' in processes) && processes.length === 0
  );
}

function isSuspended(folder: string): boolean {
  const status = textOf(join(folder, 'power/runtime_status'));
  return status === 'suspended' || status === 'suspending';
}

function listCards(root: string): readonly Card[] {
  const devices = join(root, 'sys/bus/pci/devices');
  let buses: string[];
  try {
    buses = readdirSync(devices);
  } catch {
    return [];
  }
  return buses
    .map((bus) => ({ bus, folder: join(devices, bus) }))
    .filter(({ folder }) => isNvidiaGpu(folder))
    .map(({ bus, folder }) => ({ folder, maySleep: maySleep(root, bus, folder) }));
}

function isNvidiaGpu(folder: string): boolean {
  return textOf(join(folder, 'vendor')) === NVIDIA && textOf(join(folder, 'class')).startsWith(DISPLAY_CLASS);
}

/** Both the kernel and the driver have to be set to it. */
function maySleep(root: string, bus: string, folder: string): boolean {
  if (textOf(join(folder, 'power/control')) !== 'auto') return false;
  const gpus = join(root, 'proc/driver/nvidia/gpus');
  const known = [bus, bus.toLowerCase(), longBusId(bus).toLowerCase()];
  return known.some((name) => /Runtime D3 status:\s*Enabled/.test(textOf(join(gpus, name, 'power'))));
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}
