export type Vendor = 'nvidia' | 'amd' | 'intel' | 'huawei' | 'unknown';

/** A text that describes a device and does not change while the driver is loaded. The words are in the message table. */
export const DEVICE_FACTS = [
  'architecture',
  'brand',
  'compute-capability',
  'vbios',
  'part-number',
  'cuda-version',
  'board-id',
  'inforom',
] as const;

export type DeviceFact = (typeof DEVICE_FACTS)[number];

/** Where a MIG instance is cut out of its card. */
export interface MigSlice {
  /** UUID of the card. */
  readonly parent: string;
  /** Null where the source tells only its UUID. */
  readonly gpuInstance: number | null;
  readonly computeInstance: number | null;
  /** `3g.40gb`; null where unknown. */
  readonly profile: string | null;
}

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
  /** Set for a MIG instance, whose `index` is that of its card. */
  readonly mig?: MigSlice;
  /** What is known of it; a fact that cannot be read is missing. */
  readonly facts?: Readonly<Partial<Record<DeviceFact, string>>>;
}

/**
 * - `ok`: sampled at this tick
 * - `lost`: fell off the bus; it stays listed
 * - `asleep`: suspended by the system and deliberately not woken
 * - `stale`: the last sample is older than it should be
 */
export type DeviceState = 'ok' | 'lost' | 'asleep' | 'stale';
