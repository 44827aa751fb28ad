import type { LogHosts } from '../hosts.ts';
import type { LogDevice, LogDevices } from '../log-devices.ts';
import { absenceIn } from './absence-words.ts';
import type { CellRun } from './cell-run.ts';
import type { Cells } from './cells.ts';
import { gpuNumber, type IdentityColumns, isBusId } from './identity.ts';
import { smiMeaning } from './smi-fields.ts';

/** Distinct identities remembered; a log that has more is no log of GPUs. */
const MAX_REMEMBERED = 4096;

interface Known {
  /** The identity cells. */
  readonly cells: readonly Uint8Array[];
  /** The first of them that lie next to each other. */
  readonly run: CellRun | null;
  readonly device: LogDevice | null;
  /** Who was in the record after this one the last time: rows come round. */
  next: Known | null;
}

/**
 * Finds the device of a record. Identity cells repeat from tick to tick, so that mostly comparing bytes with the record
 * that followed the last time is enough.
 */
export class DeviceCells {
  readonly #columns: IdentityColumns;
  /** Those next to each other first: so many. */
  readonly #positions: readonly number[];
  readonly #adjacent: number;
  readonly #devices: LogDevices;
  readonly #hosts: LogHosts;
  readonly #known = new Map<string, Known>();
  #last: Known | null = null;

  constructor(columns: IdentityColumns, devices: LogDevices, hosts: LogHosts) {
    this.#columns = columns;
    this.#devices = devices;
    this.#hosts = hosts;
    const { uuid, busId, serial, index, name, driver, host } = columns;
    const positions = [uuid, busId, serial, index, name, driver, host].filter((position) => position !== -1);
    const adjacent = longestRun(positions);
    this.#positions = [...adjacent, ...positions.filter((position) => !adjacent.includes(position))];
    this.#adjacent = adjacent.length;
  }

  /** The device of the record, or null where its identity cells hold no identity. */
  find(bytes: Uint8Array, cells: Cells): LogDevice | null {
    const expected = this.#last?.next;
    if (expected != null && this.#isSame(expected, bytes, cells)) return this.#take(expected, cells);
    const found = this.#lookUp(bytes, cells);
    if (this.#last !== null) this.#last.next = found;
    return this.#take(found, cells);
  }

  #take(known: Known, cells: Cells): LogDevice | null {
    this.#last = known;
    cells.expect(known.next === null ? null : known.next.run);
    return known.device;
  }

  #isSame({ cells: known, run }: Known, bytes: Uint8Array, cells: Cells): boolean {
    const isFound = run !== null && cells.found === run;
    for (let column = isFound ? this.#adjacent : 0; column < known.length; column++) {
      if (!cells.holds(bytes, this.#positions[column]!, known[column]!)) return false;
    }
    return true;
  }

  #lookUp(bytes: Uint8Array, cells: Cells): Known {
    const texts = this.#positions.map((position) => cells.text(bytes, position));
    const key = JSON.stringify(texts);
    const before = this.#known.get(key);
    if (before !== undefined) return before;
    const found: Known = {
      cells: this.#positions.map((position) => cells.copy(bytes, position)),
      run: cells.run(bytes, this.#positions[0] ?? 0, this.#adjacent),
      device: this.#resolve(bytes, cells),
      next: null,
    };
    if (this.#known.size >= MAX_REMEMBERED) this.#known.clear();
    this.#known.set(key, found);
    return found;
  }

  #resolve(bytes: Uint8Array, cells: Cells): LogDevice | null {
    const { uuid, busId, serial, index, name, driver, host } = this.#columns;
    const textAt = (position: number): string | null => {
      const text = position === -1 ? '' : cells.text(bytes, position);
      return absenceIn(text) === null ? text : null;
    };
    const indexText = textAt(index);
    const busText = textAt(busId);
    if (isTitle(textAt(name), 'name') || isTitle(textAt(uuid), 'uuid')) return null;
    const identity = {
      uuid: textAt(uuid),
      pciBusId: busText !== null && isBusId(busText) ? busText : null,
      serial: textAt(serial),
      index: indexText === null ? null : gpuNumber(indexText),
      name: textAt(name),
      driverVersion: textAt(driver),
    };
    const machine = textAt(host);
    // The machine cannot be told in a log of several.
    if (host !== -1 && machine === null && identity.uuid === null) return null;
    const hasColumns = uuid !== -1 || busId !== -1 || index !== -1 || name !== -1;
    if (!hasColumns) return this.#devices.resolve(this.#hosts.of(machine, { ...identity, index: 0 }));
    const isKnown = identity.uuid !== null || identity.pciBusId !== null || identity.index !== null;
    const onlyByName = uuid === -1 && busId === -1 && index === -1 && identity.name !== null;
    return isKnown || onlyByName ? this.#devices.resolve(this.#hosts.of(machine, identity)) : null;
  }
}

/** The most of some positions that follow each other, in order. */
function longestRun(positions: readonly number[]): readonly number[] {
  const runs = positions.map((first) => {
    let next = first + 1;
    while (positions.includes(next)) next++;
    return Array.from({ length: next - first }, (_, more) => first + more);
  });
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest), []);
}

/** True in a header with something in front of it that hides what it is: no device is called `name`. */
function isTitle(cell: string | null, kind: 'name' | 'uuid'): boolean {
  return cell !== null && smiMeaning(cell.toLowerCase())?.kind === kind;
}
