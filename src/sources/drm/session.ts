import { existsSync, readlinkSync } from 'node:fs';
import type { DeviceState } from '../../model/device.ts';
import type { Notice } from '../../model/ports.ts';
import type { GpuProcess } from '../../model/process.ts';
import { type AbsenceReason, type Absent, absent } from '../../model/reading.ts';
import { type Client, Clients, type Locate } from './clients.ts';
import { Fleet, type Gpu } from './fleet.ts';
import type { ComputeProcesses, Maker, Site } from './gpu-reader.ts';
import { listProcesses, sumUse } from './process-list.ts';
import { ProcessWalk } from './process-walk.ts';
import { EVERYTHING, PROCESSES } from './progress.ts';
import type { DevicesReply, Request, TickReply, WorkerOptions } from './protocol.ts';
import { textOrNull } from './read-file.ts';
import { codeOf } from './row.ts';

const SLOW_PERIOD_MS = 10_000;

const ERROR = codeOf('error');

/** Inode of the initial pid namespace: a constant of the Linux kernel (PROC_PID_INIT_INO). */
const INITIAL_PID_NAMESPACE = 'pid:[4026531836]';

/** What a device shows while it is suspended, and while it is on its way there. */
const ASLEEP: ReadonlySet<string> = new Set(['suspended', 'suspending']);

/** All GPUs of one maker as one worker sees them. Single-threaded and blocking. */
export class Session {
  readonly #site: Site;
  readonly #maker: Maker;
  readonly #fleet: Fleet;
  readonly #rowSize: number;
  readonly #walk: ProcessWalk;
  readonly #clients: Clients;
  readonly #isPrivate: boolean;
  #isAnnounced = false;
  readonly #announce: (reply: DevicesReply) => void;

  /** `announce` is called before a GPU that is new, or that has changed, is read for the first time. */
  constructor(maker: Maker, site: Site, options: WorkerOptions, announce: (reply: DevicesReply) => void) {
    this.#announce = announce;
    this.#site = site;
    this.#maker = maker;
    this.#rowSize = options.rowSize;
    this.#fleet = new Fleet(maker, site, options);
    this.#walk = new ProcessWalk(site.proc, site.progress);
    this.#clients = new Clients(site.proc, site.progress);
    this.#isPrivate = hasPrivatePids(site.proc);
  }

