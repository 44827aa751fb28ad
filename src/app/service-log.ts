import type { Clock, Stop } from '../model/clock.ts';
import type { Device } from '../model/device.ts';
import type { EventKind, GpuEvent } from '../model/event.ts';
import { eventText } from '../model/i18n/event-text.ts';
import { LOG_MESSAGES } from '../model/i18n/messages-log.ts';
import { noticeText } from '../model/i18n/notice-text.ts';
import type { Lang } from '../model/i18n/text.ts';
import { type TranslateOf, translatorOf } from '../model/i18n/translator.ts';
import type { Notice, TickSink } from '../model/ports.ts';
import type { SourceStatus } from '../model/reader.ts';
import type { Millis } from '../model/reading.ts';
import type { Tick } from '../model/tick.ts';

/** Where the lines of a running `serve` go, and in which language. */
export interface LogOutput {
  readonly lang: Lang;
  /** Takes one line without its end. */
  readonly print: (line: string) => void;
}

interface LogParts extends LogOutput {
  readonly clock: Clock;
  /** With the notices of the source and of the receivers. */
  readonly status: () => SourceStatus;
  /** Every device known so far, those that do not answer too. */
  readonly devices: () => readonly { readonly device: Device }[];
}

/** Events of one kind on one GPU, and one notice, are not told more often. */
const REST_MS = 60_000;
/** What was longer ago when its tick was taken comes from before the start, such as the Xids that the kernel still knows. */
const NEWS_MS = 60_000;
const LOOK_MS = 2000;
/** Events that go on, of which it is remembered how far they were. */
const MOST_KEYS = 1000;

/** They are of no severity, and yet tell that a fault is over. */
const ENDINGS: ReadonlySet<EventKind> = new Set(['gpu-back', 'throttle-ended', 'driver-reloaded', 'source-recovered']);

/** Parameters that tell whom a notice is about; the others, such as how long it lasts, change while it is there. */
const WHOM = ['index', 'sink', 'name', 'path'] as const;

interface Told {
  /** On the monotonic clock. */
  at: number;
  leftOut: number;
  /** The newest line that was left out. */
  last: Line | null;
}

interface Line {
  readonly at: Millis;
  readonly sentence: string;
}

interface Standing {
  /** On the monotonic clock. */
  toldAt: number;
  isTold: boolean;
  notice: Notice;
  /** Of the look that found it last. */
  look: number;
}

/**
 * What an operator finds in the log of `serve`: a line for each event of severity warning or worse and for its end, and one
 * when a notice appears and one when it is gone. What repeats is told once a minute, with the number of lines left out.
 */
export class ServiceLog implements TickSink {
  readonly #parts: LogParts;
  readonly #say: TranslateOf<typeof LOG_MESSAGES>;
  readonly #told = new Map<string, Told>();
  readonly #standing = new Map<string, Standing>();
  /** How often an event that goes on had happened, by its key. */
  readonly #counts = new Map<string, number>();
  #isOpen = false;
  #looks = 0;
  #stop: Stop = () => {};

  constructor(parts: LogParts) {
    this.#parts = parts;
    this.#say = translatorOf(LOG_MESSAGES, parts.lang);
  }

  /** Ticks before this are not told of. */
  open(): void {
    this.#isOpen = true;
    this.#stop = this.#parts.clock.every(LOOK_MS, () => this.#look());
  }

