import { slotOf } from '../../model/catalogue.ts';
import type { GpuProcess } from '../../model/process.ts';
import { ReadingSet } from '../../model/reading-set.ts';
import type { DeviceModel } from './device-model.ts';
import type { SimulatedGpu } from './simulated-gpu.ts';

const SLOT = {
  busy: slotOf('utilization_ratio'),
  memoryBusy: slotOf('memory_utilization_ratio'),
  encoder: slotOf('encoder_utilization_ratio'),
  decoder: slotOf('decoder_utilization_ratio'),
  memoryTotal: slotOf('memory_total_bytes'),
  memoryUsed: slotOf('memory_used_bytes'),
  memoryFree: slotOf('memory_free_bytes'),
  memoryReserved: slotOf('memory_reserved_bytes'),
  temperature: slotOf('temperature_celsius'),
  slowdown: slotOf('temperature_slowdown_celsius'),
  margin: slotOf('temperature_margin_celsius'),
  memoryTemperature: slotOf('memory_temperature_celsius'),
  fan: slotOf('fan_speed_ratio'),
  power: slotOf('power_watts'),
  powerLimit: slotOf('power_limit_watts'),
  energy: slotOf('energy_joules_total'),
  smClock: slotOf('sm_clock_hertz'),
  memoryClock: slotOf('memory_clock_hertz'),
  graphicsClock: slotOf('graphics_clock_hertz'),
  videoClock: slotOf('video_clock_hertz'),
  smClockMax: slotOf('sm_clock_max_hertz'),
  memoryClockMax: slotOf('memory_clock_max_hertz'),
  performanceState: slotOf('performance_state'),
  reasons: slotOf('clock_event_reasons'),
  tx: slotOf('pcie_tx_bytes_per_second'),
  rx: slotOf('pcie_rx_bytes_per_second'),
  generation: slotOf('pcie_link_generation'),
  generationMax: slotOf('pcie_link_generation_max'),
  width: slotOf('pcie_link_width'),
  widthMax: slotOf('pcie_link_width_max'),
  corrected: slotOf('ecc_corrected_volatile_total'),
  uncorrected: slotOf('ecc_uncorrected_volatile_total'),
  correctedEver: slotOf('ecc_corrected_aggregate_total'),
  uncorrectedEver: slotOf('ecc_uncorrected_aggregate_total'),
};

/** The readings that never change on a model; the copy to start every set from. */
export function fixedReadings(model: DeviceModel): ReadingSet {
  const set = new ReadingSet();
  set.setValue(SLOT.encoder, 0);
  set.setValue(SLOT.decoder, 0);
  set.setValue(SLOT.memoryTotal, model.memoryTotalBytes);
  set.setValue(SLOT.memoryReserved, model.memoryReservedBytes);
  set.setValue(SLOT.slowdown, model.slowdownCelsius);
  set.setAbsent(SLOT.fan, 'not-supported');
  set.setValue(SLOT.powerLimit, model.powerLimitWatts);
  set.setValue(SLOT.memoryClock, model.memoryClock);
  set.setValue(SLOT.smClockMax, model.smClockMax);
  set.setValue(SLOT.memoryClockMax, model.memoryClock);
  set.setValue(SLOT.generationMax, model.pcieGeneration);
  set.setValue(SLOT.width, model.pcieLanes);
  set.setValue(SLOT.widthMax, model.pcieLanes);
  return set;
}

/**
 * All readings of a GPU, in the steps in which NVML gives them: whole percent, degrees and 15 MHz, milliwatts, millijoules,
 * kilobytes per second. `missingMs` is how much of the current step is not over yet; only the energy depends on it.
 */
export function readingsOf(
  gpu: SimulatedGpu,
  fixed: ReadingSet,
  processes: readonly GpuProcess[],
  missingMs: number,
): ReadingSet {
  const { physics, model } = gpu;
  const set = fixed.clone();
  const used = heldBy(processes);
  const temperature = Math.round(physics.temperature);
  const energy = physics.energyMicrojoules - physics.powerMilliwatts * missingMs;
  set.setValue(SLOT.busy, Math.round(physics.busy * 100) / 100);
  set.setValue(SLOT.memoryBusy, Math.round(physics.memoryBusy * 100) / 100);
  set.setValue(SLOT.memoryUsed, used);
  set.setValue(SLOT.memoryFree, model.memoryTotalBytes - model.memoryReservedBytes - used);
  set.setValue(SLOT.temperature, temperature);
  set.setValue(SLOT.margin, model.slowdownCelsius - temperature);
  set.setValue(SLOT.memoryTemperature, Math.round(physics.memoryTemperature));
  set.setValue(SLOT.power, physics.powerMilliwatts / 1000);
  set.setValue(SLOT.energy, Math.floor(energy / 1000) / 1000);
  set.setValue(SLOT.smClock, physics.smClock);
  set.setValue(SLOT.graphicsClock, physics.smClock);
  set.setValue(SLOT.videoClock, videoClock(gpu));
  set.setValue(SLOT.performanceState, physics.idle ? model.performanceStateIdle : model.performanceStateBusy);
  set.setValue(SLOT.reasons, physics.reasons);
  set.setValue(SLOT.tx, Math.round(physics.txBytesPerSecond / 1000) * 1000);
  set.setValue(SLOT.rx, Math.round(physics.rxBytesPerSecond / 1000) * 1000);
  set.setValue(SLOT.generation, physics.idle ? model.pcieGenerationIdle : model.pcieGeneration);
  set.setValue(SLOT.corrected, gpu.correctedErrors);
  set.setValue(SLOT.uncorrected, gpu.uncorrectedErrors);
  set.setValue(SLOT.correctedEver, gpu.pastCorrectedErrors + gpu.correctedErrors);
  set.setValue(SLOT.uncorrectedEver, gpu.uncorrectedErrors);
  return set;
}

function heldBy(processes: readonly GpuProcess[]): number {
  let sum = 0;
  for (const { memoryBytes } of processes) if (typeof memoryBytes === 'number') sum += memoryBytes;
  return sum;
}

/** The video clock follows the SM clock, in the same steps. */
function videoClock({ physics, model }: SimulatedGpu): number {
  if (physics.idle) return model.videoClockIdle;
  const ratio = physics.smClock / model.smClockMax;
  return Math.floor((model.videoClockMax * ratio) / model.clockStep) * model.clockStep;
}
