import type { AbsenceReason } from '../../model/reading.ts';
import { CODE, type Code } from './abi.ts';
import { ASK, NEVER, REST } from './asking.ts';
import type { Gpu } from './gpu.ts';
import type { Nvml } from './nvml.ts';
import type { PlannedReader } from './reader.ts';

const OK = CODE.ok;

/** The GPU fell off the bus, so far as one function can tell. */
export function isLost(code: Code): boolean {
  return code === CODE.gpuIsLost;
}

/** Codes that, if every call gives them, mean that the driver was unloaded, reloaded or replaced under the library. */
export function isDriverFailure(code: Code): boolean {
  return (
    code === CODE.uninitialized ||
    code === CODE.driverNotLoaded ||
    code === CODE.versionMismatch ||
    code === CODE.unknown
  );
}

/**
 * Why there is no reading, by the code that the call gave. "Lost" is none of its answers: whether a GPU is lost is decided
 * by several calls, and one function alone that says so has a fault of its own.
 */
export function absenceOf(code: Code): AbsenceReason {
  switch (code) {
    case CODE.notSupported:
    case CODE.functionNotFound:
    case CODE.argumentVersionMismatch:
    case CODE.eccNotSupported:
    case CODE.deprecated:
      return 'not-supported';
    case CODE.noPermission:
      return 'no-permission';
    case CODE.notFound:
      return 'not-found';
    default:
      return 'error';
  }
}

/** Notes whether the driver is there at all. */
export function noteCode(gpu: Gpu, code: Code): void {
  if (isDriverFailure(code)) gpu.driverFailure = code;
  else if (code === CODE.resetRequired) gpu.wantsReset = true;
  else if (isLost(code)) gpu.wasCalledLost = true;
  else if (code !== CODE.functionNotFound) gpu.answered = true;
}

/**
 * Runs one reader on one open GPU, unless an earlier answer says not to. Where the driver does not know or support a
 * variant the next one is tried, but a variant that has once given a value is kept: the variants of a metric need not
 * agree. Returns the last code; what it means is in the row already.
 */
export function runReader(nvml: Nvml, gpu: Gpu, reader: PlannedReader): Code {
  const { number, variants } = reader;
  if (gpu.asking[number] !== ASK) return OK;
  const { cells } = gpu;
  cells.slots = reader.slots;
  for (;;) {
    const code = variants[gpu.variant[number]!]!(nvml, gpu, cells);
    if (code === OK) {
      gpu.answered = true;
      gpu.proven[number] = 1;
      return code;
    }
    noteCode(gpu, code);
    const mayFallBack = gpu.proven[number] === 0 && gpu.variant[number]! + 1 < variants.length;
    if (absenceOf(code) !== 'not-supported' || !mayFallBack) {
      remember(gpu, reader, code);
      return code;
    }
    gpu.variant[number]!++;
  }
}

function remember(gpu: Gpu, { number, notWithMig }: PlannedReader, code: Code): void {
  const reason = absenceOf(code);
  const isMig = code === CODE.notSupported && gpu.mig && notWithMig === true;
  gpu.cells.putAllAbsent(isMig ? 'mig' : reason);
  if (reason === 'no-permission' || isMig) gpu.asking[number] = REST;
  else if (reason === 'not-supported') gpu.asking[number] = gpu.proven[number] === 1 ? REST : NEVER;
}

/** A handle that cannot be had for an unknown reason is a GPU that fell off the bus, as drivers report some of them. */
export function closedReason(code: Code): 'no-permission' | 'not-supported' | 'gpu-lost' | 'error' {
  if (isLost(code) || code === CODE.unknown) return 'gpu-lost';
  if (code === CODE.noPermission) return 'no-permission';
  return code === CODE.notSupported ? 'not-supported' : 'error';
}
