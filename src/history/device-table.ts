import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Device, Vendor } from '../model/device.ts';
import { HOST_UUID } from './host-device.ts';

/** The devices a history knows. A device stays in it when its samples are gone. */
export class DeviceTable {
  readonly #db: DatabaseSync;
  readonly #put: StatementSync;
  readonly #idOf: StatementSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#put = db.prepare(`
      INSERT INTO devices (uuid, uuid_is_derived, vendor, name, "index", pci_bus_id, minor, serial, driver_version, more)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (uuid) DO UPDATE SET
        uuid_is_derived = excluded.uuid_is_derived, vendor = excluded.vendor, name = excluded.name,
        "index" = excluded."index", pci_bus_id = excluded.pci_bus_id, minor = excluded.minor,
        serial = excluded.serial, driver_version = excluded.driver_version, more = excluded.more
      RETURNING id`);
    this.#idOf = db.prepare('SELECT id FROM devices WHERE uuid = ?');
  }

  /** Stores the newest facts and returns the id the samples of the device carry. */
  put(device: Device): number {
    const { uuid, vendor, name, index, pciBusId, minor, serial, driverVersion, mig, facts } = device;
    const isDerived = device.uuidIsDerived === true ? 1 : 0;
    const more = mig === undefined && facts === undefined ? null : JSON.stringify({ mig, facts });
    const row = this.#put.get(uuid, isDerived, vendor, name, index, pciBusId, minor, serial, driverVersion, more);
    return Number(row?.['id']);
  }

  idOf(uuid: string): number | null {
    const row = this.#idOf.get(uuid);
    return row === undefined ? null : Number(row['id']);
  }

  /** All of them but the machine itself, by index. */
  list(): readonly Device[] {
    return [...this.byId().values()].filter(({ uuid }) => uuid !== HOST_UUID);
  }

  /** All of them by id, in the order of their indexes. */
  byId(): ReadonlyMap<number, Device> {
    const rows = this.#db.prepare('SELECT * FROM devices ORDER BY "index", uuid').all();
    return new Map(rows.map((row) => [Number(row['id']), toDevice(row)]));
  }
}

function toDevice(row: Readonly<Record<string, unknown>>): Device {
  return {
    uuid: String(row['uuid']),
    ...(row['uuid_is_derived'] === 1 ? { uuidIsDerived: true } : {}),
    vendor: String(row['vendor']) as Vendor,
    name: String(row['name']),
    index: Number(row['index']),
    pciBusId: textOrNull(row['pci_bus_id']),
    minor: typeof row['minor'] === 'number' ? row['minor'] : null,
    serial: textOrNull(row['serial']),
    driverVersion: textOrNull(row['driver_version']),
    ...(typeof row['more'] === 'string' ? JSON.parse(row['more']) : {}),
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
