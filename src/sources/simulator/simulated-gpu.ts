import type { Device } from '../../model/device.ts';
import type { GpuProcess } from '../../model/process.ts';
import { type Demand, modulo, noDemand } from './demand.ts';
import type { DeviceModel } from './device-model.ts';
import { GpuPhysics, STEP_MS } from './gpu-physics.ts';
import { simulatedDevice } from './identity.ts';
import { drift, hash32, uniform } from './random.ts';
import type { Fault, Job } from './scenario.ts';

const HOUR = 3_600_000;
const DAY_SECONDS = 86_400;
const INLET_CELSIUS = 27;

/** How much warmer the air is at each slot of a board, in K: rear slots get air that has passed the front ones. */
const SLOT_KELVIN = [0, 1.2, 2.6, 2, 0.4, 1.8, 3.4, 2.4];

/** What a random number is for. */
const STREAM = { room: -100, noise: 12, corrected: 13, past: 14 };

/** One GPU of the simulated machine with all that changes on it. */
export class SimulatedGpu {
  readonly device: Device;
  readonly model: DeviceModel;
  readonly physics: GpuPhysics;
  readonly fault: Fault | undefined;
  /** Random stream of this GPU. */
  readonly stream: number;
  lost = false;
  correctedErrors = 0;
  uncorrectedErrors = 0;
  /** Corrected errors before the driver was loaded. */
  readonly pastCorrectedErrors: number;
  readonly #demand: Demand = noDemand();
  /** Random stream of the air that all GPUs of the machine share. */
  readonly #room: number;
  readonly #slotKelvin: number;
  #processes: GpuProcess[] = [];
  #listed = 0;

  constructor(model: DeviceModel, seed: number, index: number, fault: Fault | undefined) {
    this.model = model;
    this.device = simulatedDevice(model, seed, index);
    this.fault = fault;
    this.stream = hash32(seed, index);
    this.#room = hash32(seed, STREAM.room);
    this.#slotKelvin = SLOT_KELVIN[index % SLOT_KELVIN.length]!;
    const days = 3 + 6 * uniform(this.stream, STREAM.past);
    const past = Math.round(days * DAY_SECONDS * 350) * 1e6;
    this.physics = new GpuPhysics(model, INLET_CELSIUS + this.#slotKelvin, past);
    this.pastCorrectedErrors = Math.floor(4 * uniform(this.stream, STREAM.past + 1));
  }

  /** Forgets the demand of the step before; what remains is the flicker of a GPU at rest. */
  beginStep(step: number): void {
    this.#demand.busy = 0;
    this.#demand.work = 0.01 * uniform(this.stream + STREAM.noise, step);
    this.#demand.memoryBusy = 0;
    this.#demand.rxBytesPerSecond = 0;
    this.#demand.txBytesPerSecond = 0;
  }

  /** Adds the demand of a job: all of its busy time, `traffic` of its copies, `density` of its power and memory use. */
  add(demand: Demand, traffic: number, density: number): void {
    this.#demand.busy += demand.busy;
    this.#demand.work += demand.work * density;
    this.#demand.memoryBusy += demand.memoryBusy * density;
    this.#demand.rxBytesPerSecond += demand.rxBytesPerSecond * traffic;
    this.#demand.txBytesPerSecond += demand.txBytesPerSecond * traffic;
  }

  /** Lets the step happen. A lost GPU stands still. */
  endStep(step: number, incidentMs: number): void {
    const timeMs = step * STEP_MS;
    const happened = timeMs >= incidentMs;
    if (this.fault?.lost && happened) this.lost = true;
    if (this.lost) return;
    if (this.fault?.uncorrected && happened) this.uncorrectedErrors = 1;
    this.#countCorrected(step, timeMs, incidentMs);
    const inlet = INLET_CELSIUS + this.#slotKelvin + 1.5 * drift(this.#room, timeMs / (HOUR / 4));
    this.physics.step(this.#demand, inlet, this.#coolingFactor(timeMs));
  }

  /** Notes that a process of a job holds memory on this GPU; closed by {@link processes}. */
  hold(pid: number, job: Job, memoryBytes: number): void {
    const known = this.#processes[this.#listed];
    if (known === undefined || known.pid !== pid || known.memoryBytes !== memoryBytes) {
      // The list before is in ticks already given away, so it is replaced instead of changed.
      this.#processes = this.#processes.slice();
      this.#processes[this.#listed] = { pid, kind: 'compute', memoryBytes, name: job.process, user: job.user };
    }
    this.#listed++;
  }

  /** The processes noted since the last call. The same array as long as nothing changes. */
  processes(): readonly GpuProcess[] {
    if (this.#processes.length > this.#listed) this.#processes = this.#processes.slice(0, this.#listed);
    this.#listed = 0;
    return this.#processes;
  }

  #coolingFactor(timeMs: number): number {
    const cooling = this.fault?.cooling;
    if (cooling === undefined) return 1;
    const { factor, stalls } = cooling;
    return stalls !== undefined && modulo(timeMs, stalls.everyMs) < stalls.forMs ? stalls.factor : factor;
  }

  #countCorrected(step: number, timeMs: number, incidentMs: number): void {
    const perHour = this.fault?.correctedPerHour?.(timeMs, incidentMs);
    if (perHour === undefined) return;
    const expected = (perHour * STEP_MS) / HOUR;
    if (uniform(this.stream + STREAM.corrected, step) < expected) this.correctedErrors++;
  }
}
