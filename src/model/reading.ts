/** Milliseconds since 1970-01-01T00:00:00Z on the clock of the host that was sampled. */
export type Millis = number;

/**
 * Why a value is missing. Order is the storage code minus one (code 0 means "present"), so new reasons go at the end.
 *
 * - `not-supported`: this device can never report it
 * - `no-permission`: it could, but not to this user
 * - `not-found`: nothing to report on, such as a process that is gone
 * - `gpu-lost`: the device fell off the bus
 * - `mig`: the driver does not report it while MIG is on
 * - `asleep`: reading it would wake a suspended device
 * - `error`: the driver answered with an error or an impossible value
 * - `not-collected`: this source does not ask for it, or has not asked yet
 */
export const ABSENCE_REASONS = [
  'not-supported',
  'no-permission',
  'not-found',
  'gpu-lost',
  'mig',
  'asleep',
  'error',
  'not-collected',
] as const;

export type AbsenceReason = (typeof ABSENCE_REASONS)[number];

export interface Absent {
  readonly absent: AbsenceReason;
}

/** A number in the metric's base unit, or the reason why there is none. */
export type Reading = number | Absent;

const ABSENT = Object.fromEntries(
  ABSENCE_REASONS.map((reason) => [reason, Object.freeze({ absent: reason })]),
) as Readonly<Record<AbsenceReason, Absent>>;

/** The shared value for one absence reason: never allocates, so it may be used on the hot path. */
export function absent(reason: AbsenceReason): Absent {
  return ABSENT[reason];
}

export function isPresent(reading: Reading): reading is number {
  return typeof reading === 'number';
}

/** The number, or null where there is none: for JSON and charts, which have one spelling for a gap. */
export function valueOrNull(reading: Reading): number | null {
  return isPresent(reading) ? reading : null;
}