  accept(tick: Tick): void {
    if (!this.#isOpen || tick.events.length === 0) return;
    for (const event of tick.events) {
      if (event.severity === 'info' && !ENDINGS.has(event.kind)) continue;
      if (this.#isNews(event, tick.at)) this.#event(event, tick.at);
    }
  }

  /** Tells what was left out so far, and nothing any more. */
  close(): void {
    this.#stop();
    this.#isOpen = false;
    this.#tellLeftOut(Number.POSITIVE_INFINITY);
  }

  #isNews({ at, key, params }: GpuEvent, tickAt: Millis): boolean {
    const isOld = tickAt - at > NEWS_MS;
    if (key === undefined) return !isOld;
    const count = Number(params['count'] ?? 1);
    const before = this.#counts.get(key);
    this.#counts.delete(key);
    this.#counts.set(key, count);
    if (this.#counts.size > MOST_KEYS) this.#counts.delete(this.#counts.keys().next().value!);
    // It keeps the time of its first, so that only its number tells that there are more.
    return before === undefined ? !isOld : count > before;
  }

  #event(event: GpuEvent, tickAt: Millis): void {
    const { kind, uuid, params } = event;
    const now = this.#parts.clock.monotonic();
    const line = {
      at: tickAt - event.at > NEWS_MS ? tickAt : event.at,
      sentence: this.#about(this.#deviceOf(uuid), eventText(event, this.#parts.lang)),
    };
    const group = `${kind} ${uuid} ${params['xid'] ?? ''}`;
    const told = this.#told.get(group);
    if (told !== undefined && now - told.at < REST_MS) {
      told.leftOut++;
      told.last = line;
      return;
    }
    this.#print(this.#counted(line, told?.leftOut ?? 0));
    this.#told.set(group, { at: now, leftOut: 0, last: null });
  }

  #look(): void {
    const now = this.#parts.clock.monotonic();
    this.#tellLeftOut(now);
    const { state, notices } = this.#parts.status();
    // While the GPUs are let go of, nothing is known of what was said of them.
    if (state === 'released') return;
    this.#looks++;
    for (const notice of notices) this.#notice(notice, now);
    for (const [id, standing] of this.#standing) if (standing.look !== this.#looks) this.#gone(id, standing, now);
  }

  #tellLeftOut(now: number): void {
    const due: Line[] = [];
    for (const [group, told] of this.#told) {
      if (now - told.at < REST_MS) continue;
      if (told.last === null) {
        this.#told.delete(group);
        continue;
      }
      due.push(this.#counted(told.last, told.leftOut - 1));
      Object.assign(told, { at: now, leftOut: 0, last: null });
    }
    for (const line of due.sort((a, b) => a.at - b.at)) this.#print(line);
  }

  #notice(notice: Notice, now: number): void {
    const id = identity(notice);
    const standing = this.#standing.get(id) ?? { toldAt: Number.NEGATIVE_INFINITY, isTold: false, notice, look: 0 };
    standing.notice = notice;
    standing.look = this.#looks;
    this.#standing.set(id, standing);
    if (standing.isTold || now - standing.toldAt < REST_MS) return;
    standing.isTold = true;
    standing.toldAt = now;
    this.#print({ at: this.#parts.clock.now(), sentence: this.#noticeText(notice) });
  }

  #gone(id: string, standing: Standing, now: number): void {
    // What was given up stays given up: that notice only makes way for the one that the receiver fails again.
    if (standing.isTold && standing.notice.key !== 'notice.sink-lost') {
      const sentence = this.#say('log.gone', { sentence: this.#noticeText(standing.notice) });
      this.#print({ at: this.#parts.clock.now(), sentence });
    }
    standing.isTold = false;
    if (now - standing.toldAt >= REST_MS) this.#standing.delete(id);
  }

  #noticeText(notice: Notice): string {
    const { index } = notice.params;
    const device = this.#parts
      .devices()
      .find((sample) => sample.device.index === index && sample.device.mig === undefined);
    return this.#about(device?.device, noticeText(notice, this.#parts.lang));
  }

  #deviceOf(uuid: string | null): Device | undefined {
    return uuid === null ? undefined : this.#parts.devices().find(({ device }) => device.uuid === uuid)?.device;
  }

  /** The sentence with the index and the name of the GPU at its beginning. */
  #about(device: Device | undefined, sentence: string): string {
    if (device === undefined) return sentence;
    const gpu = this.#say('log.gpu', { index: device.index, name: device.name });
    const short = `GPU ${device.index}`;
    if (sentence.startsWith(gpu)) return sentence;
    if (!sentence.startsWith(short)) return this.#say('log.about', { gpu, sentence });
    const rest = sentence.slice(short.length);
    return gpu + (gpu.endsWith('）') ? rest.trimStart() : rest);
  }

  #counted({ at, sentence }: Line, count: number): Line {
    return { at, sentence: count > 0 ? this.#say('log.left-out', { sentence, count }) : sentence };
  }

  #print({ at, sentence }: Line): void {
    // What a kernel or a receiver says may hold line ends and escape sequences.
    this.#parts.print(`${new Date(at).toISOString()} ${sentence.replace(/\p{Cc}+/gu, ' ')}`);
  }
}

function identity({ key, params }: Notice): string {
  return `${key} ${WHOM.map((name) => params[name] ?? '').join(' ')}`;
}
