/**
 * The functions of the library, each with its arguments. A symbol is known by its position here, which is also what the
 * worker writes down as the call in progress. None of them is required to exist: see {@link Nvml}.
 */

/** `device` a handle, `out` a buffer the library writes to, `text` a C string, `int` and `uint` 32-bit numbers. */
export type Argument = 'device' | 'out' | 'text' | 'int' | 'uint';

const DEVICE_OUT = ['device', 'out'] as const;
const DEVICE_NUMBER_OUT = ['device', 'uint', 'out'] as const;
const DEVICE_ENUM_OUT = ['device', 'int', 'out'] as const;
const DEVICE_TEXT = ['device', 'out', 'uint'] as const;
const DEVICE_LIST = ['device', 'out', 'out'] as const;

const SYMBOLS = {
  nvmlInit_v2: [],
  nvmlInit: [],
  nvmlShutdown: [],
  nvmlSystemGetDriverVersion: ['out', 'uint'],
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
  nvmlDeviceGetUtilizationRates: DEVICE_OUT,
  nvmlDeviceGetEncoderUtilization: DEVICE_LIST,
  nvmlDeviceGetDecoderUtilization: DEVICE_LIST,
  nvmlDeviceGetMemoryInfo_v2: DEVICE_OUT,
  nvmlDeviceGetMemoryInfo: DEVICE_OUT,
  nvmlDeviceGetTemperatureV: DEVICE_OUT,
  nvmlDeviceGetTemperature: DEVICE_ENUM_OUT,
  nvmlDeviceGetMarginTemperature: DEVICE_OUT,
  nvmlDeviceGetTemperatureThreshold: DEVICE_ENUM_OUT,
  nvmlDeviceGetNumFans: DEVICE_OUT,
  nvmlDeviceGetFanSpeed_v2: DEVICE_NUMBER_OUT,
  nvmlDeviceGetFanSpeed: DEVICE_OUT,
  nvmlDeviceGetPowerUsage: DEVICE_OUT,
  nvmlDeviceGetEnforcedPowerLimit: DEVICE_OUT,
  nvmlDeviceGetTotalEnergyConsumption: DEVICE_OUT,
  nvmlDeviceGetClockInfo: DEVICE_ENUM_OUT,
  nvmlDeviceGetMaxClockInfo: DEVICE_ENUM_OUT,
  nvmlDeviceGetPerformanceState: DEVICE_OUT,
  nvmlDeviceGetCurrentClocksEventReasons: DEVICE_OUT,
  nvmlDeviceGetCurrentClocksThrottleReasons: DEVICE_OUT,
  nvmlDeviceGetPcieThroughput: DEVICE_ENUM_OUT,
  nvmlDeviceGetCurrPcieLinkGeneration: DEVICE_OUT,
  nvmlDeviceGetCurrPcieLinkWidth: DEVICE_OUT,
  nvmlDeviceGetMaxPcieLinkGeneration: DEVICE_OUT,
  nvmlDeviceGetMaxPcieLinkWidth: DEVICE_OUT,
  nvmlDeviceGetTotalEccErrors: ['device', 'int', 'int', 'out'],
  nvmlDeviceGetMigMode: DEVICE_LIST,
  nvmlDeviceGetFieldValues: ['device', 'int', 'out'],
  nvmlDeviceGetComputeRunningProcesses_v3: DEVICE_LIST,
  nvmlDeviceGetComputeRunningProcesses_v2: DEVICE_LIST,
  nvmlDeviceGetComputeRunningProcesses: DEVICE_LIST,
  nvmlDeviceGetGraphicsRunningProcesses_v3: DEVICE_LIST,
  nvmlDeviceGetGraphicsRunningProcesses_v2: DEVICE_LIST,
  nvmlDeviceGetGraphicsRunningProcesses: DEVICE_LIST,
  nvmlDeviceGetMPSComputeRunningProcesses_v3: DEVICE_LIST,
  nvmlDeviceGetMPSComputeRunningProcesses_v2: DEVICE_LIST,
  nvmlDeviceGetMPSComputeRunningProcesses: DEVICE_LIST,
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
