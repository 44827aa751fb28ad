/** What one GPU model can do. Temperatures in °C, powers in W, clocks in Hz, thermal resistance in K/W, times in ms. */
export interface DeviceModel {
  readonly name: string;
  readonly memoryTotalBytes: number;
  /** What driver and firmware keep for themselves. */
  readonly memoryReservedBytes: number;
  readonly powerLimitWatts: number;
  readonly idleWatts: number;
  /** Extra power while the clocks are up, whatever is running. */
  readonly awakeWatts: number;
  readonly smClockMax: number;
  readonly smClockIdle: number;
  readonly memoryClock: number;
  readonly videoClockMax: number;
  readonly videoClockIdle: number;
  /** Clocks exist only in multiples of this. */
  readonly clockStep: number;
  readonly performanceStateBusy: number;
  readonly performanceStateIdle: number;
  readonly pcieGeneration: number;
  readonly pcieGenerationIdle: number;
  readonly pcieLanes: number;
  /** Here the driver starts to lower the clocks. */
  readonly slowdownCelsius: number;
  /** Here the hardware halves the clock. */
  readonly hardSlowdownCelsius: number;
  /** Down to here the driver keeps the clocks low once it has begun. */
  readonly recoveredCelsius: number;
  readonly coolingKelvinPerWatt: number;
  readonly coreTimeConstant: number;
  readonly memoryTimeConstant: number;
}

const MHZ = 1e6;

/**
 * H100 SXM. Memory sizes, clocks, limits, idle and load readings, P0 and full link speed at idle are those of recorded
 * nvidia-smi output of driver 590; thermal resistance and time constants are chosen to give its temperatures.
 */
export const H100_SXM: DeviceModel = {
  name: 'NVIDIA H100 80GB HBM3',
  memoryTotalBytes: 85_520_809_984,
  memoryReservedBytes: 502_267_904,
  powerLimitWatts: 700,
  idleWatts: 70,
  awakeWatts: 38,
  smClockMax: 1980 * MHZ,
  smClockIdle: 345 * MHZ,
  memoryClock: 2619 * MHZ,
  videoClockMax: 1545 * MHZ,
  videoClockIdle: 765 * MHZ,
  clockStep: 15 * MHZ,
  performanceStateBusy: 0,
  performanceStateIdle: 0,
  pcieGeneration: 5,
  pcieGenerationIdle: 5,
  pcieLanes: 16,
  slowdownCelsius: 87,
  hardSlowdownCelsius: 89,
  recoveredCelsius: 83,
  coolingKelvinPerWatt: 0.055,
  coreTimeConstant: 40_000,
  memoryTimeConstant: 90_000,
};
