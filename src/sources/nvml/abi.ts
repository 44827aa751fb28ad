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
  timeout: 10,
  /** The symbol is missing: what the library says itself, and what a call on an absent symbol gives here. */
  functionNotFound: 13,
  gpuIsLost: 15,
  resetRequired: 16,
  versionMismatch: 18,
  eccNotSupported: 22,
  argumentVersionMismatch: 25,
  deprecated: 26,
  unknown: 999,
} as const;

/** A return code; any number, since newer drivers add some. */
export type Code = number;

/** Parts of nvmlDeviceAttributes_t, in bytes. */
export const MIG_ATTRIBUTES = { gpuSlices: 24, computeSlices: 28, memoryMib: 32 } as const;

/** nvmlClockType_t. */
export const CLOCK = { graphics: 0, sm: 1, memory: 2, video: 3 } as const;

/** nvmlPcieUtilCounter_t: sent by the GPU, received by it. */
export const PCIE_COUNTER = { tx: 0, rx: 1 } as const;

/** nvmlTemperatureThresholds_t. */
export const THRESHOLD = { shutdown: 0, slowdown: 1, memoryMax: 2, gpuMax: 3 } as const;

/** nvmlTemperatureSensors_t. */
export const GPU_SENSOR = 0;

/** nvmlPstates_t: the documented word for "unknown". */
export const PSTATE_UNKNOWN = 32;

/** nvmlEnableState_t. */
export const ENABLED = 1;

/** Text buffers with the sizes the header asks for; 96 bytes hold the longest name and UUID. */
export const TEXT_SIZE = {
  name: 96,
  uuid: 96,
  serial: 30,
  driverVersion: 80,
  vbios: 32,
  partNumber: 80,
  inforom: 16,
} as const;

/** A version word is the size of the struct and a number in the top byte; it is stored before every call. */
export const MEMORY_V2 = { word: 0x02000028, total: 8, reserved: 16, free: 24, used: 32 } as const;
export const MEMORY_V1 = { total: 0, free: 8, used: 16 } as const;
export const TEMPERATURE_V1 = { word: 0x0100000c, sensor: 4, temperature: 8 } as const;
export const MARGIN_V1 = { word: 0x01000008, margin: 4 } as const;
export const UTILIZATION = { gpu: 0, memory: 4 } as const;
export const PCI = { legacyBusId: 0, legacyBusIdSize: 16, busId: 36, busIdSize: 32, size: 68 } as const;
export const FIELD_VALUE = { size: 40, id: 0, scope: 4, type: 24, code: 28, value: 32 } as const;

/**
 * A process entry; the one of the plain function ends after the memory, later ones add two instance ids, and some drivers
 * wrote a longer one, with memory of confidential computing behind the ids.
 */
export const PROCESS = {
  pid: 0,
  memory: 8,
  gpuInstance: 16,
  computeInstance: 20,
  size: 24,
  sizeV1: 16,
  sizeLong: 32,
} as const;

/** In place of an instance id: none. In place of a pid: nobody's. */
export const NO_ID = 0xffffffff;

/** A row of process utilisation: four percentages from `sm` on, for SM, memory, encoder and decoder. */
export const USE_ROW = { pid: 0, time: 8, sm: 16, size: 32 } as const;
/** The same of the newer function, and the struct that takes the place of its arguments. */
export const USE_ROW_V1 = { time: 0, pid: 8, sm: 12, size: 40 } as const;
export const USE_ROWS_V1 = { word: 0x01000018, count: 4, since: 8, rows: 16, size: 24 } as const;

/** nvmlSamplingType_t. */
export const SAMPLING = {
  power: 0,
  gpuUtilization: 1,
  memoryUtilization: 2,
  encoder: 3,
  decoder: 4,
  processorClock: 5,
  memoryClock: 6,
} as const;

export const SAMPLE = { time: 0, value: 8, size: 16 } as const;

/** Both structs of GPM have a plain 1 for a version word; the longer one grew to this size under it. */
export const GPM_SUPPORT = { word: 1, isSupported: 4 } as const;
export const GPM_METRICS = { word: 1, count: 4, older: 8, newer: 16, entries: 24, size: 13344 } as const;
export const GPM_METRIC = { id: 0, code: 4, value: 8, size: 40 } as const;

/** nvmlValueType_t. */
export const VALUE_TYPE = { double: 0, u32: 1, ulong: 2, u64: 3, i64: 4, i32: 5, u16: 6 } as const;

