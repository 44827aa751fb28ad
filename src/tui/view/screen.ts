import type { ApiEvent } from '../../model/api.ts';
import type { FindingLine } from '../data/feed.ts';
import type { FleetRow } from '../data/fleet.ts';
import type { TopHistory } from '../data/history.ts';
import { fitLine, type Line, lineWidth, span, withTarget } from '../text/span.ts';
import type { ProcessRow } from '../ui/process-rows.ts';
import type { UiState } from '../ui/state.ts';
import { chosenGpuIndex, chosenProcessIndex } from '../ui/update.ts';
import type { Brush } from './brush.ts';
import { bracketed, listed } from './brush.ts';
import { chartLines } from './charts.ts';
import { dialogLines } from './dialog-view.ts';
import { eventLines, eventStrip, findingTexts } from './event-lines.ts';
import { footerLine } from './footer.ts';
import { gpuTable } from './gpu-table.ts';
import { gpuChartLines, gpuTitle, readingLines } from './gpu-view.ts';
import { gpuLabel } from './gpu-words.ts';
import { bannerLines, type HeaderFacts, titleLine, verdictLine } from './header.ts';
import { helpLines } from './help-view.ts';
import { shareLines } from './layout.ts';
import { absentColumns, processTable } from './process-table.ts';
import { processLines } from './process-view.ts';
import { setupLines } from './setup-view.ts';

/** Everything that a screen shows. */
export interface Scene {
  readonly state: UiState;
  readonly facts: HeaderFacts;
  /** Every card, hidden ones too. */
  readonly cards: readonly FleetRow[];
  readonly rows: readonly FleetRow[];
  readonly processes: readonly ProcessRow[];
  readonly events: readonly ApiEvent[];
  readonly findings: readonly FindingLine[];
  readonly history: TopHistory;
  readonly canKill: boolean;
  readonly columns: number;
  readonly lines: number;
  readonly brush: Brush;
}

/** The screen, line by line: as many lines as there are, and none wider. */
export function drawScreen(scene: Scene): readonly Line[] {
  const { state, columns, lines, canKill, brush } = scene;
  const { mark } = brush.glyphs;
  // A terminal of one line still tells how the GPUs are.
  const head = headLines(scene).slice(0, Math.max(1, lines - 1));
  const footer = lines > 2 ? [footerLine(state, canKill, columns, brush)] : [];
  const room = Math.max(0, lines - head.length - footer.length);
  const body = bodyLines(scene, room).slice(0, room);
  const blank = new Array<Line>(Math.max(0, room - body.length)).fill([]);
  const screen = [...head, ...body, ...blank, ...footer].map((line) => fitLine(line, columns, mark));
  return state.dialog === null ? screen : overlaid(screen, dialogLines(state.dialog, state.settings, columns, brush));
}

function headLines({ facts, cards, columns, lines, brush }: Scene): readonly Line[] {
  const title = titleLine(facts, columns, brush);
  const verdict = verdictLine(cards, brush);
  // In a very small terminal the verdict is what counts.
  if (lines < 6) return [verdict];
  return [
    title,
    ...(cards.length === 0 ? [] : [verdict]),
    ...bannerLines(facts, brush).slice(0, Math.max(1, lines - 8)),
  ];
}

function bodyLines(scene: Scene, room: number): readonly Line[] {
  const { state, cards, columns, brush } = scene;
  switch (state.view) {
    case 'help':
      return scrolledTo(helpLines(columns, room, brush), state.offset, room);
    case 'setup': {
      const setup = setupLines(state.settings, cards, state.offset, columns, brush);
      return scrolledTo(setup, Math.max(0, state.offset + 2 - room), room);
    }
    case 'events':
      return scrolledTo(everyEvent(scene), state.offset, room);
    case 'process': {
      const row = scene.processes.find(({ key }) => key === state.process);
      const entry = row?.kind === 'process' ? row.entry : null;
      return scrolledTo(processLines(entry, columns, brush), state.offset, room);
    }
    case 'gpu':
      return gpuBody(scene, room);
    case 'main':
      return cards.length === 0 ? nothingYet(scene) : mainBody(scene, room);
  }
}

/** A list from `offset` on, but no further than to its end. */
function scrolledTo(lines: readonly Line[], offset: number, room: number): readonly Line[] {
  return lines.slice(Math.max(0, Math.min(offset, lines.length - room)));
}

function nothingYet({ facts, brush }: Scene): readonly Line[] {
  const { t } = brush;
  const isSearching = facts.source?.reason != null;
  return [[], [span(isSearching ? t('top.no-gpu') : t('top.waiting'), isSearching ? 'warning' : 'quiet')]];
}

