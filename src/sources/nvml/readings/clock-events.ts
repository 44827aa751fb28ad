import type { MetricId } from '../../../model/catalogue.ts';
import { FIELD, VIOLATION } from '../abi.ts';
import type { Nvml } from '../nvml.ts';
import { MAX_SECONDS } from '../ranges.ts';
import type { Reader } from '../reader.ts';
import { symbol } from '../symbols.ts';
import { fieldGroup, type GroupItem } from './field-group.ts';

const VIOLATION_STATUS = symbol('nvmlDeviceGetViolationStatus');

const NANOSECONDS = 1e9;

/** Time that counts up from the start of the driver. `policy` is the older function's name for it: nvmlPerfPolicyType_t. */
function heldBy(metric: MetricId, field: number, policy: number): GroupItem {
  return {
    metric,
    field,
    per: NANOSECONDS,
    max: MAX_SECONDS,
    call: {
      ask: (nvml, { handle }) => nvml.call(VIOLATION_STATUS, handle, policy, nvml.out),
      value: violationTime,
    },
  };
}

function violationTime(nvml: Nvml): number {
  return nvml.amount(VIOLATION.violationTime);
}

function slowedBy(metric: MetricId, field: number): GroupItem {
  return { metric, field, per: NANOSECONDS, max: MAX_SECONDS };
}

export const CLOCK_EVENT_READERS: readonly Reader[] = [
  fieldGroup([
    heldBy('clock_event_power_cap_seconds_total', FIELD.heldByPower, 0),
    heldBy('clock_event_thermal_seconds_total', FIELD.heldByHeat, 1),
    heldBy('clock_event_sync_boost_seconds_total', FIELD.heldBySyncBoost, 2),
    heldBy('clock_event_board_limit_seconds_total', FIELD.heldByBoard, 3),
    heldBy('clock_event_low_utilization_seconds_total', FIELD.heldByIdleness, 4),
    heldBy('clock_event_reliability_seconds_total', FIELD.heldByReliability, 5),
    heldBy('clock_event_below_application_clocks_seconds_total', FIELD.belowApplicationClocks, 10),
    heldBy('clock_event_below_base_clocks_seconds_total', FIELD.belowBaseClocks, 11),
    slowedBy('clock_event_sw_thermal_seconds_total', FIELD.slowedBySoftwareHeat),
    slowedBy('clock_event_hw_thermal_seconds_total', FIELD.slowedByHardwareHeat),
    slowedBy('clock_event_power_brake_seconds_total', FIELD.slowedByPowerBrake),
  ]),
];
