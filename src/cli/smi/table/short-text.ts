import { isPresent, type Reading } from '../../../model/reading.ts';

/** A value in a narrow column: a failure is `ERR!`, everything else that is missing is `N/A`. */
export function shortText(reading: Reading, show: (value: number) => string): string {
  if (isPresent(reading)) return show(reading);
  const isFailure = reading.absent === 'error' || reading.absent === 'gpu-lost' || reading.absent === 'no-permission';
  return isFailure ? 'ERR!' : 'N/A';
}
