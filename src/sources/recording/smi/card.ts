import { DEVICE_FACTS, type DeviceFact } from '../../../model/device.ts';
import { type Absent, absent } from '../../../model/reading.ts';
import { absenceIn } from '../csv/absence-words.ts';
import { isBusId } from '../csv/identity.ts';
import { type Identity, normalBusId } from '../log-devices.ts';
import type { FormatContext } from '../rows.ts';
import type { SnapshotDevice, SnapshotSlice } from '../snapshots.ts';
import type { SmiField } from './fields.ts';
import { inInstance, instanceId, type ListedProcess, listedProcess, onCard } from './process-list.ts';
import { SmiReadings } from './readings.ts';
import type { SmiNode, SmiScope } from './tree.ts';

const UUID = /^(?:GPU|MIG)-(?=.*[\da-f])[\da-f/GPU-]+$/i;
const MINOR = /^\d{1,4}$/;

/** More instances and processes than any card has. */
const MOST_SLICES = 64;
const MOST_PROCESSES = 4096;
/** Longer texts are none of nvidia-smi. */
const LONGEST_TEXT = 4096;

/** Whether all processes of the device have been read. */
type ListState = 'none' | 'open' | 'whole' | Absent;

/** What a log says of one card, while it is being read. */
export class SmiCard {
  readonly #readings: SmiReadings;
  readonly #sliceReadings: SmiReadings;
  #busId: string | null = null;
  #index: number | null = null;
  #line = 0;
  #isOpen = false;
  readonly #texts = new Map<string, string>();
  readonly #slices: Omit<SnapshotSlice, 'processes'>[] = [];
  #slice: Map<string, string> | null = null;
  #sliceLine = 0;
  #processes: ListedProcess[] = [];
  #process = new Map<string, string>();
  #list: ListState = 'none';

