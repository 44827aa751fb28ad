import type { ReadStream, WriteStream } from 'node:tty';
import type { ApiEvent, ApiGpus } from '../model/api.ts';
import type { Clock, Stop } from '../model/clock.ts';
import { type Translate, translator } from '../model/i18n/messages.ts';
import type { Lang } from '../model/i18n/text.ts';
import { EVENTS_MS, withEvents } from './data/events.ts';
import type { Feed, FeedListener, FindingLine, Link, SourceInfo } from './data/feed.ts';
import { type Fleet, judgeFleet, listedRows } from './data/fleet.ts';
import { TopHistory } from './data/history.ts';
import { Past } from './data/past.ts';
import { type KillPort, killWords, refusalOf } from './kill.ts';
import { Terminal } from './terminal/terminal.ts';
import type { Line } from './text/span.ts';
import { createTheme, type Depth, type Theme } from './text/theme.ts';
import { updateByMouse } from './ui/mouse.ts';
import { processEntries, processRows } from './ui/process-rows.ts';
import { initialState, type Settings, type UiState } from './ui/state.ts';
import { targetAt } from './ui/target.ts';
import { chosenGpuIndex, updateUi } from './ui/update.ts';
import { type Command, notice, type Updated, type World } from './ui/world.ts';
import type { Brush } from './view/brush.ts';
import { ASCII, UNICODE } from './view/glyphs.ts';
import { plainLines } from './view/plain.ts';
import { drawScreen, type Scene } from './view/screen.ts';

export interface TopOptions {
  readonly feed: Feed;
  readonly input: ReadStream;
  readonly output: WriteStream;
  readonly clock: Clock;
  readonly lang: Lang;
  readonly version: string;
  /** Name of this machine, to tell whether data are of it. */
  readonly host: string;
  readonly isReadonly: boolean;
  readonly hasMouse: boolean;
  /** Whether a GPU is to be shown at all. */
  readonly isWanted: (gpu: { readonly uuid: string; readonly index: number }) => boolean;
  readonly settings: Settings;
  readonly depth: Depth;
  readonly kill: KillPort;
  /** Keeps the layout; resolves with where it is, rejects with the reason why it is nowhere. */
  readonly save: (settings: Settings) => Promise<string>;
}

/** Ages and countdowns on the screen move on although nothing arrives. */
const CLOCK_MS = 1000;
/** What comes every second is never later than this where all is well: the screen is not drawn twice for it. */
const SILENT_MS = 2500;

/** The full-screen view: takes data from a feed and keys from a terminal, and draws what they come to. */
export class Top implements FeedListener {
  readonly #options: TopOptions;
  readonly #t: Translate;
  readonly #terminal: Terminal;
  readonly #history = new TopHistory();
  readonly #past: Past;
  readonly #ended = Promise.withResolvers<NodeJS.Signals | null>();
  #state: UiState;
  #theme: Theme;
  #fleet: Fleet | null = null;
  /** What is on the screen while it is held. */
  #held: Fleet | null = null;
  #events: readonly ApiEvent[] = [];
  #findings: readonly FindingLine[] = [];
  #source: SourceInfo | null = null;
  #link: Link = { phase: 'connecting' };
  #arrivedAt: number | null = null;
  /** What is on the screen, to tell what was clicked on. */
  #lines: readonly Line[] = [];
  #isDue = false;
  #stopClock: Stop = () => {};