  /** Looks for GPUs and announces them, even if there are none. */
  look(now: number): void {
    this.#site.progress.begin(EVERYTHING);
    this.#fleet.look(now);
    if (!this.#fleet.isChanged && this.#isAnnounced) return;
    this.#fleet.isChanged = false;
    this.#isAnnounced = true;
    this.#announce({
      type: 'devices',
      devices: this.#fleet.gpus.map(({ device }) => device),
      topology: this.#maker.topology?.(this.#fleet.readers()) ?? [],
    });
  }

  sample({ now, skip, skipProcesses }: Extract<Request, { type: 'sample' }>): TickReply {
    const { progress } = this.#site;
    this.look(now);
    const { gpus } = this.#fleet;
    this.#maker.beginRound?.({ now, isSlow: gpus.some(({ slowAt }) => now >= slowAt) });
    const states = gpus.map((gpu, position): DeviceState | null => {
      if (skip.includes(gpu.device.uuid)) return null;
      progress.begin(position);
      return readGpu(gpu, now);
    });
    progress.begin(PROCESSES);
    const processes = skipProcesses ? this.#withoutProcesses(states) : this.#readProcesses(states, now);
    progress.begin(EVERYTHING);
    return this.#pack(states, processes);
  }

  #readProcesses(states: readonly (DeviceState | null)[], now: number): (readonly GpuProcess[] | Absent)[] {
    const { gpus } = this.#fleet;
    // Pids of the driver's own list are those of the host: beside those of a container they would be other processes.
    const compute = this.#isPrivate ? undefined : this.#maker.computeProcesses?.(this.#fleet.readers());
    this.#walk.look(now, hintsOf(compute));
    const clients = this.#clients.read(this.#walk, this.#locator(states));
    const isComplete = this.#walk.hidden === 0 && !this.#isPrivate;
    return gpus.map(({ reader, row }, position) => {
      if (states[position] !== 'ok' || reader === null) return notListed(states[position] ?? null);
      const own = clients.filter((client: Client) => client.gpu === position);
      reader.putUse(row, sumUse(own, isComplete));
      return listProcesses(own, compute?.get(reader), reader);
    });
  }

  #withoutProcesses(states: readonly (DeviceState | null)[]): Absent[] {
    for (const { reader, row } of this.#fleet.gpus) reader?.putUse(row, null);
    return states.map(notListed);
  }

  /** Files of a GPU that sleeps are not read, lest its driver wake it. */
  #locator(states: readonly (DeviceState | null)[]): Locate {
    const byMinor = new Map<number, number>();
    const bySlot = new Map<string, number>();
    for (const [position, { reader }] of this.#fleet.gpus.entries()) {
      if (reader === null) continue;
      const { number, renderMinor, slot } = reader.card;
      byMinor.set(number, position);
      if (renderMinor !== null) byMinor.set(renderMinor, position);
      if (slot !== null && !bySlot.has(slot)) bySlot.set(slot, position);
    }
    const areMinorsKnown = this.#fleet.readers().every(({ card }) => card.renderMinor !== null);
    return (minor, slot) => {
      const position = byMinor.get(minor) ?? (slot === null ? undefined : bySlot.get(slot));
      if (position !== undefined) return states[position] === 'ok' ? position : 'foreign';
      return areMinorsKnown || slot !== null ? 'foreign' : 'unknown';
    };
  }

  #pack(states: readonly (DeviceState | null)[], processes: readonly (readonly GpuProcess[] | Absent)[]): TickReply {
    const { gpus } = this.#fleet;
    const sampled = states.flatMap((state, position) => (state === null ? [] : [position]));
    const values = new Float64Array(sampled.length * this.#rowSize);
    const codes = new Uint8Array(sampled.length * this.#rowSize);
    for (const [order, position] of sampled.entries()) {
      const from = order * this.#rowSize;
      const state = states[position]!;
      if (state === 'ok') {
        values.set(gpus[position]!.row.values, from);
        codes.set(gpus[position]!.row.codes, from);
      } else codes.fill(codeOf(reasonOfState(state)), from, from + this.#rowSize);
    }
    return {
      type: 'tick',
      values,
      codes,
      sampled,
      states: sampled.map((position) => states[position]!),
      processes: sampled.map((position) => processes[position]!),
      notices: this.#notices(),
    };
  }

  #notices(): Notice[] {
    if (this.#isPrivate) return [{ key: 'notice.processes-namespace', params: {}, isRemark: true }];
    const count = this.#walk.hidden;
    return count === 0 ? [] : [{ key: 'notice.processes-hidden', params: { count }, isRemark: true }];
  }
}

function readGpu(gpu: Gpu, now: number): DeviceState {
  const { reader, row } = gpu;
  if (reader === null || !existsSync(reader.card.devicePath)) return 'lost';
  if (isAsleep(reader.powerPath)) return 'asleep';
  const isSlow = now >= gpu.slowAt;
  reader.read(row, { now, isSlow });
  if (isSlow) gpu.slowAt = now + SLOW_PERIOD_MS;
  // It may have fallen asleep, or off the bus, while it was read: then what was read is worth nothing.
  if (!row.codes.includes(ERROR)) return 'ok';
  if (isAsleep(reader.powerPath)) return 'asleep';
  return existsSync(reader.card.devicePath) ? 'ok' : 'lost';
}

/** A device without power management has no status, or says so. */
function isAsleep(powerPath: string): boolean {
  return ASLEEP.has(textOrNull(`${powerPath}/power/runtime_status`) ?? '');
}

function reasonOfState(state: DeviceState): AbsenceReason {
  if (state === 'lost') return 'gpu-lost';
  return state === 'asleep' ? 'asleep' : 'error';
}

function notListed(state: DeviceState | null): Absent {
  return absent(state === null || state === 'ok' ? 'error' : reasonOfState(state));
}

function* hintsOf(compute: ComputeProcesses | undefined): Generator<number> {
  for (const processes of compute?.values() ?? []) yield* processes.keys();
}

function hasPrivatePids(proc: string): boolean {
  try {
    return readlinkSync(`${proc}/self/ns/pid`) !== INITIAL_PID_NAMESPACE;
  } catch {
    return false;
  }
}
