/**
 * The functions of the library, each with its arguments. A symbol is known by its position here, which is also what the
 * worker writes down as the call in progress. None of them is required to exist: see {@link Nvml}.
 */

/**
 * `device` a handle, `out` a buffer the library writes to, `text` a C string, `int` and `uint` 32-bit numbers, `time` a
 * 64-bit one of microseconds.
 */
export type Argument = 'device' | 'out' | 'text' | 'int' | 'uint' | 'time';

const DEVICE_OUT = ['device', 'out'] as const;
const DEVICE_NUMBER_OUT = ['device', 'uint', 'out'] as const;
const DEVICE_ENUM_OUT = ['device', 'int', 'out'] as const;
const DEVICE_TEXT = ['device', 'out', 'uint'] as const;
const DEVICE_LIST = ['device', 'out', 'out'] as const;
const DEVICE_PAIR = ['device', 'device', 'out'] as const;

const SYMBOLS = {
  nvmlInit_v2: [],
  nvmlInit: [],
  nvmlShutdown: [],
  nvmlSystemGetDriverVersion: ['out', 'uint'],
  nvmlSystemGetCudaDriverVersion_v2: ['out'],
  nvmlSystemGetCudaDriverVersion: ['out'],
  nvmlSystemGetConfComputeState: ['out'],
  nvmlDeviceGetCount_v2: ['out'],
  nvmlDeviceGetCount: ['out'],
  nvmlDeviceGetHandleByIndex_v2: ['uint', 'out'],
  nvmlDeviceGetHandleByIndex: ['uint', 'out'],
  nvmlDeviceGetHandleByUUID: ['text', 'out'],
  nvmlDeviceGetName: DEVICE_TEXT,
  nvmlDeviceGetUUID: DEVICE_TEXT,
  nvmlDeviceGetSerial: DEVICE_TEXT,
  nvmlDeviceGetMinorNumber: DEVICE_OUT,
  nvmlDeviceGetPciInfo_v3: DEVICE_OUT,
  nvmlDeviceGetPciInfo_v2: DEVICE_OUT,
  nvmlDeviceGetPciInfo: DEVICE_OUT,
  nvmlDeviceGetArchitecture: DEVICE_OUT,
  nvmlDeviceGetBrand: DEVICE_OUT,
  nvmlDeviceGetCudaComputeCapability: DEVICE_LIST,
  nvmlDeviceGetVbiosVersion: DEVICE_TEXT,
  nvmlDeviceGetBoardPartNumber: DEVICE_TEXT,
  nvmlDeviceGetBoardId: DEVICE_OUT,
  nvmlDeviceGetInforomImageVersion: DEVICE_TEXT,
  nvmlDeviceGetTopologyCommonAncestor: DEVICE_PAIR,
  nvmlDeviceGetP2PStatus: ['device', 'device', 'int', 'out'],
  nvmlDeviceGetUtilizationRates: DEVICE_OUT,
  nvmlDeviceGetEncoderUtilization: DEVICE_LIST,
  nvmlDeviceGetDecoderUtilization: DEVICE_LIST,
  nvmlDeviceGetJpgUtilization: DEVICE_LIST,
  nvmlDeviceGetOfaUtilization: DEVICE_LIST,
  nvmlDeviceGetMemoryInfo_v2: DEVICE_OUT,
  nvmlDeviceGetMemoryInfo: DEVICE_OUT,
  nvmlDeviceGetBAR1MemoryInfo: DEVICE_OUT,
  nvmlDeviceGetTemperatureV: DEVICE_OUT,
  nvmlDeviceGetTemperature: DEVICE_ENUM_OUT,
  nvmlDeviceGetMarginTemperature: DEVICE_OUT,
  nvmlDeviceGetTemperatureThreshold: DEVICE_ENUM_OUT,
  nvmlDeviceGetNumFans: DEVICE_OUT,
  nvmlDeviceGetFanSpeed_v2: DEVICE_NUMBER_OUT,
  nvmlDeviceGetFanSpeed: DEVICE_OUT,
  nvmlDeviceGetFanSpeedRPM: DEVICE_OUT,
  nvmlDeviceGetPowerUsage: DEVICE_OUT,
  nvmlDeviceGetPowerManagementLimit: DEVICE_OUT,
  nvmlDeviceGetPowerManagementDefaultLimit: DEVICE_OUT,
  nvmlDeviceGetPowerManagementLimitConstraints: DEVICE_LIST,
  nvmlDeviceGetEnforcedPowerLimit: DEVICE_OUT,
  nvmlDeviceGetTotalEnergyConsumption: DEVICE_OUT,
  nvmlDeviceGetClockInfo: DEVICE_ENUM_OUT,
  nvmlDeviceGetMaxClockInfo: DEVICE_ENUM_OUT,
  nvmlDeviceGetApplicationsClock: DEVICE_ENUM_OUT,
  nvmlDeviceGetDefaultApplicationsClock: DEVICE_ENUM_OUT,
  nvmlDeviceGetPerformanceState: DEVICE_OUT,
  nvmlDeviceGetCurrentClocksEventReasons: DEVICE_OUT,
  nvmlDeviceGetCurrentClocksThrottleReasons: DEVICE_OUT,
  nvmlDeviceGetViolationStatus: DEVICE_ENUM_OUT,
  nvmlDeviceGetPcieThroughput: DEVICE_ENUM_OUT,
  nvmlDeviceGetCurrPcieLinkGeneration: DEVICE_OUT,
  nvmlDeviceGetCurrPcieLinkWidth: DEVICE_OUT,
  nvmlDeviceGetMaxPcieLinkGeneration: DEVICE_OUT,
  nvmlDeviceGetMaxPcieLinkWidth: DEVICE_OUT,
  nvmlDeviceGetGpuMaxPcieLinkGeneration: DEVICE_OUT,
  nvmlDeviceGetPcieReplayCounter: DEVICE_OUT,
  nvmlDeviceGetTotalEccErrors: ['device', 'int', 'int', 'out'],
  nvmlDeviceGetMemoryErrorCounter: ['device', 'int', 'int', 'int', 'out'],
  nvmlDeviceGetDetailedEccErrors: ['device', 'int', 'int', 'out'],
  nvmlDeviceGetSramEccErrorStatus: DEVICE_OUT,
  nvmlDeviceGetEccMode: DEVICE_LIST,
  nvmlDeviceGetRetiredPages_v2: ['device', 'int', 'out', 'out', 'out'],
  nvmlDeviceGetRetiredPages: ['device', 'int', 'out', 'out'],
  nvmlDeviceGetRetiredPagesPendingStatus: DEVICE_OUT,
  nvmlDeviceGetRemappedRows: ['device', 'out', 'out', 'out', 'out'],
  nvmlDeviceGetRowRemapperHistogram: DEVICE_OUT,
  nvmlDeviceGetNvLinkState: DEVICE_NUMBER_OUT,
  nvmlDeviceGetNvLinkRemotePciInfo_v2: DEVICE_NUMBER_OUT,
  nvmlDeviceGetNvLinkRemotePciInfo: DEVICE_NUMBER_OUT,
  nvmlDeviceGetNvLinkErrorCounter: ['device', 'uint', 'int', 'out'],
  nvmlDeviceGetGpuFabricInfoV: DEVICE_OUT,
  nvmlDeviceGetGpuFabricInfo: DEVICE_OUT,
  nvmlDeviceGetComputeMode: DEVICE_OUT,
  nvmlDeviceGetPersistenceMode: DEVICE_OUT,
  nvmlDeviceGetDisplayActive: DEVICE_OUT,
  nvmlDeviceGetDriverModel_v2: DEVICE_LIST,
  nvmlDeviceGetDriverModel: DEVICE_LIST,
  nvmlDeviceGetAddressingMode: DEVICE_OUT,
  nvmlDeviceGetMigMode: DEVICE_LIST,
  nvmlDeviceGetFieldValues: ['device', 'int', 'out'],
  nvmlDeviceGetMaxMigDeviceCount: DEVICE_OUT,
  nvmlDeviceGetMigDeviceHandleByIndex: DEVICE_NUMBER_OUT,
  nvmlDeviceGetGpuInstanceId: DEVICE_OUT,
  nvmlDeviceGetComputeInstanceId: DEVICE_OUT,
  nvmlDeviceGetAttributes_v2: DEVICE_OUT,
  nvmlEventSetCreate: ['out'],
  nvmlEventSetFree: ['device'],
  nvmlDeviceGetSupportedEventTypes: DEVICE_OUT,
  nvmlDeviceRegisterEvents: ['device', 'time', 'device'],
  nvmlEventSetWait_v2: ['device', 'out', 'uint'],
  nvmlDeviceGetComputeRunningProcesses_v3: DEVICE_LIST,
  nvmlDeviceGetComputeRunningProcesses_v2: DEVICE_LIST,
  nvmlDeviceGetComputeRunningProcesses: DEVICE_LIST,
  nvmlDeviceGetGraphicsRunningProcesses_v3: DEVICE_LIST,
  nvmlDeviceGetGraphicsRunningProcesses_v2: DEVICE_LIST,
  nvmlDeviceGetGraphicsRunningProcesses: DEVICE_LIST,
  nvmlDeviceGetMPSComputeRunningProcesses_v3: DEVICE_LIST,
  nvmlDeviceGetMPSComputeRunningProcesses_v2: DEVICE_LIST,
  nvmlDeviceGetMPSComputeRunningProcesses: DEVICE_LIST,
  nvmlDeviceGetProcessesUtilizationInfo: DEVICE_OUT,
  nvmlDeviceGetProcessUtilization: ['device', 'out', 'out', 'time'],
  nvmlDeviceGetSamples: ['device', 'int', 'time', 'out', 'out', 'out'],
  nvmlGpmQueryDeviceSupport: DEVICE_OUT,
  nvmlGpmSampleAlloc: ['out'],
  nvmlGpmSampleFree: ['device'],
  nvmlGpmSampleGet: ['device', 'device'],
  nvmlGpmMigSampleGet: ['device', 'uint', 'device'],
  nvmlGpmMetricsGet: ['out'],
} as const satisfies Readonly<Record<string, readonly Argument[]>>;

export type SymbolName = keyof typeof SYMBOLS;

const NAMES = Object.keys(SYMBOLS) as readonly SymbolName[];

/** Position of a symbol, to be looked up once and kept by hot code. */
export function symbol(name: SymbolName): number {
  return NAMES.indexOf(name);
}

export const SYMBOL_COUNT = NAMES.length;

/** The name behind a position; the library itself for a position that is none, since then it is being loaded. */
export function symbolName(position: number): string {
  return NAMES[position] ?? 'libnvidia-ml.so.1';
}

/** Arguments of the function at a position. */
export function argumentsOf(position: number): readonly Argument[] {
  const name = NAMES[position];
  return name === undefined ? [] : SYMBOLS[name];
}
