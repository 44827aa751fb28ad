import type { MetricId } from '../../../model/catalogue.ts';
import { CLOCK, CODE, PSTATE_UNKNOWN } from '../abi.ts';
import type { Nvml } from '../nvml.ts';
import { type Cells, type Reader, simpleVariant } from '../reader.ts';
import { symbol } from '../symbols.ts';

const CURRENT = symbol('nvmlDeviceGetClockInfo');
const MAXIMUM = symbol('nvmlDeviceGetMaxClockInfo');
const APPLICATION = symbol('nvmlDeviceGetApplicationsClock');
const APPLICATION_DEFAULT = symbol('nvmlDeviceGetDefaultApplicationsClock');
const PSTATE = symbol('nvmlDeviceGetPerformanceState');
const EVENT_REASONS = symbol('nvmlDeviceGetCurrentClocksEventReasons');
const THROTTLE_REASONS = symbol('nvmlDeviceGetCurrentClocksThrottleReasons');

const HERTZ_PER_MHZ = 1e6;
const MAX_HERTZ = 20e9;

/** Each clock is read, and may be missing, by itself: boards without video engines have no video clock. */
function clockReader(metric: MetricId, call: number, clock: number): Reader {
  return {
    metrics: [metric],
    variants: [
      (nvml, { handle }, out) => {
        const code = nvml.call(call, handle, clock, nvml.out);
        if (code === CODE.ok) out.put(0, nvml.out[0]! * HERTZ_PER_MHZ, 0, MAX_HERTZ);
        return code;
      },
    ],
  };
}

function putState({ out }: Nvml, cells: Cells): void {
  if (out[0] === PSTATE_UNKNOWN) cells.putAbsent(0, 'not-supported');
  else cells.put(0, out[0]!, 0, 15);
}

/** The mask has 64 bits, of which the lower half is in use; an upper half of ones, with or without the sign, is a sentinel. */
function putReasons({ out }: Nvml, cells: Cells): void {
  if (out[1]! >= 0x7fffffff) cells.putAbsent(0, 'error');
  else cells.put(0, out[0]!, 0, 0xfffffffe);
}

export const CLOCK_READERS: readonly Reader[] = [
  clockReader('sm_clock_hertz', CURRENT, CLOCK.sm),
  clockReader('memory_clock_hertz', CURRENT, CLOCK.memory),
  clockReader('graphics_clock_hertz', CURRENT, CLOCK.graphics),
  clockReader('video_clock_hertz', CURRENT, CLOCK.video),
  clockReader('sm_clock_max_hertz', MAXIMUM, CLOCK.sm),
  clockReader('memory_clock_max_hertz', MAXIMUM, CLOCK.memory),
  clockReader('graphics_clock_max_hertz', MAXIMUM, CLOCK.graphics),
  clockReader('video_clock_max_hertz', MAXIMUM, CLOCK.video),
  clockReader('application_graphics_clock_hertz', APPLICATION, CLOCK.graphics),
  clockReader('application_memory_clock_hertz', APPLICATION, CLOCK.memory),
  clockReader('application_graphics_clock_default_hertz', APPLICATION_DEFAULT, CLOCK.graphics),
  clockReader('application_memory_clock_default_hertz', APPLICATION_DEFAULT, CLOCK.memory),
  { metrics: ['performance_state'], variants: [simpleVariant(PSTATE, putState)] },
  {
    metrics: ['clock_event_reasons'],
    // One function under two names; the older one is all that drivers before R535 have.
    variants: [simpleVariant(EVENT_REASONS, putReasons), simpleVariant(THROTTLE_REASONS, putReasons)],
  },
];
