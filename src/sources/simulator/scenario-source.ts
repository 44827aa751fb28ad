import type { Device } from '../../model/device.ts';
import type { GpuEvent } from '../../model/event.ts';
import type { Notice, Source } from '../../model/ports.ts';
import type { Millis } from '../../model/reading.ts';
import type { Tick } from '../../model/tick.ts';
import type { SimulationSpec } from './scenario.ts';
import { Simulation } from './simulation.ts';

/** A scenario as a source of ticks. */
export class ScenarioSource implements Source {
  readonly name: string;
  readonly origin = 'simulated';
  readonly #simulation: Simulation;
  readonly #devices: readonly Device[];
  readonly #incidentMs: number;
  #start: Millis | null = null;
  #incidentReported = false;

  constructor(spec: SimulationSpec) {
    this.name = `simulate:${spec.scenario.name}`;
    this.#incidentMs = spec.incidentMs;
    this.#simulation = new Simulation(spec);
    this.#devices = this.#simulation.gpus.map((gpu) => gpu.device);
  }

  devices(): readonly Device[] {
    return this.#devices;
  }

  /** The first call sets the start of the scenario. A time before the last one gives the current state, stamped `at`. */
  async sample(at: Millis): Promise<Tick> {
    this.#start ??= at;
    this.#simulation.advance(at - this.#start);
    return {
      at,
      monotonic: this.#simulation.timeMs,
      devices: this.#simulation.samples(),
      events: this.#newEvents(this.#start),
    };
  }

  notices(): readonly Notice[] {
    return [];
  }

  async close(): Promise<void> {}

  /** Xid reports of an incident that has happened since the last sample, stamped with its own time. */
  #newEvents(start: Millis): readonly GpuEvent[] {
    if (this.#incidentReported || this.#simulation.timeMs < this.#incidentMs) return [];
    this.#incidentReported = true;
    return this.#simulation.gpus.flatMap(({ device, fault }) =>
      (fault?.xids ?? []).map(({ code, severity }) => ({
        at: start + this.#incidentMs,
        kind: 'xid',
        severity,
        uuid: device.uuid,
        params: { index: device.index, code },
      })),
    );
  }
}
