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
  const { code, params } = failure;
  // Whoever names a file wants to hear about that file.
  const isAboutFile = code === 'NVML_LIBRARY_NOT_FOUND' && library !== null;
  if (!isAboutFile && WITHOUT_DEVICES.includes(code)) {
    const facts = await readDriverFacts(root);
    // The kernel is the host's: only where it has the driver can the container be what is in the way.
    if (isWithoutDevices(facts) && facts.kernelDriver !== null) {
      return new AppError('NVML_CONTAINER_WITHOUT_DEVICES', { version: facts.kernelDriver });
    }
  }
  return new AppError(code, params);
}

function isWithoutDevices({ isContainer, isWsl, deviceNodes }: DriverFacts): boolean {
  return isContainer && !isWsl && deviceNodes.length === 0;
}
