import type { ApiGpu } from '../../model/api.ts';
import { metric } from '../../model/catalogue.ts';
import { quantityText } from '../../model/format.ts';
import type { FleetRow } from '../data/fleet.ts';
import { fullScale, type TopHistory, TRACKS, type Track } from '../data/history.ts';
import { fitLine, type Line, leftAndRight, lineWidth, span, withTarget } from '../text/span.ts';
import { textWidth } from '../text/width.ts';
import type { Brush } from './brush.ts';
import { conditionWord } from './brush.ts';
import { CONDITION_TONES } from './glyphs.ts';
import { gpuLabel, shortReading } from './gpu-words.ts';

/** Lines of a chart below which it tells no more than the one in the table. */
const LEAST_LINES = 3;
const MOST_LINES = 12;
/** Places without which a chart tells little. */
const LEAST_WIDTH = 24;
const GOOD_LINES = 8;
const GOOD_WIDTH = 50;
const GAP = 2;

export interface ChartArea {
  readonly history: TopHistory;
  readonly spanMs: number;
  readonly width: number;
  /** Lines there are. */
  readonly lines: number;
  readonly brush: Brush;
}

/** How charts for so many GPUs are laid out, or null where they would be too small. */
function chartGrid(
  count: number,
  { width, lines }: Pick<ChartArea, 'width' | 'lines'>,
): { readonly across: number; readonly height: number } | null {
  let best: { across: number; height: number } | null = null;
  let bestWorth = Number.NEGATIVE_INFINITY;
  for (let across = 1; across <= count; across++) {
    const each = Math.floor((width + GAP) / across) - GAP;
    const down = Math.ceil(count / across);
    const height = Math.min(MOST_LINES + 1, Math.floor(lines / down));
    if (each < LEAST_WIDTH || height < LEAST_LINES + 1) continue;
    // Neither flat nor narrow, and no holes in the grid.
    const holes = across * down - count;
    const worth = Math.min(1, height / GOOD_LINES) + Math.min(1, each / GOOD_WIDTH) - holes / count;
    if (worth > bestWorth) [best, bestWorth] = [{ across, height }, worth];
  }
  return best;
}

/** Utilisation of every GPU, side by side; where there is not room for all, everything of the chosen one. */
export function chartLines(rows: readonly FleetRow[], chosen: FleetRow | undefined, area: ChartArea): readonly Line[] {
  const cards = rows.filter(({ gpu, instances }) => gpu.mig !== null || instances.length === 0);
  const grid = cards.length > 1 ? chartGrid(cards.length, area) : null;
  if (grid !== null) {
    const panels = cards.map((row) => (width: number) => {
      const target = { kind: 'gpu', uuid: row.gpu.uuid } as const;
      const chart = chartBody(row.gpu, 'utilisation', width, grid.height - 1, area);
      return [panelTitle(row, width, area.brush), ...chart].map((line) => withTarget(line, target));
    });
    return inGrid(panels, grid.across, area);
  }
  // A GPU without values has nothing to draw.
  const drawn = chosen?.gpu.state === 'lost' ? cards.find(({ gpu }) => gpu.state === 'ok') : chosen;
  if (drawn === undefined || area.lines < LEAST_LINES + 1) return [];
  return gpuCharts(drawn.gpu, ['utilisation', 'memory'], area, `GPU ${gpuLabel(drawn.gpu)} `);
}

/** Several charts of one GPU, as large as there is room for. */
export function gpuCharts(gpu: ApiGpu, tracks: readonly Track[], area: ChartArea, prefix = ''): readonly Line[] {
  const known = tracks.filter((track) => area.history.has(gpu.uuid, track));
  // Where there is nothing at all the first one says why.
  const wanted = known.length > 0 ? known : tracks.slice(0, 1);
  // With little room the last ones are left out rather than all being illegible.
  for (let count = wanted.length; count > 0; count--) {
    const grid = chartGrid(count, area) ?? (count === 1 ? { across: 1, height: area.lines } : null);
    if (grid === null || grid.height < LEAST_LINES + 1) continue;
    const panels = wanted
      .slice(0, count)
      .map((track) => (width: number) => [
        trackTitle(gpu, track, width, area.brush, prefix),
        ...chartBody(gpu, track, width, grid.height - 1, area),
      ]);
    return inGrid(panels, grid.across, area);
  }
  return [];
}

function inGrid(
  panels: readonly ((width: number) => readonly Line[])[],
  across: number,
  { width, brush }: ChartArea,
): readonly Line[] {
  const each = Math.floor((width - (across - 1) * GAP) / across);
  const lines: Line[] = [];
  for (let first = 0; first < panels.length; first += across) {
    const row = panels.slice(first, first + across).map((panel) => panel(each));
    const height = Math.max(...row.map((panel) => panel.length));
    for (let line = 0; line < height; line++) {
      lines.push(
        row.flatMap((panel, i) => [
          ...(i === 0 ? [] : [span(' '.repeat(GAP))]),
          ...fitLine(panel[line] ?? [], each, brush.glyphs.mark),
        ]),
      );
    }
  }
  return lines;
}

function panelTitle(row: FleetRow, width: number, brush: Brush): Line {
  const { gpu, condition } = row;
  const { glyphs } = brush;
  const tone = CONDITION_TONES[condition];
  const utilisation = shortReading(gpu, TRACKS.utilisation[gpu.mig === null ? 0 : 1], brush);
  const left = [
    span(`${gpuLabel(gpu)} `, 'strong', 'bar'),
    span(`${glyphs.condition[condition]} ${conditionWord(condition, brush)}`, tone, 'bar'),
  ];
  const right = utilisation === null ? [] : [span(utilisation, 'strong', 'bar')];
  const line = leftAndRight(left, right, width, glyphs.mark);
  return line.map((each) => ({ ...each, ground: 'bar' as const }));
}

function trackTitle(gpu: ApiGpu, track: Track, width: number, brush: Brush, prefix: string): Line {
  const { t, lang, glyphs } = brush;
  const ids = TRACKS[track];
  const id = ids.find((each) => gpu.readings[each] != null) ?? ids[0];
  const now = shortReading(gpu, id, brush);
  const full = track === 'utilisation' ? null : fullScale(gpu, track);
  const isLimit = track === 'memory' || track === 'power' || (track === 'clock' && full !== null);
  const name = [span(prefix, 'strong'), span(t(`top.chart.${track}`))];
  const long =
    now !== null && isLimit && full !== null
      ? t('top.gpu.limit', { value: now, limit: quantityText(full, metric(id).unit, lang) })
      : null;
  const value =
    now === null
      ? span(t(`absent.${gpu.absent[id] ?? 'not-collected'}`), 'quiet')
      : span(long !== null && lineWidth(name) + textWidth(long) < width ? long : now, 'strong');
  const line = leftAndRight(name, [value], width, glyphs.mark);
  return line.map((each) => ({ ...each, ground: 'bar' as const }));
}

function chartBody(gpu: ApiGpu, track: Track, width: number, lines: number, area: ChartArea): readonly Line[] {
  const { history, spanMs, brush } = area;
  const columns = history.columns(gpu.uuid, track, brush.now, spanMs, width * 2);
  const full = fullScale(gpu, track) ?? Math.max(1, ...columns.map((column) => column?.max ?? 0));
  const shares = columns.map((column) => column && { mean: column.mean / full, max: column.max / full });
  return brush.glyphs.chart(shares, lines).map((text) => [span(text, 'chart')]);
}
