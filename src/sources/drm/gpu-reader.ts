import type { Device } from '../../model/device.ts';
import type { TopologyLink } from '../../model/ports.ts';
import type { Reading } from '../../model/reading.ts';
import type { Card } from './cards.ts';
import type { EngineClass } from './fdinfo.ts';
import type { Progress } from './progress.ts';
import type { Row } from './row.ts';

/** Who a GPU is; its index is given by the session. */
export type Identity = Omit<Device, 'index'>;

/** One round of readings. */
export interface Turn {
  /** Monotonic milliseconds. */
  readonly now: number;
  /** True in the rounds in which what rarely changes is read as well, the first one included. */
  readonly isSlow: boolean;
}

/** What all clients that can be seen use of one GPU together. */
export interface DeviceUse {
  /** False where there may be clients that cannot be seen: then sums say nothing about the device. */
  readonly isComplete: boolean;
  readonly clients: number;
  /** Share of time per group of engines; a group that no client uses is missing. */
  readonly ratios: ReadonlyMap<EngineClass, number>;
  /** Why `ratios` tells nothing: a client does not count its use, or a rate needs another look. Null where it tells. */
  readonly noRatios: 'not-collected' | 'not-supported' | null;
  readonly deviceBytes: number;
  readonly systemBytes: number;
}

/** Reads one GPU. Every read may block for as long as the driver likes. */
export interface GpuReader {
  readonly identity: Identity;
  readonly card: Card;
  /** Folder whose `power/runtime_status` tells whether it sleeps; nothing else of a sleeping device is read. */
  readonly powerPath: string;
  /** Works in the memory of the host, so that what its clients keep there is its memory. */
  readonly isIntegrated: boolean;
  /** Encoding and decoding share one queue, so that the counters of its clients do not tell them apart. */
  readonly hasUnifiedVideo: boolean;
  read(row: Row, turn: Turn): void;
  /** Puts what follows from the use by clients, where the driver has no figures of its own for it. Null where that hangs. */
  putUse(row: Row, use: DeviceUse | null): void;
}

/** Processes that a driver lists by itself, outside of the files they hold open. */
export type ComputeProcesses = ReadonlyMap<GpuReader, ReadonlyMap<number, Reading>>;

/** What a session has to know to look for the GPUs of one maker. */
export interface Site {
  /** Roots of sysfs and procfs. */
  readonly sys: string;
  readonly proc: string;
  /** Root below which lists of product names are looked for. */
  readonly root: string;
  readonly progress: Progress;
}

/** All that differs from maker to maker. */
export interface Maker {
  claims(card: Card): boolean;
  /** `cards` are all that are there, its own included. */
  open(card: Card, cards: readonly Card[]): GpuReader;
  /** Called once per round, before anything is read. */
  beginRound?(turn: Turn): void;
  computeProcesses?(readers: readonly GpuReader[]): ComputeProcesses;
  topology?(readers: readonly GpuReader[]): readonly TopologyLink[];
}