/** nvmlBAR1Memory_t. */
export const BAR1 = { total: 0, free: 8, used: 16 } as const;
export const FAN_SPEED_V1 = { word: 0x0100000c, fan: 4, speed: 8 } as const;
export const ADDRESSING_V1 = { word: 0x01000008, value: 4 } as const;
/** nvmlViolationTime_t: the time it refers to is in microseconds, the violation in nanoseconds. */
export const VIOLATION = { violationTime: 8 } as const;
/** nvmlEccErrorCounts_t. */
export const ECC_COUNTS = { l1: 0, l2: 8, memory: 16, registers: 24 } as const;
export const SRAM_ECC_V1 = {
  word: 0x01000068,
  aggregateParity: 8,
  aggregateSecded: 16,
  volatileParity: 32,
  volatileSecded: 40,
  l2: 56,
  sm: 64,
  pcie: 72,
  mcu: 80,
  other: 88,
  thresholdExceeded: 96,
} as const;
/** nvmlGpuFabricInfo_v3_t and _v2_t begin alike; the oldest form has no version word, so all lies 4 bytes further in front. */
export const FABRIC = { word3: 0x03000028, word2: 0x02000024, status: 20, state: 28, health: 32, summary: 36 } as const;
export const FABRIC_V1 = { status: 16, state: 24 } as const;

/** nvmlConfComputeSystemState_t. */
export const CONFIDENTIAL_COMPUTE = { feature: 4 } as const;

/** nvmlMemoryLocation_t. */
export const MEMORY_LOCATION = { l1: 0, l2: 1, dram: 2, registers: 3, texture: 4, cbu: 6, sram: 7 } as const;

/** nvmlMemoryErrorType_t. */
export const ECC_ERROR = { corrected: 0, uncorrected: 1 } as const;

/** nvmlEccCounterType_t. */
export const ECC_SPAN = { volatile: 0, aggregate: 1 } as const;

/** nvmlNvLinkErrorCounter_t. */
export const NVLINK_ERROR = { replay: 0, recovery: 1, crcFlit: 2, crcData: 3 } as const;

/** Ports that a GPU may have. */
export const MAX_NVLINKS = 36;

/** nvmlGpuTopologyLevel_t. */
export const TOPOLOGY = { internal: 0, single: 10, multiple: 20, hostBridge: 30, node: 40, system: 50 } as const;

/** nvmlGpuP2PCapsIndex_t. */
export const P2P_READ = 0;

/** Scope of a field that is summed over all NVLink ports. */
export const ALL_LINKS = 0xffffffff;

/** Ids for nvmlDeviceGetFieldValues. Byte counters of PCIe exist since driver R555, those of an NVLink port since R560. */
export const FIELD = {
  eccMode: 1,
  eccModePending: 2,
  eccCorrectedVolatile: 3,
  eccUncorrectedVolatile: 4,
  eccCorrectedAggregate: 5,
  eccUncorrectedAggregate: 6,
  retiredCorrected: 29,
  retiredUncorrected: 30,
  retiredPending: 31,
  nvlinkCrcFlit: 38,
  nvlinkCrcData: 45,
  nvlinkReplay: 52,
  nvlinkRecovery: 59,
  heldByPower: 74,
  heldByHeat: 75,
  heldBySyncBoost: 76,
  heldByBoard: 77,
  heldByIdleness: 78,
  heldByReliability: 79,
  belowApplicationClocks: 80,
  belowBaseClocks: 81,
  memoryTemperature: 82,
  energy: 83,
  linkCount: 91,
  pcieReplays: 94,
  nvlinkTxKib: 138,
  nvlinkRxKib: 139,
  remappedCorrectable: 142,
  remappedUncorrectable: 143,
  remappedPending: 144,
  remappedFailure: 145,
  linkReplays: 161,
  linkRecoveries: 162,
  linkCrcErrors: 163,
  linkState: 165,
  pcieRecoveries: 169,
  pcieCorrectable: 173,
  pcieNonFatal: 179,
  pcieFatal: 180,
  powerAverage: 185,
  powerInstant: 186,
  powerLimitMin: 187,
  powerLimitMax: 188,
  powerLimitDefault: 189,
  powerLimit: 190,
  powerLimitRequested: 192,
  marginAtShutdown: 193,
  marginAtSlowdown: 194,
  marginAtMemoryMax: 195,
  marginAtGpuMax: 196,
  pcieTxBytes: 197,
  pcieRxBytes: 198,
  linkTxBytes: 202,
  linkRxBytes: 204,
  linkRecoveryEvents: 215,
  recoveryAction: 230,
  slowedBySoftwareHeat: 269,
  slowedByHardwareHeat: 270,
  slowedByPowerBrake: 271,
} as const;
