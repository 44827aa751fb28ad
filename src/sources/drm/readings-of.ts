import { DEVICE_METRICS, type MetricId } from '../../model/catalogue.ts';
import type { GpuProcess } from '../../model/process.ts';
import type { Reading } from '../../model/reading.ts';
import type { DeviceSample } from '../../model/tick.ts';

/** For tests: every value of a sample, and every reason for a missing one but "not supported". */
export function readingsOf({ readings }: DeviceSample): Partial<Record<MetricId, number | string>> {
  const found: Partial<Record<MetricId, number | string>> = {};
  for (const { id, slot } of DEVICE_METRICS) {
    const reading = readings.at(slot);
    if (typeof reading === 'number') found[id] = Math.round(reading * 1e6) / 1e6;
    else if (reading.absent !== 'not-supported') found[id] = reading.absent;
  }
  return found;
}

/** For tests: the processes of a sample as `pid kind bytes sm encoder decoder`, or the reason why there is no list. */
export function processesOf({ processes }: DeviceSample): string | string[] {
  if ('absent' in processes) return processes.absent;
  const show = (reading: Reading | undefined): string =>
    typeof reading === 'number' ? reading.toFixed(2).replace('.00', '') : (reading?.absent ?? '-');
  return processes.map(({ pid, kind, memoryBytes, smRatio, encoderRatio, decoderRatio }: GpuProcess) =>
    [pid, kind, show(memoryBytes), show(smRatio), show(encoderRatio), show(decoderRatio)].join(' '),
  );
}