function mainBody(scene: Scene, room: number): readonly Line[] {
  const { state, rows, history, columns, brush, findings, events, facts } = scene;
  const { settings, pane } = state;
  const gpuIndex = chosenGpuIndex(state, rows);
  const chosen = rows[gpuIndex];
  const shares = shareLines(room, {
    gpus: rows.length,
    processes: scene.processes.length,
    events: settings.hasEvents ? events.length + findings.filter(({ isCurrent }) => isCurrent).length : null,
    hasCharts: settings.hasCharts,
  });
  const gpus = gpuTable({
    ...{ rows, history, brush, spanMs: settings.spanMs, width: columns, lines: shares.gpus },
    chosen: pane === 'gpus' ? (chosen?.gpu.uuid ?? null) : null,
    anchor: gpuIndex,
  });
  const area = { history, brush, spanMs: settings.spanMs, width: columns, lines: shares.charts };
  const charts = shares.charts === 0 ? [] : chartLines(rows, chosen, area);
  const strip = eventStrip(
    { events, findings, rows, width: columns, lines: shares.events, isRecorded: isRecorded(facts) },
    brush,
  );
  const left = room - gpus.length - charts.length - strip.length;
  return [...gpus, ...charts, ...processesOf(scene, rows, left), ...strip];
}

function gpuBody(scene: Scene, room: number): readonly Line[] {
  const { state, rows, history, columns, brush } = scene;
  const row = rows[chosenGpuIndex(state, rows)];
  if (row === undefined) return nothingYet(scene);
  const title = gpuTitle(row, columns, brush);
  const readings = readingLines(row.gpu, columns, brush);
  const own = scene.processes.length;
  const leastProcesses = Math.min(own + 2, Math.max(3, Math.floor(room / 4)));
  const rest = room - title.length - leastProcesses;
  const charts = gpuChartLines(row.gpu, {
    ...{ history, brush, spanMs: state.settings.spanMs, width: columns },
    lines: Math.max(0, rest - Math.min(readings.length, Math.max(3, Math.floor(rest / 3)))),
  });
  const told = readings.slice(0, Math.max(0, rest - charts.length));
  const left = room - title.length - charts.length - told.length;
  return [...title, ...charts, ...told, ...processesOf(scene, [row], left)];
}

function processesOf(scene: Scene, rows: readonly FleetRow[], lines: number): readonly Line[] {
  const { state, processes, columns, brush } = scene;
  const { sort, isDescending } = state.settings;
  return processTable({
    ...{ rows: processes, order: { sort, isDescending }, width: columns, lines, brush, scroll: state.scroll },
    chosen: chosenProcessIndex(state, processes),
    isActive: state.view === 'gpu' || state.pane === 'processes',
    remarks: processRemarks(scene, rows),
  });
}

/** Why there is nothing in the table, or not everything. */
function processRemarks({ state, processes, brush }: Scene, rows: readonly FleetRow[]): readonly string[] {
  const { t } = brush;
  const unlisted = rows.flatMap(({ gpu, instances }) => {
    const { processesAbsent, processesPartial } = gpu;
    const isOfParts = processesAbsent === 'mig' && (instances.length > 0 || gpu.mig !== null);
    if (processesAbsent !== null && !isOfParts && (gpu.state === 'ok' || rows.length === 1)) {
      return [t('top.unlisted', { gpu: gpuLabel(gpu), reason: t(`absent.${processesAbsent}`) })];
    }
    if (processesPartial === null) return [];
    return [t('top.partial', { gpu: gpuLabel(gpu), reason: t(`absent.${processesPartial}`) })];
  });
  const entries = processes.flatMap((row) => (row.kind === 'process' ? [row.entry] : []));
  const absent = absentColumns(entries, brush);
  const columns = absent.length === 0 ? [] : [t('top.columns-absent', { columns: listed(absent, brush) })];
  if (processes.length > 0 || unlisted.length > 0) return [...unlisted, ...columns];
  return [t(state.filter === '' ? 'top.no-process' : 'top.no-match')];
}

function everyEvent(scene: Scene): readonly Line[] {
  const { events, findings, cards, columns, brush, facts } = scene;
  const { t } = brush;
  const rows = cards.flatMap((card) => [card, ...card.instances]);
  const found = findingTexts(findings, rows, columns, brush);
  const happened = eventLines(events, brush, isRecorded(facts));
  const none: readonly Line[] = [[span(t('top.no-events'), 'quiet')]];
  return [
    ...(found.length === 0
      ? []
      : [[span(bracketed(t('top.findings'), String(findings.length), brush), 'title')], ...found]),
    [span(bracketed(t('top.events'), String(events.length), brush), 'title')],
    ...(happened.length === 0 ? none : happened),
  ];
}

function isRecorded({ source }: HeaderFacts): boolean {
  return source?.origin === 'recorded';
}

/** The screen with a dialog over its lower left part; a dialog that is too long keeps its last lines. */
function overlaid(screen: readonly Line[], dialog: readonly Line[]): readonly Line[] {
  const shown = dialog.slice(-screen.length);
  const first = Math.max(0, Math.min(screen.length - shown.length, Math.floor((screen.length - shown.length) / 2)));
  return screen.map((line, i) => {
    const over = shown[i - first];
    return over === undefined ? line : [...over, ...withTarget(skipped(line, lineWidth(over)), null)];
  });
}

/** What of a line is right of a place. Half a wide character there is left out. */
function skipped(line: Line, places: number): Line {
  let gone = 0;
  return line.flatMap((each) => {
    let kept = '';
    for (const char of each.text) {
      const width = lineWidth([span(char)]);
      if (gone >= places) kept += char;
      else if (gone + width > places) kept += ' ';
      gone += width;
    }
    return kept === '' ? [] : [{ ...each, text: kept }];
  });
}
