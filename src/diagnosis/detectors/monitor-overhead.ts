import { claim, type Detector, noClaim, observe } from '../detector.ts';
import { spanOf } from '../wording.ts';

/** Asking the driver more often than this has been seen to slow GPUs down. */
const OFTEN_MS = 100;
const LEAST_CELLS = 100;

/** So many are enough to know that it is seldom. */
const LEAST_SELDOM_CELLS = 10;

/** Sampling so often that it may be felt. */
export const monitorOverhead: Detector = {
  id: 'monitor-overhead',
  layer: 'performance',
  needs: [],
  detect(file) {
    const { stepMs, from, to, gpus, length } = file.window;
    // A log of events has moments, but nobody has asked the driver.
    const isSampled = gpus.some((gpu) => gpu.has('utilization_ratio') || gpu.has('power_watts'));
    const least = stepMs >= OFTEN_MS ? LEAST_SELDOM_CELLS : LEAST_CELLS;
    if (length < least || !isSampled) {
      const why = length > 1 && isSampled ? 'evidence.few-samples' : 'evidence.single-sample';
      return [noClaim(monitorOverhead, file, 'not-evaluable', why)];
    }
    const values = { stepSeconds: stepMs / 1000 };
    if (stepMs >= OFTEN_MS)
      return [
        noClaim(
          monitorOverhead,
          file,
          'ruled-out',
          observe('evidence.poll-fine', { span: spanOf(stepMs / 1000) }, null, values),
        ),
      ];
    const evidence = [observe('evidence.poll', { span: spanOf(stepMs / 1000) }, null, values)];
    return [
      claim(monitorOverhead, {
        state: 'possible',
        severity: 'info',
        gpus: gpus.map(({ device }) => device.uuid),
        from,
        to,
        evidence,
      }),
    ];
  },
};
