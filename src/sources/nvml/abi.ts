/**
 * The part of NVML's binary interface that gpulse uses: numbers and layouts of the public header (CUDA 13.3), which are
 * the same on x86_64 and aarch64 Linux. Offsets are bytes from the start of the struct.
 */

/** What every call returns. Codes that are not listed are failures without a meaning of their own here. */
export const CODE = {
  ok: 0,
  uninitialized: 1,
  invalidArgument: 2,
  notSupported: 3,
  noPermission: 4,
  notFound: 6,
  insufficientSize: 7,
  driverNotLoaded: 9,
  /** The symbol is missing: what the library says itself, and what a call on an absent symbol gives here. */
  functionNotFound: 13,
  gpuIsLost: 15,
  resetRequired: 16,
  versionMismatch: 18,
  argumentVersionMismatch: 25,
  unknown: 999,
} as const;

/** A return code; any number, since newer drivers add some. */
export type Code = number;

/** nvmlClockType_t. */
export const CLOCK = { graphics: 0, sm: 1, memory: 2, video: 3 } as const;

/** nvmlPcieUtilCounter_t: sent by the GPU, received by it. */
export const PCIE_COUNTER = { tx: 0, rx: 1 } as const;

/** nvmlTemperatureThresholds_t. */
export const SLOWDOWN_THRESHOLD = 1;

/** nvmlTemperatureSensors_t. */
export const GPU_SENSOR = 0;

/** nvmlPstates_t: the documented word for "unknown". */
export const PSTATE_UNKNOWN = 32;

/** nvmlEnableState_t. */
export const ENABLED = 1;

/** Text buffers with the sizes the header asks for; 96 bytes hold the longest name and UUID. */
export const TEXT_SIZE = { name: 96, uuid: 96, serial: 30, driverVersion: 80 } as const;

/** A version word is the size of the struct and a number in the top byte; it is stored before every call. */
export const MEMORY_V2 = { word: 0x02000028, total: 8, reserved: 16, free: 24, used: 32 } as const;
export const MEMORY_V1 = { total: 0, free: 8, used: 16 } as const;
export const TEMPERATURE_V1 = { word: 0x0100000c, sensor: 4, temperature: 8 } as const;
export const MARGIN_V1 = { word: 0x01000008, margin: 4 } as const;
export const UTILIZATION = { gpu: 0, memory: 4 } as const;
export const PCI = { legacyBusId: 0, legacyBusIdSize: 16, busId: 36, busIdSize: 32, size: 68 } as const;
export const FIELD_VALUE = { size: 40, id: 0, scope: 4, type: 24, code: 28, value: 32 } as const;

/** A process entry; the one of the plain function ends after the memory, later ones add two instance ids. */
export const PROCESS = { pid: 0, memory: 8, gpuInstance: 16, size: 24, sizeV1: 16 } as const;

/** nvmlValueType_t. */
export const VALUE_TYPE = { double: 0, u32: 1, ulong: 2, u64: 3, i64: 4, i32: 5, u16: 6 } as const;

/** Ids for nvmlDeviceGetFieldValues. Byte counters exist since driver R555. */
export const FIELD = {
  eccCorrectedVolatile: 3,
  eccUncorrectedVolatile: 4,
  eccCorrectedAggregate: 5,
  eccUncorrectedAggregate: 6,
  memoryTemperature: 82,
  pcieTxBytes: 197,
  pcieRxBytes: 198,
} as const;
