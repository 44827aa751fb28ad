import { parseSource } from '../../app/open-source.ts';
import { namedLook } from '../../app/served-look.ts';
import { parseServer } from '../../app/server-request.ts';
import { AppError } from '../../model/errors.ts';
import type { GpuEvent } from '../../model/event.ts';
import type { Context } from '../context.ts';
import { sourceOptions } from '../options.ts';
import { Calendar } from './calendar.ts';
import { type Card, cardFilter, cardsOf, leadDevice, type Shot, unmatched } from './cards.ts';
import { errorTeller } from './error-lines.ts';
import { EXIT, inItsWords, NO_DEVICES } from './failure.ts';
import { type FeedEnd, fromServer, type Moment, once, repeatedly } from './feed.ts';
import { listLines } from './list.ts';
import { DeviceMonitor } from './monitor/dmon.ts';
import { ProcessMonitor } from './monitor/pmon.ts';
import { openOutput } from './output.ts';
import { type PciPlace, readPciPlace } from './pci-place.ts';
import { processesOf } from './processes.ts';
import { fieldHelp } from './query/field-help.ts';
import { hasLost, QueryPrinter } from './query/query.ts';
import { textReport, xmlReport } from './report/report.ts';
import type { SmiRequest } from './request.ts';
import { summaryTable } from './table/table.ts';
import { askTopology, readTopology, topologyLines } from './topology.ts';
import { versionLines } from './version.ts';

/** Makes shots of moments, and remembers what of the list of `-i` was never there. */
class Chooser {
  readonly #ids: string | null;
  readonly #isWanted: (card: Card) => boolean;
  readonly #places = new Map<string, PciPlace | null>();
  #missing: readonly string[] = [];
  #chosen: ReadonlySet<string> = new Set();

  constructor(ids: string | null) {
    this.#ids = ids;
    this.#isWanted = cardFilter(ids);
  }

  get missing(): readonly string[] {
    return this.#missing;
  }

