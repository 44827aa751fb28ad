import { absenceIn } from '../csv/absence-words.ts';
import type { Identity } from '../log-devices.ts';
import type { FormatContext } from '../rows.ts';
import { type SnapshotDevice, Snapshots } from '../snapshots.ts';
import { dateLine } from '../written-dates.ts';
import { readCtime } from './ctime.ts';

/** A log that lists more devices without a new header is misread. */
const MOST_DEVICES = 1024;

/**
 * Puts the devices of one output of nvidia-smi together and gives them out as one instant.
 *
 * The first output may have lost its time with the start of the file: it is held until the next one shows whether this is
 * a log without times. An output without a time among others that have one is skipped, since nobody knows when it was.
 */
export class SmiDocuments {
  readonly #context: FormatContext;
  readonly #snapshots: Snapshots;
  #time = Number.NaN;
  #driver: string | null = null;
  #cuda: string | null = null;
  #devices: SnapshotDevice[] = [];
  readonly #seen = new Set<string>();
  /** UUIDs that several devices share. */
  readonly #shared = new Set<string>();
  #held: readonly SnapshotDevice[] | null = null;
  #isDated: boolean | null = null;

  constructor(context: FormatContext) {
    this.#context = context;
    this.#snapshots = new Snapshots(context);
  }

  get isHolding(): boolean {
    return this.#held !== null;
  }

  get driver(): string | null {
    return this.#driver;
  }

  get cuda(): string | null {
    return this.#cuda;
  }

  /** Epoch milliseconds of the date that a text ends with, `Wed Aug 12 21:54:00 2026`, or that it is; else NaN. */
  dateOf(text: string): number {
    const { dates } = this.#snapshots;
    const wall = readCtime(text);
    if (!Number.isNaN(wall)) return dates.fromLocal(wall);
    const written = dateLine(text);
    return written === null ? Number.NaN : dates.read(written);
  }

  /** When the current output was written; NaN if that is not known after all. */
  setTime(time: number): void {
    this.#time = time;
  }

  driverVersion(text: string): void {
    if (absenceIn(text) === null) this.#driver = text;
  }

  cudaVersion(text: string): void {
    if (absenceIn(text) === null) this.#cuda = text;
  }

  /** A device of the current output. One that comes again is of the next output, whose header is missing. */
  add(found: SnapshotDevice): void {
    const { uuid, pciBusId, index } = found.identity;
    const key = pciBusId ?? (index === null ? String(uuid) : `#${index}`);
    if (this.#seen.has(key) || this.#devices.length >= MOST_DEVICES) this.end();
    this.#seen.add(key);
    this.#devices.push(found);
  }

  /** The current output is complete, or cut off. */
  end(): void {
    const devices = this.#devices;
    const time = this.#time;
    this.#devices = [];
    this.#seen.clear();
    this.#time = Number.NaN;
    if (devices.length === 0) return;
    this.#markShared(devices);
    if (!Number.isNaN(time)) {
      this.#skip(this.#held);
      this.#held = null;
      this.#isDated = true;
      this.#emit(time, devices);
    } else if (this.#isDated === true) {
      this.#skip(devices);
    } else if (this.#isDated === null && this.#held === null) {
      this.#held = devices;
    } else {
      this.release();
      this.#emit(time, devices);
    }
  }

  /** Nothing follows, or not for now: what is held is of a log without times. */
  release(): void {
    const held = this.#held;
    this.#held = null;
    if (held === null) return;
    this.#isDated = false;
    this.#emit(Number.NaN, held);
  }

  #emit(time: number, devices: readonly SnapshotDevice[]): void {
    const own = devices.map((found) => ({ ...found, identity: this.#identity(found.identity) }));
    this.#snapshots.emit(time, own);
  }

  #identity(identity: Identity): Identity {
    return identity.uuid !== null && this.#shared.has(identity.uuid) ? { ...identity, uuid: null } : identity;
  }

  /** Cards with a broken InfoROM may all have the same UUID. */
  #markShared(devices: readonly SnapshotDevice[]): void {
    const uuids = new Set<string>();
    for (const { identity } of devices) {
      if (identity.uuid === null) continue;
      if (uuids.has(identity.uuid)) this.#shared.add(identity.uuid);
      uuids.add(identity.uuid);
    }
  }

  #skip(devices: readonly SnapshotDevice[] | null): void {
    for (const { line } of devices ?? []) this.#context.report.skip('no-time', line);
  }
}