  constructor({ report }: FormatContext) {
    this.#readings = new SmiReadings(report);
    this.#sliceReadings = new SmiReadings(report);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** True if all processes are listed and the list may end with the file. */
  get hasProcesses(): boolean {
    return this.#list === 'open' && this.#process.size === 0 && this.#processes.length > 0;
  }

  /** `id` is what stands where nvidia-smi has the bus id: where that is not known, gpulse writes the index. */
  begin(id: string, line: number): void {
    this.#isOpen = true;
    this.#busId = isBusId(id) ? id : null;
    this.#index = MINOR.test(id) ? Number(id) : null;
    this.#line = line;
  }

  reading(field: SmiField, bytes: Uint8Array, start: number, end: number, line: number): void {
    (this.#slice === null ? this.#readings : this.#sliceReadings).put(field, bytes, start, end, line);
  }

  /** A word in place of a whole group of values: it holds for all of them. */
  absentGroup(group: SmiNode, word: string): void {
    const reason = absenceIn(word);
    if (reason === null) return;
    const readings = this.#slice === null ? this.#readings : this.#sliceReadings;
    for (const field of fieldsIn(group)) readings.putAbsent(field, reason);
    if (group.scope === 'reasons') readings.endReasons();
  }

  text(what: string, value: string): void {
    const text = value.slice(0, LONGEST_TEXT);
    if (what === 'processes') this.#listText(text);
    else if (this.#list === 'open') this.#processText(what, text);
    else if (this.#slice !== null) this.#slice.set(what, text);
    else this.#texts.set(what, text);
  }

  markLost(): void {
    this.#readings.markLost();
  }

  open(scope: SmiScope, line: number): void {
    if (scope === 'mig') {
      this.#slice = new Map();
      this.#sliceLine = line;
    } else if (scope === 'processes') {
      this.#list = 'open';
    }
  }

  /** A group was left and is whole. */
  close(scope: SmiScope): void {
    if (scope === 'mig') this.#endSlice();
    else if (scope === 'process') this.#endProcess();
    else if (scope === 'reasons') this.#readings.endReasons();
    else if (this.#list === 'open') {
      this.#endProcess();
      this.#list = 'whole';
    }
  }

  /** What was read, or null if nothing tells which device it was. */
  take(driverVersion: string | null, cudaVersion: string | null): SnapshotDevice | null {
    const isMig = this.#texts.get('mig-mode') === 'Enabled';
    const identity = this.#identity(driverVersion, cudaVersion);
    const processes: readonly ListedProcess[] | Absent =
      this.#list === 'whole' ? this.#processes : typeof this.#list === 'object' ? this.#list : absent('not-collected');
    const { readings, lost } = this.#readings.take(this.#line, isMig);
    const isKnown = identity.uuid !== null || identity.pciBusId !== null || identity.index !== null;
    const found: SnapshotDevice = {
      identity,
      readings,
      lost,
      processes: 'absent' in processes ? processes : onCard(processes),
      line: this.#line,
      slices: this.#slices.map((part) => ({ ...part, processes: inInstance(processes, part.slice) })),
    };
    this.#clear();
    return isKnown ? found : null;
  }

  #clear(): void {
    this.#isOpen = false;
    this.#busId = null;
    this.#index = null;
    this.#texts.clear();
    this.#slices.length = 0;
    if (this.#slice !== null) this.#sliceReadings.take(this.#sliceLine, false);
    this.#slice = null;
    this.#processes = [];
    this.#process = new Map();
    this.#list = 'none';
  }

  #identity(driverVersion: string | null, cudaVersion: string | null): Identity {
    const uuid = this.#text('uuid');
    const busId = this.#busId ?? this.#text('bus-id');
    const minor = this.#text('minor');
    return {
      uuid: uuid !== null && UUID.test(uuid) ? uuid : null,
      pciBusId: busId !== null && isBusId(busId) ? normalBusId(busId) : null,
      serial: this.#text('serial'),
      index: this.#index,
      name: this.#text('name'),
      driverVersion,
      minor: minor !== null && MINOR.test(minor) ? Number(minor) : null,
      facts: this.#facts(cudaVersion),
    };
  }

  #facts(cudaVersion: string | null): Partial<Record<DeviceFact, string>> {
    const facts: Partial<Record<DeviceFact, string>> = {};
    for (const fact of DEVICE_FACTS) {
      const text = fact === 'cuda-version' ? cudaVersion : this.#text(fact);
      if (text !== null) facts[fact] = text;
    }
    const part = this.#text('part-number') ?? this.#text('gpu-part-number');
    if (part !== null) facts['part-number'] = part;
    return facts;
  }

  /** The text, or null where it is missing or a word for that. Control characters are shown in terminals: they go. */
  #text(what: string): string | null {
    const text = this.#texts.get(what);
    // Others than the driver put words in brackets too: `[REDACTED]`.
    return text === undefined || text.startsWith('[') || absenceIn(text) !== null
      ? null
      : text.replaceAll(/\p{Cc}/gu, ' ');
  }

  #endSlice(): void {
    const texts = this.#slice;
    this.#slice = null;
    const { readings } = this.#sliceReadings.take(this.#sliceLine, false);
    const gpuInstance = instanceId(texts?.get('gpu-instance') ?? '');
    const computeInstance = instanceId(texts?.get('compute-instance') ?? '');
    if (gpuInstance === null || computeInstance === null || this.#slices.length >= MOST_SLICES) return;
    const uuid = texts?.get('uuid') ?? null;
    const slice = { uuid: uuid !== null && UUID.test(uuid) ? uuid : null, gpuInstance, computeInstance, profile: null };
    this.#slices.push({ slice, readings, line: this.#sliceLine });
  }

  #listText(text: string): void {
    if (text === '') return;
    if (text.toLowerCase() === 'none') this.#list = 'whole';
    else this.#list = absent(absenceIn(text) ?? 'not-collected');
  }

  /** In the text form processes follow each other without a group of their own. */
  #processText(what: string, text: string): void {
    if (this.#process.has(what)) this.#endProcess();
    this.#process.set(what, text);
    if (what === 'process-memory') this.#endProcess();
  }

  #endProcess(): void {
    const texts = this.#process;
    if (texts.size === 0) return;
    this.#process = new Map();
    const text = (what: string): string => texts.get(what) ?? '';
    const found = listedProcess({
      pid: text('pid'),
      type: text('process-type'),
      name: text('process-name'),
      memory: text('process-memory'),
      gpuInstance: text('gpu-instance'),
      computeInstance: text('compute-instance'),
    });
    if (found !== null && this.#processes.length < MOST_PROCESSES) this.#processes.push(found);
  }
}

function fieldsIn({ field, children }: SmiNode): SmiField[] {
  return [...(field === null ? [] : [field]), ...[...children.values()].flatMap(fieldsIn)];
}
