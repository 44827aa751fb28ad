import type { DeviceState } from '../../model/device.ts';
import { takeDetails } from './details.ts';
import type { Fleet } from './fleet.ts';
import type { Gpu } from './gpu.ts';
import { RECORD_SIZE } from './process-record.ts';
import type { ProcessReader } from './processes.ts';
import { STATES, type TickNews, type TickReply, type TickViews, tickBytes, tickViews } from './protocol.ts';
import { codeOf } from './row.ts';

const LOST = codeOf('gpu-lost');
const ERROR = codeOf('error');

/** Gives memory for a tick of so many bytes, or more; whatever was there before is overwritten. */
export type TickMemory = (bytes: number) => ArrayBufferLike;

export interface TickFacts extends Pick<TickNews, 'reloaded' | 'xids' | 'topology' | 'costs' | 'outage'> {
  /** The driver does not answer at all. */
  readonly isGone: boolean;
}

/** Copies the rows of all GPUs into one buffer. */
export class TickPacker {
  readonly #rowSize: number;
  readonly #memory: TickMemory;
  /** The buffer of the tick before and its parts, which are mostly those of the next. */
  #buffer: ArrayBufferLike = new ArrayBuffer(0);
  #gpuCount = 0;
  #processCount = 0;
  #views: TickViews;

  constructor(rowSize: number, memory: TickMemory) {
    this.#rowSize = rowSize;
    this.#memory = memory;
    this.#views = tickViews(this.#buffer, 0, rowSize, 0);
  }

  pack(fleet: Fleet, processes: ProcessReader | null, facts: TickFacts): TickReply {
    const { gpus } = fleet;
    const processCount = processes?.table.count ?? 0;
    const views = this.#viewsFor(gpus.length, processCount);
    for (let i = 0; i < gpus.length; i++) {
      const gpu = gpus[i]!;
      const from = i * this.#rowSize;
      const absence = facts.isGone ? gpu.closed || ERROR : gpu.closed;
      if (absence === 0) {
        views.values.set(gpu.row.values, from);
        views.codes.set(gpu.row.codes, from);
      } else {
        views.values.fill(0, from, from + this.#rowSize);
        views.codes.fill(absence, from, from + this.#rowSize);
      }
      views.states[i] = absence === 0 ? 0 : STATES.indexOf(stateOf(gpu));
      views.processCodes[i] = absence === 0 ? gpu.processes : absence;
    }
    if (processes !== null) views.processes.set(processes.table.records.subarray(0, processCount * RECORD_SIZE));
    return { type: 'tick', buffer: this.#buffer, gpuCount: gpus.length, processCount, news: newsOf(fleet, facts) };
  }

  #viewsFor(gpuCount: number, processCount: number): TickViews {
    const buffer = this.#memory(tickBytes(gpuCount, this.#rowSize, processCount));
    const isSame = buffer === this.#buffer && gpuCount === this.#gpuCount && processCount === this.#processCount;
    if (!isSame) this.#views = tickViews(buffer, gpuCount, this.#rowSize, processCount);
    this.#buffer = buffer;
    this.#gpuCount = gpuCount;
    this.#processCount = processCount;
    return this.#views;
  }
}

function newsOf(fleet: Fleet, facts: TickFacts): TickNews | null {
  if (isOrdinary(fleet, facts)) return null;
  const { gpus } = fleet;
  const devices = fleet.isChanged ? gpus.map(({ device }) => device) : null;
  fleet.isChanged = false;
  const changed = takeDetails(gpus);
  const { reloaded, xids, topology, costs, isGone } = facts;
  const news: TickNews = {
    devices,
    // With another list of GPUs the positions mean others.
    details: devices === null ? changed : gpus.map((gpu) => gpu.details.get()),
    topology,
    unread: unreadIn(gpus),
    faults: faultsIn(gpus),
    unlisted: unlistedIn(gpus),
    reloaded,
    xids,
    costs,
    // Cards that are all lost are told as lost cards.
    outage: isGone && gpus.some(({ closed }) => closed !== LOST) ? facts.outage : null,
  };
  return isNothing(news) ? null : news;
}

/** As nearly every tick is: every GPU was read, and nothing else has happened. */
function isOrdinary({ gpus, isChanged }: Fleet, { reloaded, xids, topology, costs, isGone }: TickFacts): boolean {
  if (isChanged || reloaded || isGone || xids !== null || topology !== null || costs !== null) return false;
  for (let i = 0; i < gpus.length; i++) {
    const gpu = gpus[i]!;
    if (gpu.closed !== 0 || !gpu.isFresh || gpu.isUnlisted || gpu.details.isChanged) return false;
  }
  return true;
}

function isNothing({
  devices,
  details,
  topology,
  unread,
  faults,
  unlisted,
  reloaded,
  xids,
  costs,
  outage,
}: TickNews): boolean {
  return (
    !reloaded &&
    [devices, details, topology, unread, faults, unlisted, xids, costs, outage].every((part) => part === null)
  );
}

function unreadIn(gpus: readonly Gpu[]): readonly number[] | null {
  if (gpus.every(isKnown)) return null;
  return gpus.flatMap((gpu, position) => (isKnown(gpu) ? [] : [position]));
}

/** Of a closed GPU there is nothing to read. */
function isKnown({ isFresh, closed }: Gpu): boolean {
  return isFresh || closed !== 0;
}

function unlistedIn(gpus: readonly Gpu[]): TickNews['unlisted'] {
  if (gpus.every(({ isUnlisted }) => !isUnlisted)) return null;
  return gpus.flatMap(({ isUnlisted, device }) => (isUnlisted ? [device.index] : []));
}

/** What keeps GPUs from being read that are there. */
function faultsIn(gpus: readonly Gpu[]): TickNews['faults'] {
  if (gpus.every(({ closed }) => closed === 0 || closed === LOST)) return null;
  return gpus.flatMap(({ closed, closedCode, device }) =>
    closed === 0 || closed === LOST ? [] : [{ index: device.index, code: closedCode }],
  );
}

/** Of a GPU that was not read: what fell off the bus is lost; what is there and cannot be read has no reading that is not old. */
function stateOf({ closed }: Gpu): DeviceState {
  return closed === LOST ? 'lost' : 'stale';
}
