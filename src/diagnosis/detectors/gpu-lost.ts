import type { Finding } from '../../model/finding.ts';
import type { CaseFile } from '../case/case-file.ts';
import { claim, type Detector, observe } from '../detector.ts';
import { STATE } from '../window/gpu-log.ts';
import type { GpuSeries, Window } from '../window/window.ts';
import { amount, clockTime, gpuName, spanOf } from '../wording.ts';

/** A GPU whose samples end this long before those of the others, in cells and seconds, has fallen silent. */
const SILENT_CELLS = 5;
const SILENT_SECONDS = 10;

/** So many answers with errors only are no slip of the driver. */
const MUTE_CELLS = 3;

const XID_OFF_BUS = 79;

/** A GPU that has fallen off the bus, as the driver says it or as its samples show. */
export const gpuLost: Detector = {
  id: 'gpu-lost',
  layer: 'health',
  needs: [],
  detect: (file) => file.window.gpus.filter(({ device }) => device.mig === undefined).flatMap((gpu) => look(file, gpu)),
};

function look({ window }: CaseFile, gpu: GpuSeries): Finding[] {
  const { states, device } = gpu;
  const firstLost = states.indexOf(STATE.lost);
  const xid = window.events.find(
    ({ kind, uuid, params }) =>
      kind === 'xid' && uuid === device.uuid && Number(params['xid'] ?? params['code']) === XID_OFF_BUS,
  );
  const silent = firstLost < 0 ? silentFrom(window, gpu) : null;
  const mute = firstLost < 0 ? muteFrom(gpu) : null;
  if (firstLost < 0 && xid === undefined && silent === null && mute === null) return [];
  const start = firstLost >= 0 ? firstLost : (silent ?? mute ?? window.length - 1);
  const back = firstLost < 0 ? -1 : states.findIndex((state, cell) => cell > firstLost && state === STATE.ok);
  const end = back < 0 ? window.length : back;
  const from = Math.min(window.at[start] ?? window.from, xid?.at ?? Number.POSITIVE_INFINITY);
  const name = gpuName(device);
  const isStated = firstLost >= 0 || xid !== undefined;
  return [
    claim(gpuLost, {
      state: isStated ? 'confirmed' : 'likely',
      severity: 'critical',
      gpus: [device.uuid],
      from,
      to: window.at[end - 1] ?? window.to,
      // A log of events does not show for how long.
      lostSeconds: gpu.extremes().length === 0 ? 0 : window.secondsOf(() => true, { start, end }),
      evidence: [
        firstLost < 0
          ? null
          : observe('evidence.lost', { gpu: name, time: clockTime(window.at[firstLost]!) }, null, {
              at: window.at[firstLost]!,
            }),
        xid === undefined
          ? null
          : observe('evidence.lost-xid', { xid: XID_OFF_BUS, time: clockTime(xid.at) }, null, {
              xid: XID_OFF_BUS,
              at: xid.at,
            }),
        silent === null
          ? null
          : observe(
              'evidence.lost-stream',
              { gpu: name, time: clockTime(window.at[silent]!), span: spanOf((window.to - window.at[silent]!) / 1000) },
              null,
              { at: window.at[silent]! },
            ),
        mute === null
          ? null
          : observe('evidence.lost-mute', { gpu: name, time: clockTime(window.at[mute]!) }, null, {
              at: window.at[mute]!,
            }),
        lastReadings(gpu, start),
        back < 0 ? null : observe('evidence.back', { span: spanOf((window.at[back]! - window.at[firstLost]!) / 1000) }),
      ],
    }),
  ];
}

/**
 * The cell from which a GPU gives no samples though others do, up to the end; null where it does not fall silent. It must fall
 * silent within a piece: after a hole somebody may have started to record fewer of them.
 */
function silentFrom(window: Window, gpu: GpuSeries): number | null {
  let last = window.length - 1;
  while (last >= 0 && !(gpu.states[last]! > STATE.none)) last--;
  const piece = window.pieces.find(({ start, end }) => last >= start && last < end);
  if (piece === undefined || window.gpus.some(({ device }) => device.mig !== undefined)) return null;
  const silentCells = piece.end - 1 - last;
  const isEarly = silentCells >= SILENT_CELLS && window.at[piece.end - 1]! - window.at[last]! >= SILENT_SECONDS * 1000;
  if (last < piece.start + SILENT_CELLS || !isEarly) return null;
  const othersGoOn = window.gpus.some((other) => {
    let seen = 0;
    for (let cell = last + 1; cell < piece.end; cell++) if (other.states[cell] === STATE.ok) seen++;
    return other !== gpu && seen >= 0.8 * silentCells;
  });
  let seenBefore = 0;
  for (let cell = piece.start; cell <= last; cell++) if (gpu.states[cell]! > STATE.none) seenBefore++;
  return othersGoOn && seenBefore >= 0.8 * (last + 1 - piece.start) ? last + 1 : null;
}

/** The cell from which the driver gives errors only, up to the end of the samples. */
function muteFrom({ states }: GpuSeries): number | null {
  let last = states.length - 1;
  while (last >= 0 && !(states[last]! > STATE.none)) last--;
  let start = last + 1;
  while (start > 0 && (states[start - 1] === STATE.mute || !(states[start - 1]! > STATE.none))) start--;
  let mute = 0;
  for (let cell = start; cell <= last; cell++) if (states[cell] === STATE.mute) mute++;
  return mute >= MUTE_CELLS ? start : null;
}

/** What was read last before it was gone: heat or power may have led to it. */
function lastReadings(gpu: GpuSeries, cell: number): ReturnType<typeof observe> | null {
  const values: Record<string, number> = {};
  const words: string[] = [];
  for (const [id, unit] of [
    ['temperature_celsius', 'celsius'],
    ['power_watts', 'watts'],
    ['utilization_ratio', 'ratio'],
  ] as const) {
    const column = gpu.column(id);
    let last = cell - 1;
    while (column !== null && last >= 0 && Number.isNaN(column[last])) last--;
    if (column === null || last < 0) continue;
    values[id] = column[last]!;
    words.push(amount(column[last]!, unit));
  }
  return words.length === 0 ? null : observe('evidence.lost-last', { readings: words.join(', ') }, null, values);
}
