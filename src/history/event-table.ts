import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { EventKind, GpuEvent, Severity } from '../model/event.ts';
import type { EventQuery } from '../model/ports.ts';

/** The events of a history, in the order of time and then of arrival. */
export class EventTable {
  readonly #add: StatementSync;
  readonly #all: StatementSync;
  readonly #ofDevice: StatementSync;

  constructor(db: DatabaseSync) {
    // What goes on keeps its place and the time at which it began.
    this.#add = db.prepare(`
      INSERT INTO events (at, kind, severity, uuid, params, key) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (key) WHERE key IS NOT NULL DO UPDATE SET
        kind = excluded.kind, severity = excluded.severity, uuid = excluded.uuid, params = excluded.params`);
    const newest = (condition: string) =>
      db.prepare(`SELECT at, kind, severity, uuid, params, key FROM events
        WHERE at >= $from AND at < $to ${condition} ORDER BY at DESC, sequence DESC LIMIT $limit`);
    this.#all = newest('');
    this.#ofDevice = newest('AND (uuid = $device OR uuid IS NULL)');
  }

  add({ at, kind, severity, uuid, params, key }: GpuEvent): void {
    this.#add.run(at, kind, severity, uuid, JSON.stringify(params), key ?? null);
  }

  /** The newest `limit` events that match, oldest first. */
  find({ from, to, device, limit }: EventQuery): readonly GpuEvent[] {
    const rows =
      device === undefined ? this.#all.all({ from, to, limit }) : this.#ofDevice.all({ from, to, limit, device });
    return rows.reverse().map(toEvent);
  }
}

function toEvent(row: Readonly<Record<string, unknown>>): GpuEvent {
  return {
    at: Number(row['at']),
    kind: String(row['kind']) as EventKind,
    severity: String(row['severity']) as Severity,
    uuid: typeof row['uuid'] === 'string' ? row['uuid'] : null,
    params: JSON.parse(String(row['params'])),
    ...(typeof row['key'] === 'string' ? { key: row['key'] } : {}),
  };
}