  constructor(options: TopOptions) {
    this.#options = options;
    this.#t = translator(options.lang);
    this.#past = new Past(options.feed, this.#history);
    this.#state = initialState(options.settings);
    this.#theme = createTheme(options.settings.theme, options.depth);
    this.#terminal = new Terminal({
      input: options.input,
      output: options.output,
      clock: options.clock,
      hasMouse: options.hasMouse,
      onKey: (key) => this.#press((state, world) => updateUi(state, key, world)),
      onMouse: (press) => {
        const target = targetAt(this.#lines[press.row], press.column);
        this.#press((state, world) => updateByMouse(state, press, target, world));
      },
      onResize: () => this.#drawSoon(),
      onEnd: (signal) => this.#ended.resolve(signal),
    });
  }

  /** Runs until somebody quits or a signal comes, with which it resolves then. The terminal is as before by that time. */
  async run(): Promise<NodeJS.Signals | null> {
    const { feed, clock } = this.#options;
    this.#terminal.open();
    try {
      feed.start(this);
      this.#stopClock = clock.every(CLOCK_MS, () => this.#drawIfAging());
      this.#draw();
      return await this.#ended.promise;
    } finally {
      this.#stopClock();
      this.#terminal.close();
      await feed.stop();
    }
  }

  onGpus(state: ApiGpus): void {
    const { clock, isWanted } = this.#options;
    const shown = { ...state, gpus: state.gpus.filter(isWanted) };
    // Old data that come again are as old as they were.
    if (state.at !== this.#fleet?.state.at) this.#arrivedAt = clock.monotonic();
    this.#history.add(shown);
    this.#judge(shown);
    this.#drawSoon();
  }

  onSample(uuid: string, at: number, read: Parameters<TopHistory['addSample']>[2]): void {
    this.#history.addSample(uuid, at, read);
  }

  onEvents(events: readonly ApiEvent[]): void {
    const since = this.#now() - EVENTS_MS;
    this.#events = withEvents(this.#events, events).filter(({ at }) => at > since);
    if (events.length > 0 && this.#fleet !== null) this.#judge(this.#fleet.state);
    this.#drawSoon();
  }

  onSource(source: SourceInfo): void {
    // It is told again and again, and hardly ever another.
    const isNew = JSON.stringify(source) !== JSON.stringify(this.#source);
    this.#source = source;
    if (isNew) this.#drawSoon();
  }

  onLink(link: Link): void {
    const wasGone = this.#link.phase === 'waiting' || (this.#link.phase === 'connecting' && this.#fleet !== null);
    this.#link = link;
    if (link.phase === 'open') {
      if (wasGone) this.#say(this.#t('top.server-back'), 'text');
      this.#past.forget();
    }
    this.#drawSoon();
  }

  onFindings(findings: readonly FindingLine[]): void {
    this.#findings = findings;
    this.#drawSoon();
  }

  #judge(state: ApiGpus): void {
    this.#fleet = judgeFleet(state, this.#history, this.#events, state.at ?? this.#now(), this.#fleet);
    void this.#fillPast(state);
  }

  /** Asks for the past of what is on the screen; where it is known already this does nothing. */
  async #fillPast({ gpus }: ApiGpus): Promise<void> {
    const now = this.#now();
    const { view, gpu } = this.#state;
    const wanted = [this.#past.fleet(gpus, now)];
    if (view === 'gpu' && gpu !== null) wanted.push(this.#past.details(gpu, now));
    if (!(await Promise.all(wanted)).includes(true)) return;
    if (this.#fleet !== null) this.#judge(this.#fleet.state);
    this.#drawSoon();
  }

  /** What "now" means for the data: our clock, and where they are not of now the newest tick. */
  #now(): number {
    const at = this.#fleet?.state.at ?? null;
    return at !== null && this.#source !== null && this.#source.origin !== 'live' ? at : this.#options.clock.now();
  }

  #refusal(): World['refusal'] {
    const { isReadonly, host, feed } = this.#options;
    return refusalOf({
      isReadonly,
      host,
      server: feed.server,
      source: this.#source,
      state: this.#fleet?.state ?? null,
    });
  }

  #say(text: string, tone: 'text' | 'warning'): void {
    this.#state = { ...this.#state, notice: notice(text, tone, this.#options.clock.monotonic()) };
  }

  #press(update: (state: UiState, world: World) => Updated): void {
    const scene = this.#scene();
    const { clock } = this.#options;
    const world: World = {
      cards: scene.cards,
      rows: scene.rows,
      processes: scene.processes,
      refusal: this.#refusal(),
      page: Math.max(1, Math.floor(this.#terminal.rows / 2)),
      now: clock.monotonic(),
      t: this.#t,
    };
    const before = this.#state;
    const { state, command } = update(before, world);
    this.#state = state;
    if (state.isPaused !== before.isPaused) this.#held = state.isPaused ? this.#fleet : null;
    if (state.settings.theme !== before.settings.theme) {
      this.#theme = createTheme(state.settings.theme, this.#options.depth);
      this.#terminal.forget();
    }
    if (command !== undefined) this.#obey(command);
    if (this.#fleet !== null) void this.#fillPast(this.#fleet.state);
    this.#drawSoon();
  }

  #obey(command: Command): void {
    switch (command.kind) {
      case 'quit':
        this.#ended.resolve(null);
        return;
      case 'suspend':
        this.#terminal.suspend();
        return;
      case 'redraw':
        this.#terminal.forget();
        return;
      case 'save':
        void this.#save();
        return;
      case 'kill': {
        const { process } = command.target;
        const { words, tone } = killWords(this.#options.kill(process, command.signal), command, this.#t);
        this.#say(words, tone);
      }
    }
  }

  async #save(): Promise<void> {
    try {
      this.#say(this.#t('top.saved', { path: await this.#options.save(this.#state.settings) }), 'text');
    } catch (error) {
      this.#say(
        this.#t('top.not-saved', { detail: error instanceof Error ? error.message : String(error) }),
        'warning',
      );
    }
    this.#drawSoon();
  }

  #drawIfAging(): void {
    const { notice: said } = this.#state;
    const now = this.#options.clock.monotonic();
    if (said !== null && said.until <= now) this.#state = { ...this.#state, notice: null };
    const isSilent = this.#arrivedAt === null || now - this.#arrivedAt > SILENT_MS;
    if (this.#state.notice !== said || isSilent || this.#link.phase !== 'open') this.#drawSoon();
  }

  /** Draws once for all that happens in this turn of the loop, so that a burst of keys or data costs one frame. */
  #drawSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => this.#draw());
  }

  #draw(): void {
    this.#isDue = false;
    this.#lines = drawScreen(this.#scene());
    const shown = this.#state.settings.isAscii ? plainLines(this.#lines) : this.#lines;
    this.#terminal.show(shown, this.#theme, () => this.#drawSoon());
  }

  #scene(): Scene {
    const { lang, version, host, feed, clock } = this.#options;
    const state = this.#state;
    const fleet = this.#held ?? this.#fleet;
    const { settings, filter } = state;
    const now = this.#now();
    const cards = fleet?.rows ?? [];
    const hidden = new Set(settings.hidden);
    const rows = fleet === null ? [] : listedRows(fleet, (uuid) => hidden.has(uuid));
    const isOfOne = state.view === 'gpu' || (state.view === 'process' && state.under.includes('gpu'));
    const listed = isOfOne ? rows.slice(chosenGpuIndex(state, rows)).slice(0, 1) : rows;
    const brush: Brush = { t: this.#t, lang, glyphs: settings.isAscii ? ASCII : UNICODE, now };
    const monotonic = clock.monotonic();
    return {
      state,
      cards,
      rows,
      processes: processRows(processEntries(listed), settings, filter, settings.isTree),
      events: this.#events,
      findings: this.#findings,
      history: this.#history,
      canKill: this.#refusal() === null,
      columns: this.#terminal.columns,
      lines: this.#terminal.rows,
      brush,
      facts: {
        host: fleet?.state.host ?? host,
        version,
        gpus: cards.length,
        hidden: cards.filter(({ gpu }) => hidden.has(gpu.uuid)).length,
        source: this.#source,
        server: feed.server,
        link: this.#link,
        ageMs: this.#arrivedAt === null ? null : monotonic - this.#arrivedAt,
        at: fleet?.state.at ?? null,
        isPaused: state.isPaused,
        monotonic,
      },
    };
  }
}
