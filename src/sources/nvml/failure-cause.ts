import { AppError } from '../../model/errors.ts';
import { type DriverFacts, readDriverFacts } from './driver-facts.ts';
import type { Failure } from './protocol.ts';

/** Failures that, in a container without devices, follow from just that. */
const WITHOUT_DEVICES: readonly Failure['code'][] = [
  'NVML_LIBRARY_NOT_FOUND',
  'NVML_DRIVER_NOT_LOADED',
  'NVML_NO_DEVICES',
  'NVML_INIT_FAILED',
  'NVML_NO_PERMISSION',
];

/** The failure as an error with the cause that the machine shows: the library cannot see that it is in a container. */
export async function explainFailure(failure: Failure, root: string, library: string | null): Promise<AppError> {
  // Whoever names a file wants to hear about that file.
  const isAboutFile = failure.code === 'NVML_LIBRARY_NOT_FOUND' && library !== null;
  if (!isAboutFile && WITHOUT_DEVICES.includes(failure.code) && isWithoutDevices(await readDriverFacts(root))) {
    return new AppError('NVML_CONTAINER_WITHOUT_DEVICES');
  }
  return new AppError(failure.code, failure.params);
}

function isWithoutDevices({ isContainer, isWsl, deviceNodes }: DriverFacts): boolean {
  return isContainer && !isWsl && deviceNodes.length === 0;
}
