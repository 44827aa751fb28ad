export type Vendor = 'nvidia' | 'amd' | 'intel' | 'unknown';

/**
 * A GPU or a MIG instance. Keyed by `uuid` everywhere; `index` is for display only, since it moves when a card
 * disappears. A source that finds no UUID makes a stable one from what it has and says so by `uuidIsDerived`.
 */
export interface Device {
  readonly uuid: string;
  readonly uuidIsDerived?: boolean;
  readonly vendor: Vendor;
  readonly name: string;
  readonly index: number;
  /** `00000000:65:00.0`, as the driver prints it; null where unknown. */
  readonly pciBusId: string | null;
  /** N of `/dev/nvidiaN`; null where unknown. */
  readonly minor: number | null;
  readonly serial: string | null;
  readonly driverVersion: string | null;
}

/**
 * - `ok`: sampled at this tick
 * - `lost`: fell off the bus; it stays listed
 * - `asleep`: suspended by the system and deliberately not woken
 * - `stale`: the last sample is older than it should be
 */
export type DeviceState = 'ok' | 'lost' | 'asleep' | 'stale';
