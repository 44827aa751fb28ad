import type { AbsenceReason } from '../../model/reading.ts';
import { CODE, type Code, FIELD } from './abi.ts';
import { absenceOf, noteCode } from './answers.ts';
import type { MeterName } from './byte-meter.ts';
import { fieldCode, fieldValue, getFieldValues, perLink } from './field-values.ts';
import type { Gpu } from './gpu.ts';
import type { Nvml } from './nvml.ts';
import { BYTES_PER_KB, type Direction, readThroughput, ThroughputTurns } from './pcie-throughput.ts';
import type { MetricFacts } from './plan.ts';
import { portsOf } from './ports.ts';
import { codeOf } from './row.ts';
import { ENERGY_FIELD, MAX_BYTES_PER_SECOND, TICK_FIELDS, type TickField } from './tick-field-list.ts';

const OK = CODE.ok;

/**
 * What comes with the one call for field values in every tick. PCIe traffic is in the slow part of the catalogue for the
 * sake of drivers that do not count its bytes: there it is measured in turn.
 */
export class TickFields {
  /** Of each field, by its position. */
  readonly #slots: readonly number[];
  readonly #traffic: Readonly<Record<Direction, number>>;
  readonly #linkTraffic: Readonly<Record<Direction, number>>;
  readonly #turns = new ThroughputTurns();

  constructor(facts: MetricFacts) {
    this.#slots = TICK_FIELDS.map(({ metric }) => facts[metric].slot);
    this.#traffic = { tx: facts.pcie_tx_bytes_per_second.slot, rx: facts.pcie_rx_bytes_per_second.slot };
    this.#linkTraffic = { tx: facts.nvlink_tx_bytes_per_second.slot, rx: facts.nvlink_rx_bytes_per_second.slot };
  }

  /** Reads the fields of one open GPU. Fields it does not have are left out from then on. */
  read(nvml: Nvml, gpu: Gpu): Code {
    const { fields } = gpu;
    let code: Code = OK;
    gpu.hasEnergy = false;
    if (fields.length > 0) {
      code = getFieldValues(nvml, gpu.handle, fields);
      const at = performance.now();
      noteCode(gpu, code);
      for (let i = 0; i < fields.length; i++) {
        const entry = code === OK ? fieldCode(nvml, i) : code;
        if (entry === OK) this.#store(gpu, fields[i]!, fieldValue(nvml, i), at);
        else this.#storeAbsence(gpu, fields[i]!, entry);
      }
    }
    if (gpu.linkTraffic === 'each' && gpu.links.length > 0 && code !== CODE.gpuIsLost) this.#readLinkTraffic(nvml, gpu);
    return code;
  }

  /**
   * Measures PCIe traffic of some of the GPUs without byte counters, `elapsedMs` after the last time. At most two calls
   * per second, since they block.
   */
  readThroughputInTurn(nvml: Nvml, gpus: readonly Gpu[], elapsedMs = 1000): void {
    const candidates: Gpu[] = [];
    for (let i = 0; i < gpus.length; i++) {
      const gpu = gpus[i]!;
      if (gpu.traffic === 'throughput' && gpu.closed === 0) candidates.push(gpu);
    }
    this.#turns.turn(candidates.length, elapsedMs, (position, direction) => {
      const gpu = candidates[position]!;
      // Its other direction has just been found missing.
      if (gpu.traffic !== 'throughput') return;
      nvml.progress.setGpu(gpu.device.index);
      const code = readThroughput(nvml, gpu.handle, direction);
      noteCode(gpu, code);
      const slot = this.#traffic[direction];
      if (code === CODE.ok) gpu.row.put(slot, nvml.out[0]! * BYTES_PER_KB, 0, MAX_BYTES_PER_SECOND);
      else gpu.row.putAbsent(slot, codeOf(absenceOf(code)));
      if (absenceOf(code) !== 'not-supported') return;
      gpu.traffic = 'none';
      putAbsent(gpu, this.#traffic, 'not-supported');
    });
  }

  #store(gpu: Gpu, field: TickField, value: number, at: number): void {
    const { position, meter, per, min, max } = field;
    const slot = this.#slots[position]!;
    gpu.provenFields[position] = 1;
    if (meter === null) {
      gpu.row.put(slot, value / per, min, max);
      if (field === ENERGY_FIELD) gpu.hasEnergy = gpu.row.codes[slot] === 0;
      return;
    }
    const rate = gpu.meters[meter].next(value / per, at);
    if (rate !== null) gpu.row.put(slot, rate, min, max);
  }

  #storeAbsence(gpu: Gpu, field: TickField, code: Code): void {
    const { meter } = field;
    const reason = absenceOf(code);
    if (meter !== null) gpu.meters[meter].reset();
    gpu.row.putAbsent(this.#slots[field.position]!, codeOf(reason));
    if (reason !== 'not-supported') return;
    // Both directions from one kind of measurement, or the two could not be compared.
    const kind = meter === null ? null : kindOf(meter);
    gpu.dropFields((other) => other === field || (other.meter !== null && kindOf(other.meter) === kind));
    if (kind === 'pcie') {
      gpu.traffic = 'throughput';
      putAbsent(gpu, this.#traffic, 'not-collected');
    } else if (kind === 'nvlink') {
      // Of a driver that is slow its ports may not be known yet.
      gpu.linkTraffic = 'each';
      putAbsent(gpu, this.#linkTraffic, gpu.links.length > 0 ? 'not-collected' : 'not-supported');
    }
  }

  /** NVLink 5 counts the bytes of every port by itself. */
  #readLinkTraffic(nvml: Nvml, gpu: Gpu): void {
    const fields = trafficFields(portsOf(gpu.links));
    const code = getFieldValues(nvml, gpu.handle, fields);
    const at = performance.now();
    const sums = { tx: 0, rx: 0 };
    const counted = { tx: 0, rx: 0 };
    let failure: Code = CODE.notSupported;
    for (let i = 0; i < fields.length; i++) {
      const direction = fields[i]!.id === FIELD.linkTxBytes ? 'tx' : 'rx';
      const entry = code === CODE.ok ? fieldCode(nvml, i) : code;
      if (entry === CODE.ok) {
        sums[direction] += fieldValue(nvml, i);
        counted[direction]++;
      } else if (absenceOf(entry) !== 'not-supported') {
        failure = entry;
      }
    }
    for (const direction of ['tx', 'rx'] as const) {
      const meter = gpu.meters[direction === 'tx' ? 'nvlinkTx' : 'nvlinkRx'];
      const rate = counted[direction] === 0 ? Number.NaN : meter.next(sums[direction], at);
      if (rate !== null) gpu.row.put(this.#linkTraffic[direction], rate, 0, MAX_BYTES_PER_SECOND);
    }
    if (counted.tx + counted.rx > 0) return;
    const reason = absenceOf(failure);
    putAbsent(gpu, this.#linkTraffic, reason);
    if (reason === 'not-supported') gpu.linkTraffic = 'none';
  }
}

const trafficFields = perLink([FIELD.linkTxBytes, FIELD.linkRxBytes]);

function kindOf(meter: MeterName): 'pcie' | 'nvlink' {
  return meter === 'pcieTx' || meter === 'pcieRx' ? 'pcie' : 'nvlink';
}

function putAbsent(gpu: Gpu, slots: Readonly<Record<Direction, number>>, reason: AbsenceReason): void {
  for (const slot of [slots.tx, slots.rx]) gpu.row.putAbsent(slot, codeOf(reason));
}
