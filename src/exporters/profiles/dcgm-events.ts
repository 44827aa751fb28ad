import { CLOCK_EVENT_REASONS } from '../../model/clock-events.ts';
import { xidEntry } from '../../model/xid-table.ts';
import { family, type SampleSink } from '../family.ts';
import type { LabelSet } from '../labels.ts';
import { soleOwner } from '../owners.ts';
import type { Page, Row } from '../page.ts';
import { WINDOW_MS } from '../tick-memory.ts';
import { type DcgmNames, namesOf } from './dcgm-fields.ts';
import { dcgmOwner } from './dcgm-labels.ts';
import type { LabelCache } from './label-cache.ts';

/** dcgm-exporter's words for clock event reasons, by their bit. */
const CLOCK_EVENTS: ReadonlyMap<number, string> = new Map([
  [0x1, 'gpu_idle'],
  [0x2, 'clocks_setting'],
  [0x4, 'power_cap'],
  [0x8, 'hw_slowdown'],
  [0x10, 'sync_boost'],
  [0x20, 'sw_thermal'],
  [0x40, 'hw_thermal'],
  [0x80, 'hw_power_brake'],
  [0x100, 'display_clocks'],
]);

const WINDOW: readonly [string, number] = ['window_size_in_ms', WINDOW_MS];

const XID_COUNT = family(
  'gauge',
  'DCGM_EXP_XID_ERRORS_COUNT',
  'Reports of each Xid within the window; one series with 0 and no xid where there was none.',
);
const CLOCK_COUNT = family(
  'gauge',
  'DCGM_EXP_CLOCK_EVENTS_COUNT',
  'Samples within the window at which this clock event reason was set.',
);

/** Series that dcgm-exporter makes of what happened rather than of the newest sample. */
export class DcgmEvents {
  readonly #plain: LabelCache;
  readonly #withOwner: boolean;
  readonly #last: readonly ReturnType<typeof family>[];

  constructor(plain: LabelCache, names: DcgmNames, withOwner: boolean) {
    this.#plain = plain;
    this.#withOwner = withOwner;
    this.#last = namesOf('DCGM_FI_DEV_XID_ERRORS', names).map((name) =>
      family('gauge', name, 'Number of the newest Xid that was seen, 0 where none was.'),
    );
  }

  /** Xids are told of cards, clock events of cards too: MIG instances have none of their own. */
  write({ memory, now, source }: Page, rows: readonly Row[], sink: SampleSink): void {
    const cards = rows.filter(({ device }) => device.mig === undefined);
    const known = seesXids(source) ? cards : cards.filter(({ device }) => memory.lastXid(device.uuid) !== null);
    for (const its of this.#last) {
      sink.begin(its);
      for (const row of known) {
        const xid = memory.lastXid(row.device.uuid);
        const text = xid === null ? 'No Error' : xidEntry(xid).meaning.en;
        this.#add(sink, row, xid ?? 0, [
          ['err_code', xid ?? 0],
          ['err_msg', text],
        ]);
      }
    }
    sink.begin(XID_COUNT);
    for (const row of known) {
      const recent = memory.recentXids(row.device.uuid, now);
      if (recent.length === 0) this.#add(sink, row, 0, [WINDOW]);
      for (const { xid, count } of recent) this.#add(sink, row, count, [WINDOW, ['xid', xid]]);
    }
    sink.begin(CLOCK_COUNT);
    CLOCK_EVENT_REASONS.forEach(({ bit }, position) => {
      const word = CLOCK_EVENTS.get(bit);
      if (word === undefined) return;
      for (const row of cards) {
        const count = memory.recentSamples(row.device.uuid, position);
        if (count > 0) this.#add(sink, row, count, [['clock_event', word], WINDOW]);
      }
    });
  }

  #add(sink: SampleSink, row: Row, value: number, more: readonly (readonly [string, string | number])[]): void {
    const base: LabelSet | null = this.#plain.of(row);
    if (base === null) return;
    sink.add(dcgmOwner(base, this.#withOwner ? soleOwner(row.owners) : null, more), value);
  }
}

/** Without NVML's events and without the kernel log, nothing says that there was no Xid. */
function seesXids({ name, notices }: Page['source']): boolean {
  return !name.startsWith('nvidia-smi') || !notices.some(({ key }) => key.startsWith('notice.kernel-log'));
}
