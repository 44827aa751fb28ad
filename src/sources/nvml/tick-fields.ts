import { CODE, type Code, FIELD } from './abi.ts';
import { absenceOf, noteCode } from './answers.ts';
import { fieldCode, fieldValue, getFieldValues } from './field-values.ts';
import type { Gpu } from './gpu.ts';
import type { Nvml } from './nvml.ts';
import { BYTES_PER_KB, type Direction, MAX_BYTES_PER_SECOND, readThroughput } from './pcie-traffic.ts';
import type { MetricFacts } from './plan.ts';
import { codeOf } from './row.ts';
import { MAX_CELSIUS, MIN_CELSIUS } from './temperature.ts';

/**
 * What comes with the one call for field values in every tick: the temperature of the memory, and the PCIe byte
 * counters, which are in the slow part of the catalogue only for the sake of drivers that have none.
 */
export class TickFields {
  readonly #memoryTemperature: number;
  readonly #traffic: Readonly<Record<Direction, number>>;
  #throughputTurn = 0;

  constructor(facts: MetricFacts) {
    this.#memoryTemperature = facts.memory_temperature_celsius.slot;
    this.#traffic = { tx: facts.pcie_tx_bytes_per_second.slot, rx: facts.pcie_rx_bytes_per_second.slot };
  }

  /** Reads the fields of one open GPU. Fields it does not have are left out from then on. */
  read(nvml: Nvml, gpu: Gpu): Code {
    const { fields } = gpu;
    if (fields.length === 0) return CODE.ok;
    const code = getFieldValues(nvml, gpu.handle, fields);
    const at = performance.now();
    noteCode(gpu, code);
    for (let i = 0; i < fields.length; i++) {
      const entry = code === CODE.ok ? fieldCode(nvml, i) : code;
      if (entry === CODE.ok) this.#store(gpu, fields[i]!, fieldValue(nvml, i), at);
      else this.#storeAbsence(gpu, fields[i]!, entry);
    }
    return code;
  }

  /** Measures one direction of one GPU among those without byte counters: this call blocks, so one per tick is enough. */
  readThroughputInTurn(nvml: Nvml, gpus: readonly Gpu[]): void {
    const candidates = gpus.filter(({ traffic, closed }) => traffic === 'throughput' && closed === 0);
    if (candidates.length === 0) return;
    const turn = this.#throughputTurn++ % (2 * candidates.length);
    const gpu = candidates[turn >> 1]!;
    const direction = (turn & 1) === 0 ? 'tx' : 'rx';
    nvml.progress.setGpu(gpu.device.index);
    const code = readThroughput(nvml, gpu.handle, direction);
    noteCode(gpu, code);
    const slot = this.#traffic[direction];
    if (code === CODE.ok) gpu.row.put(slot, nvml.out[0]! * BYTES_PER_KB, 0, MAX_BYTES_PER_SECOND);
    else gpu.row.putAbsent(slot, codeOf(absenceOf(code)));
    if (absenceOf(code) === 'not-supported') this.#giveUpTraffic(gpu);
  }

  #store(gpu: Gpu, field: number, value: number, at: number): void {
    if (field === FIELD.memoryTemperature) {
      gpu.row.put(this.#memoryTemperature, value, MIN_CELSIUS, MAX_CELSIUS);
      return;
    }
    const direction = directionOf(field);
    const rate = gpu.meters[direction].next(value, at);
    if (rate !== null) gpu.row.put(this.#traffic[direction], rate, 0, MAX_BYTES_PER_SECOND);
  }

  #storeAbsence(gpu: Gpu, field: number, code: Code): void {
    // An id that the driver has never heard of is an invalid argument to it.
    const reason = code === CODE.invalidArgument ? 'not-supported' : absenceOf(code);
    const isGone = reason === 'not-supported';
    if (field === FIELD.memoryTemperature) {
      if (isGone) gpu.fields = gpu.fields.filter((id) => id !== field);
      gpu.row.putAbsent(this.#memoryTemperature, codeOf(reason));
    } else if (isGone) {
      // Both directions from one kind of measurement, or the two could not be compared.
      gpu.fields = gpu.fields.filter((id) => id === FIELD.memoryTemperature);
      gpu.traffic = 'throughput';
    } else {
      const direction = directionOf(field);
      gpu.meters[direction].reset();
      gpu.row.putAbsent(this.#traffic[direction], codeOf(reason));
    }
  }

  #giveUpTraffic(gpu: Gpu): void {
    gpu.traffic = 'none';
    for (const slot of Object.values(this.#traffic)) gpu.row.putAbsent(slot, codeOf('not-supported'));
  }
}

function directionOf(field: number): Direction {
  return field === FIELD.pcieTxBytes ? 'tx' : 'rx';
}
