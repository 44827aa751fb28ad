import { busIdIn, parseXidLine, type XidLine } from '../../../model/xid-line.ts';
import { xidSeverity } from '../../../model/xid-table.ts';
import { UNKNOWN_IDENTITY } from '../log-devices.ts';
import { plainLine } from '../plain-line.ts';
import type { FormatContext, FormatReader, LogEvent } from '../rows.ts';
import { MOST_DEVICES } from '../snapshots.ts';
import { WrittenDates } from '../written-dates.ts';
import { isFatalSwitch, type WordedFault, wordedFault, xidParams } from './faults.ts';
import { journalMessage } from './journal.ts';
import { KernelStamps, type Stamp } from './stamps.ts';

/** Events that wait until it is known which devices there are, and lines that are searched for them. */
const HELD_EVENTS = 1000;
const HELD_LINES = 100_000;

/** Lines of the kernel may be in disorder by this much, since every CPU writes its own. */
const DISORDER_MS = 60_000;
/** A loss that is told again within this time is the same. */
const SAME_LOSS_MS = 60_000;
/** The driver splits a message over at most so many lines. */
const SPLIT_LINES = 3;

const FALLEN_OFF = 79;
const UUID_AT = /NVRM: GPU at (?:PCI:)?([0-9a-f:.]+): (GPU-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/i;
const NAMED = /NVRM: The NVIDIA GPU ([0-9a-f:.]+)/i;
const DRIVER = /NVRM: loading NVIDIA UNIX .*?\s(\d{2,4}(?:\.\d+)+)\s/;
/** Words without which a line is about something else. */
const TELLING = /NVRM|Xid|amdgpu|device handle/;

interface FoundEvent {
  readonly stamp: Stamp;
  readonly event: Omit<LogEvent, 'time'>;
}

/** Finds what the drivers say about faults. A log of this kind has no readings: it plays as ticks with events. */
export class KernelLogReader implements FormatReader {
  readonly seesXids = true;
  readonly #context: FormatContext;
  readonly #stamps: KernelStamps;
  readonly #uuids = new Map<string, string>();
  #driver: string | null = null;
  /** Null once events are given out as they come. */
  #held: FoundEvent[] | null = [];
  #lines = 0;
  #clock: Stamp['clock'] | null = null;
  #lastTime = Number.NaN;
  #named: { readonly busId: string; readonly line: number } | null = null;
  #lastLoss: { readonly busId: string | null; readonly stamp: Stamp; readonly isNumbered: boolean } | null = null;

  constructor(context: FormatContext) {
    this.#context = context;
    const { zone, report, anchor } = context;
    this.#stamps = new KernelStamps(new WrittenDates(zone, report), report, anchor);
  }

  get isHolding(): boolean {
    return this.#held !== null && this.#held.length > 0;
  }

  line(bytes: Uint8Array, start: number, end: number, number: number, terminated: boolean): void {
    if (this.#held !== null && ++this.#lines >= HELD_LINES && this.#held.length > 0) this.settle();
    const text = plainLine(bytes, start, end);
    const { line, stamp } = journalMessage(text) ?? { line: text, stamp: this.#stamps.read(text) };
    if (!TELLING.test(line)) return;
    this.#learn(line, number);
    const found = parseXidLine(line);
    // The number of a line that is cut off may be half of it.
    if (found !== null && (terminated || found.detail !== '')) this.#xid(found, stamp, number);
    const worded = found === null && terminated ? wordedFault(line) : null;
    if (worded !== null) this.#worded(worded, stamp);
    if (!terminated && found?.detail === '') this.#context.report.skip('truncated', number);
  }

  settle(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const event of held) this.#emit(event);
  }

  end(): void {
    this.settle();
  }

  #learn(line: string, number: number): void {
    if (!line.includes('NVRM: ')) return;
    const at = UUID_AT.exec(line);
    const place = at === null ? null : busIdIn(at[1]!);
    if (place !== null && this.#uuids.size < MOST_DEVICES) this.#uuids.set(place, at![2]!);
    const named = NAMED.exec(line)?.[1];
    const busId = named === undefined ? null : busIdIn(named);
    if (busId !== null) this.#named = { busId, line: number };
    this.#driver = DRIVER.exec(line)?.[1] ?? this.#driver;
  }

  #xid(found: XidLine, stamp: Stamp, number: number): void {
    const before = this.#named;
    const isContinued = before !== null && number - before.line <= SPLIT_LINES && !found.isNumbered;
    const busId = found.busId ?? (isContinued ? before.busId : null);
    const isLoss = found.kind === 'xid' && found.xid === FALLEN_OFF;
    if (isLoss && this.#isSameLoss(busId, found.isNumbered, stamp)) return;
    const isSwitch = found.kind === 'sxid';
    const device = isSwitch || busId === null ? null : this.#deviceAt(busId, 'nvidia');
    const switchSeverity = isFatalSwitch(found.raw) ? 'critical' : 'warning';
    this.#take({
      stamp,
      event: {
        device,
        kind: found.kind,
        severity: isSwitch ? switchSeverity : xidSeverity(found.xid, found.raw),
        params: xidParams(found, busId),
        isLoss,
      },
    });
  }

  /** The driver says of a card that is off the bus so in words too, with or without its place. */
  #isSameLoss(busId: string | null, isNumbered: boolean, stamp: Stamp): boolean {
    const last = this.#lastLoss;
    const isNear = last !== null && !(Math.abs(stamp.time - last.stamp.time) > SAME_LOSS_MS);
    const isSame = isNear && (busId === null || last.busId === null || busId === last.busId);
    if (!isSame || isNumbered) this.#lastLoss = { busId: busId ?? last?.busId ?? null, stamp, isNumbered };
    return isSame && !isNumbered;
  }

  #worded({ busId, vendor, severity, text, isLoss }: WordedFault, stamp: Stamp): void {
    const device = busId === null ? null : this.#deviceAt(busId, vendor);
    this.#take({ stamp, event: { device, kind: 'marker', severity, params: { text }, isLoss } });
  }

  #deviceAt(busId: string, vendor: 'nvidia' | 'amd') {
    return this.#context.devices.resolve({
      ...UNKNOWN_IDENTITY,
      uuid: this.#uuids.get(busId) ?? null,
      pciBusId: busId,
      vendor,
      driverVersion: vendor === 'nvidia' ? this.#driver : null,
    });
  }

  #take(found: FoundEvent): void {
    if (this.#held === null) {
      this.#emit(found);
      return;
    }
    this.#held.push(found);
    if (this.#held.length >= HELD_EVENTS) this.settle();
  }

  #emit({ stamp: { clock, time }, event }: FoundEvent): void {
    const { sink } = this.#context;
    if (clock !== this.#clock) {
      this.#clock = clock;
      this.#lastTime = Number.NaN;
      sink.section({ clock, intervalMs: clock === 'none' ? null : 1, places: null });
    }
    // Without times every event is a moment of its own.
    if (clock === 'none') sink.instant();
    const isDisorder = time < this.#lastTime && this.#lastTime - time < DISORDER_MS;
    const at = isDisorder ? this.#lastTime : time;
    this.#lastTime = at;
    sink.event({ ...event, time: at });
  }
}
