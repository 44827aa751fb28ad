import type { FleetRow } from '../data/fleet.ts';
import { fitLine, type Line, onGround, span, withTarget } from '../text/span.ts';
import { type Brush, conditionWord } from './brush.ts';
import { headLine, type PlacedColumn, placeColumns, rowLine } from './columns.ts';
import { CONDITION_TONES } from './glyphs.ts';
import { type GpuColumns, gpuColumns } from './gpu-columns.ts';
import { gpuLabel, whySpans } from './gpu-words.ts';

export interface GpuTable extends GpuColumns {
  /** UUID of the GPU the keys act on; null where they act on something else. */
  readonly chosen: string | null;
  /** The GPU to keep in sight. */
  readonly anchor: number;
  readonly width: number;
  /** Lines there are, the one of headings included. */
  readonly lines: number;
}

/** What a GPU needs at least beside its index: glyph and utilisation. */
const NARROWEST = 7;
/** In cells narrower than this headings would say nothing. */
const HEADED = 24;
const GAP = 2;

/**
 * The GPUs, one per line where there is room, else in several columns that have only what matters most; what does not fit
 * even so is scrolled to the chosen GPU.
 */
export function gpuTable(table: GpuTable): readonly Line[] {
  const { rows, width, lines, brush, anchor } = table;
  if (rows.length === 0 || lines < 1) return [];
  const label = Math.max(...rows.map(({ gpu }) => gpuLabel(gpu).length));
  const most = Math.max(1, Math.floor((width + GAP) / (NARROWEST + label + GAP)));
  const wanted = (room: number): number => Math.min(most, Math.ceil(rows.length / Math.max(1, room)));
  const hasHead = lines >= 2 && (width + GAP) / wanted(lines - 1) - GAP >= HEADED;
  const room = hasHead ? lines - 1 : lines;
  const across = wanted(room);
  const cellWidth = Math.floor((width - (across - 1) * GAP) / across);
  const columns = placeColumns(gpuColumns(table, cellWidth), cellWidth);
  const down = Math.min(room, Math.ceil(rows.length / across));
  // Scrolled by whole pages, so that a GPU keeps its place.
  const page = Math.floor(Math.max(0, anchor) / (down * across)) * down * across;
  const shown = rows.slice(page, page + down * across);
  const body = Array.from({ length: Math.min(down, shown.length) }, (_, line) =>
    Array.from({ length: across }, (_, column) => shown[column * down + line])
      .filter((row) => row !== undefined)
      .flatMap((row, i) => [
        ...(i === 0 ? [] : [span(' '.repeat(GAP))]),
        ...gpuLine(row, columns, cellWidth, table.chosen === row.gpu.uuid, brush),
      ]),
  );
  if (!hasHead) return body;
  const head = fitLine(headLine(columns, brush.glyphs.mark), cellWidth, brush.glyphs.mark, 'bar');
  const heads = Array.from({ length: across }, (_, i) => [
    ...(i === 0 ? [] : [span(' '.repeat(GAP), 'text', 'bar')]),
    ...head,
  ]);
  return [fitLine(heads.flat(), width, brush.glyphs.mark, 'bar'), ...body];
}

function gpuLine(
  row: FleetRow,
  columns: readonly PlacedColumn<FleetRow>[],
  width: number,
  isChosen: boolean,
  brush: Brush,
): Line {
  const { state } = row.gpu;
  const { mark } = brush.glyphs;
  const line = state === 'lost' || state === 'asleep' ? silentLine(row, columns, brush) : rowLine(columns, row, mark);
  const fitted = withTarget(fitLine(line, width, mark), { kind: 'gpu', uuid: row.gpu.uuid });
  return isChosen ? onGround(fitted, 'selected') : fitted;
}

/** A GPU without values has the reason in their place. */
function silentLine(row: FleetRow, columns: readonly PlacedColumn<FleetRow>[], brush: Brush): Line {
  const first = columns.filter(({ id }) => id === 'gpu' || id === 'glyph' || id === 'state');
  const hasWord = first.some(({ id }) => id === 'state');
  const word = hasWord ? [] : [span(conditionWord(row.condition, brush), CONDITION_TONES[row.condition])];
  const why = hasWord ? whySpans(row, brush) : [];
  return [...rowLine(first, row, brush.glyphs.mark), span(' '), ...word, ...why];
}
