/** What wants lines on the main screen. */
export interface Wanted {
  readonly gpus: number;
  readonly processes: number;
  /** Events and findings there are; null where they are not to be shown. */
  readonly events: number | null;
  readonly hasCharts: boolean;
}

/** Lines for each part, headings included. What is left is for the processes. */
export interface Shares {
  readonly gpus: number;
  readonly charts: number;
  readonly events: number;
}

/** Processes that are shown before anything else gets more than it needs. */
const FEW_PROCESSES = 6;
const MOST_EVENTS = 6;
/** Charts are worth having from so many lines on. */
const LEAST_CHARTS = 4;

/**
 * Shares out the lines of a screen: first the GPUs and a few processes, then the newest events, then charts, and the rest
 * goes to the processes as far as there are any.
 */
export function shareLines(room: number, { gpus, processes, events, hasCharts }: Wanted): Shares {
  const head = room > 4 ? 1 : 0;
  const few = Math.min(processes, FEW_PROCESSES) + (room > 6 ? 2 : 0);
  const most = Math.max(1, Math.min(gpus + head, Math.max(Math.floor(room / 2), room - few - 2)));
  // Where they stand side by side they need fewer.
  const across = Math.ceil(gpus / Math.max(1, most - head));
  const gpuLines = Math.min(most, Math.ceil(gpus / Math.max(1, across)) + head);
  let rest = room - gpuLines - few;
  const wanted = events === null || rest < 2 ? 0 : 1 + Math.min(MOST_EVENTS, Math.max(1, events));
  const eventLines = wanted === 0 ? 0 : Math.min(rest, wanted, Math.max(2, Math.floor(rest / 3)));
  rest -= eventLines;
  const chartRoom = Math.max(0, rest - Math.min(rest / 2, Math.max(0, processes - FEW_PROCESSES)));
  const charts = hasCharts && chartRoom >= LEAST_CHARTS ? Math.floor(chartRoom) : 0;
  // What neither charts nor further processes make use of tells of more events.
  const spare = rest - charts - Math.max(0, processes - FEW_PROCESSES);
  return { gpus: gpuLines, charts, events: Math.max(eventLines, Math.min(wanted, eventLines + spare)) };
}
