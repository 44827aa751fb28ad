import { type ClockEventReason, reasonsIn } from '../../../src/model/clock-events.ts';

/**
 * The reasons in a mask for which a job runs slower than the device allows: its power cap, and all that is trouble. An
 * idle device and clocks that someone set are not slowed; the page of the GPU names them.
 */
export function slowingReasons(mask: number): readonly ClockEventReason[] {
  return reasonsIn(mask).filter(({ id, trouble }) => trouble || id === 'power-cap');
}