  shot({ at, devices, isHere }: Moment): Shot {
    const all = cardsOf(devices, (busId) => (isHere ? this.#placeOf(busId) : null));
    this.#missing = unmatched(this.#ids, all);
    const cards = all.filter(this.#isWanted);
    this.#chosen = new Set(
      cards.flatMap(({ view, instances }) => [view, ...instances].map(({ device }) => device.uuid)),
    );
    return { at, cards, count: all.length, lead: leadDevice(all) };
  }

  /** True of a device of the last shot; of every one before there was any, and where none was named. */
  isChosen(uuid: string): boolean {
    return this.#ids === null || this.#chosen.size === 0 || this.#chosen.has(uuid);
  }

  #placeOf(busId: string | null): PciPlace | null {
    const key = busId ?? '';
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const place = readPciPlace(busId);
    this.#places.set(key, place);
    return place;
  }
}

/** Does what was asked for, and gives the exit code. Throws SmiFailure or AppError where nothing can be printed. */
export async function runRequest(request: SmiRequest, context: Context): Promise<number> {
  const { what, ids } = request;
  const options = sourceOptions(request.source, context);
  if (what.kind === 'field-help') {
    context.print(fieldHelp(what.query, context.lang).join('\n'));
    return 0;
  }
  const chooser = new Chooser(ids);
  if (what.kind === 'topology') {
    const { moment, links } =
      request.host === null
        ? await readTopology(options)
        : await askTopology(parseServer('--host', request.host), context.lang);
    const shot = chooser.shot(moment);
    if (shot.cards.length === 0) throw NO_DEVICES;
    context.print(topologyLines(shot.cards, links).join('\n'));
    return exitOf(chooser, hasLost(shot), context);
  }
  const output = await openOutput(request.file, context);
  let isLost = false;
  let isVain = true;
  const unlisted = new UnlistedProcesses(context);
  const calendar = new Calendar(request.source.timeZone ?? null);
  const lines = printerOf(request, calendar);
  const tell = errorTeller(request, calendar, (uuid) => chooser.isChosen(uuid), context);
  const show = (moment: Moment): void => {
    const shot = chooser.shot(moment);
    // Others that were asked for are printed all the same.
    if (shot.cards.length === 0) return;
    isVain = false;
    isLost = hasLost(shot);
    if (tellsProcesses(request)) unlisted.tell(shot);
    output.write(lines(shot));
  };
  const end = await follow(request, context, { drained: output.drained, tell }, show).finally(() => output.close());
  warnOf(end, context);
  if (end.failure !== null) return inItsWords(end.failure)?.exit ?? EXIT.other;
  if (isVain) throw NO_DEVICES;
  return exitOf(chooser, isLost, context);
}

/** What is amiss with some GPUs though the others were printed. */
function exitOf({ missing }: Chooser, isLost: boolean, { warn, lang }: Context): number {
  if (missing.length > 0) {
    warn(new AppError('GPU_NOT_LISTED', { name: missing.join(',') }).text(lang));
    return EXIT.notFound;
  }
  return isLost ? EXIT.gpuLost : 0;
}

function follow(
  { intervalMs, limit, host, source }: SmiRequest,
  context: Context,
  { drained, tell }: { readonly drained: () => Promise<void>; readonly tell: (event: GpuEvent) => void },
  show: (moment: Moment) => void,
): Promise<FeedEnd> {
  const { lang, clock } = context;
  if (host !== null) {
    const base = parseServer('--host', host);
    return fromServer(() => namedLook(base, lang), clock, { intervalMs, limit, drained }, show);
  }
  const options = sourceOptions(source, context);
  // A single look waits for the names of processes; a recording starts with its first tick.
  const isOnce = intervalMs === null || (limit === 1 && parseSource(options.spec).kind !== 'replay');
  return isOnce ? once(options, lang, show) : repeatedly(options, lang, { intervalMs, limit, drained, tell }, show);
}

/** How a shot is printed. */
function printerOf({ what, intervalMs }: SmiRequest, calendar: Calendar): (shot: Shot) => readonly string[] {
  switch (what.kind) {
    case 'query': {
      const printer = new QueryPrinter(what.query, calendar, intervalMs !== null);
      return (shot) => printer.lines(shot);
    }
    case 'dmon': {
      const monitor = new DeviceMonitor(what.groups, what.layout, calendar);
      return (shot) => monitor.lines(shot);
    }
    case 'pmon': {
      const monitor = new ProcessMonitor(what.groups, what.layout, calendar);
      return (shot) => monitor.lines(shot);
    }
    case 'report':
      return (shot) => textReport(shot, calendar, what.displays);
    case 'xml':
      return (shot) => xmlReport(shot, calendar);
    case 'list':
      return ({ cards }) => listLines(cards);
    case 'version':
      return versionLines;
    default:
      return (shot) => summaryTable(shot, calendar);
  }
}

/** What a reader should know goes to standard error, where it disturbs no script. */
function warnOf({ origin, notices, failure }: FeedEnd, { warn, t, lang }: Context): void {
  if (origin === 'simulated') warn(t('cli.simulated'));
  for (const text of notices) warn(text);
  if (failure !== null) warn(failure.text(lang));
}

/** True where processes are printed, or would be if there were any. */
function tellsProcesses({ what }: SmiRequest): boolean {
  if (what.kind === 'query') return what.query.name === 'compute-apps';
  return what.kind === 'table' || what.kind === 'pmon';
}

/** Says once for each GPU why no process of it is printed, which nvidia-smi keeps to itself. */
class UnlistedProcesses {
  readonly #context: Context;
  readonly #told = new Set<string>();

  constructor(context: Context) {
    this.#context = context;
  }

  tell({ cards }: Shot): void {
    const { warn, t } = this.#context;
    for (const card of cards) {
      const listed = processesOf(card);
      const { index, uuid } = card.view.device;
      // What a log does not tell, or a device does not have, is nothing that somebody could change.
      if (!('absent' in listed) || !['no-permission', 'error', 'gpu-lost'].includes(listed.absent)) continue;
      if (this.#told.has(uuid)) continue;
      this.#told.add(uuid);
      warn(t('smi.processes-unlisted', { index, reason: t(`absent.${listed.absent}`) }));
    }
  }
}
