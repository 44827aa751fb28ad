import type { Demand } from './demand.ts';
import type { DeviceModel } from './device-model.ts';

/** Length of one step of the simulation in ms. Every reading but the energy is constant within a step. */
export const STEP_MS = 500;

/** Bits of `clock_event_reasons` that the simulation sets. */
export const REASON = { idle: 0x1, powerCap: 0x4, hwSlowdown: 0x8, swThermal: 0x20, hwThermal: 0x40 } as const;

/** How long a GPU must be without work until its clocks fall: a pause between two batches is not idleness. */
const IDLE_AFTER_MS = 10_000;

/** Dynamic power over clock: voltage rises with frequency. */
const POWER_EXPONENT = 2.2;

/** How fast the driver moves the clock, in clock steps: down at every step of the simulation, up at every other one. */
const CLOCK_FALL = 1;
const CLOCK_RISE = 0.5;

/** Below this share of its maximum the driver does not take the clock for heat. */
const LOWEST_CLOCK_RATIO = 0.4;

/** How GPU memory runs warmer than the core, in K at rest and at full traffic. */
const MEMORY_ABOVE_CORE = 1;
const MEMORY_TRAFFIC_HEAT = 9;

/**
 * One GPU: work draws power, power heats, heat lowers the clocks, lower clocks draw less power. Temperatures follow
 * their equilibrium with a first-order lag, integrated exactly for constant power within a step. Power is quantised to
 * milliwatts before it is used, so the energy in microjoules is its exact integral in whole numbers.
 */
export class GpuPhysics {
  readonly #model: DeviceModel;
  readonly #coreBlend: number;
  readonly #memoryBlend: number;
  #idleMs = 0;
  #heatCap: number;
  #tooHot = false;
  #halved = false;

  busy = 0;
  memoryBusy = 0;
  rxBytesPerSecond = 0;
  txBytesPerSecond = 0;
  powerMilliwatts = 0;
  /** Energy at the end of the step. */
  energyMicrojoules: number;
  smClock: number;
  /** The clock this step would have had on a cool GPU. */
  coolClock: number;
  reasons = 0;
  temperature: number;
  memoryTemperature: number;
  idle = false;

  constructor(model: DeviceModel, inletCelsius: number, energyMicrojoules: number) {
    this.#model = model;
    this.#coreBlend = 1 - Math.exp(-STEP_MS / model.coreTimeConstant);
    this.#memoryBlend = 1 - Math.exp(-STEP_MS / model.memoryTimeConstant);
    this.#heatCap = model.smClockMax;
    this.smClock = model.smClockMax;
    this.coolClock = model.smClockMax;
    this.energyMicrojoules = energyMicrojoules;
    this.temperature = inletCelsius + model.idleWatts * model.coolingKelvinPerWatt;
    this.memoryTemperature = this.temperature + MEMORY_ABOVE_CORE;
  }

  /** Pace of the work on this GPU: the share of its full clock, 1 while it sleeps. */
  get pace(): number {
    return this.idle ? 1 : this.smClock / this.#model.smClockMax;
  }

  /**
   * Advances by one step under a load, with air of `inletCelsius`. `resistance` multiplies the thermal resistance of the
   * cooler: 1 is healthy, 1.7 clogged.
   */
  step(demand: Demand, inletCelsius: number, resistance: number): void {
    this.busy = Math.min(1, demand.busy);
    this.memoryBusy = Math.min(this.busy, demand.memoryBusy);
    this.rxBytesPerSecond = demand.rxBytesPerSecond;
    this.txBytesPerSecond = demand.txBytesPerSecond;
    this.#idleMs = this.busy < 0.005 ? this.#idleMs + STEP_MS : 0;
    this.idle = this.#idleMs > IDLE_AFTER_MS;
    this.#limitHeat();
    const watts = this.idle ? this.#rest(demand.work) : this.#run(demand.work);
    this.powerMilliwatts = Math.round(watts * 1000);
    this.energyMicrojoules += this.powerMilliwatts * STEP_MS;
    const core = inletCelsius + watts * this.#model.coolingKelvinPerWatt * resistance;
    this.temperature += (core - this.temperature) * this.#coreBlend;
    const memory = this.temperature + MEMORY_ABOVE_CORE + MEMORY_TRAFFIC_HEAT * this.memoryBusy;
    this.memoryTemperature += (memory - this.memoryTemperature) * this.#memoryBlend;
  }

  /** Lets time pass at the present power without anything else changing: a gap too long to be simulated. */
  skip(milliseconds: number): void {
    this.energyMicrojoules += this.powerMilliwatts * milliseconds;
  }

  /** Moves the highest clock that the temperature allows: down while too hot, slowly back once recovered. */
  #limitHeat(): void {
    const { slowdownCelsius, hardSlowdownCelsius, recoveredCelsius, smClockMax, clockStep } = this.#model;
    if (this.temperature >= slowdownCelsius) this.#tooHot = true;
    else if (this.temperature <= recoveredCelsius) this.#tooHot = false;
    if (this.temperature >= hardSlowdownCelsius) this.#halved = true;
    else if (this.temperature < slowdownCelsius) this.#halved = false;
    if (this.#halved) {
      this.#heatCap = Math.min(this.#heatCap, this.#quantised(smClockMax / 2));
    } else if (this.#tooHot) {
      const lowest = this.#quantised(smClockMax * LOWEST_CLOCK_RATIO);
      this.#heatCap = Math.max(lowest, this.#heatCap - CLOCK_FALL * clockStep);
    } else {
      this.#heatCap = Math.min(smClockMax, this.#heatCap + CLOCK_RISE * clockStep);
    }
  }

  #rest(work: number): number {
    this.smClock = this.#model.smClockIdle;
    this.coolClock = this.smClock;
    this.reasons = REASON.idle;
    return this.#model.idleWatts * (1 + work);
  }

  /** Sets clock and reasons for work that would take `work` of the dynamic power at full clock; returns the watts. */
  #run(work: number): number {
    const { powerLimitWatts, idleWatts, awakeWatts, smClockMax } = this.#model;
    const base = idleWatts + awakeWatts;
    const budget = powerLimitWatts - base;
    const dynamic = budget * work;
    const powerRatio = dynamic > budget ? (budget / dynamic) ** (1 / POWER_EXPONENT) : 1;
    this.coolClock = this.#quantised(smClockMax * powerRatio);
    this.smClock = Math.min(this.coolClock, this.#quantised(this.#heatCap));
    if (this.smClock < this.coolClock) {
      this.reasons = this.#halved ? REASON.hwThermal | REASON.hwSlowdown : REASON.swThermal;
    } else this.reasons = this.coolClock < smClockMax ? REASON.powerCap : 0;
    return base + dynamic * (this.smClock / smClockMax) ** POWER_EXPONENT;
  }

  #quantised(clock: number): number {
    return Math.floor(clock / this.#model.clockStep) * this.#model.clockStep;
  }
}
