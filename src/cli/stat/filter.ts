import { slotOf } from '../../model/catalogue.ts';
import { TROUBLE_BITS } from '../../model/clock-events.ts';
import { isMute } from '../../model/core-readings.ts';
import { AppError } from '../../model/errors.ts';
import type { GpuProcess } from '../../model/process.ts';
import type { DeviceView, Snapshot } from '../../model/reader.ts';
import { deviceFilter } from '../options.ts';

const UTILISATION = slotOf('utilization_ratio');
const REASONS = slotOf('clock_event_reasons');
const REMAP_FAILURE = slotOf('remapped_rows_failure');

/** What `--state` takes: the state of a device, and of one that is well what it does. */
const STATE_WORDS = ['ok', 'lost', 'asleep', 'stale', 'busy', 'idle', 'throttled'] as const;

type StateWord = (typeof STATE_WORDS)[number];

export interface Filters {
  /** Lists, separated by commas; undefined for all. */
  readonly ids: string | undefined;
  readonly users: string | undefined;
  readonly jobs: string | undefined;
  readonly states: string | undefined;
}

/**
 * Keeps the GPUs that every filter names. By user and job, only the processes of these are kept. Throws BAD_OPTION for a
 * state that is none, and GPU_NOT_LISTED where a GPU that was asked for is not there.
 */
export function snapshotFilter({ ids, users, jobs, states }: Filters): (snapshot: Snapshot) => Snapshot {
  const words = states === undefined ? null : listed(states).map(stateWord);
  const [userNames, jobIds] = [users, jobs].map((list) => (list === undefined ? null : listed(list)));
  const isOwned = (process: GpuProcess): boolean =>
    (userNames == null ||
      userNames.includes(process.user ?? '') ||
      userNames.includes(process.owner?.job?.user ?? '')) &&
    (jobIds == null || jobIds.includes(process.owner?.job?.id ?? ''));
  const byOwner = userNames != null || jobIds != null;
  return (snapshot) => {
    const chosen = snapshot.devices.filter(({ device }) => deviceFilter(ids)(device));
    for (const id of ids === undefined ? [] : listed(ids)) {
      if (!chosen.some(({ device }) => deviceFilter(id)(device))) throw new AppError('GPU_NOT_LISTED', { name: id });
    }
    const devices = chosen
      .filter((view) => words === null || words.some((word) => isInState(view, word)))
      .flatMap((view): DeviceView[] => {
        if (!byOwner) return [view];
        if ('absent' in view.processes) return [];
        const processes = view.processes.filter(isOwned);
        return processes.length === 0 ? [] : [{ ...view, processes }];
      });
    return devices.length === snapshot.devices.length && !byOwner ? snapshot : { ...snapshot, devices };
  };
}

function listed(list: string): readonly string[] {
  return list
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

function stateWord(value: string): StateWord {
  const word = STATE_WORDS.find((known) => known === value);
  if (word === undefined)
    throw new AppError('BAD_OPTION', { option: '--state', value, expected: STATE_WORDS.join(', ') });
  return word;
}

function isInState(view: DeviceView, word: StateWord): boolean {
  const { state } = view;
  switch (word) {
    case 'busy':
      return state === 'ok' && isBusy(view);
    case 'idle':
      return state === 'ok' && !isBusy(view);
    case 'throttled':
      return state === 'ok' && isThrottled(view);
    default:
      return state === word;
  }
}

/** It computes, or somebody has work on it. */
function isBusy({ readings, processes }: DeviceView): boolean {
  return (readings.number(UTILISATION) ?? 0) > 0 || (!('absent' in processes) && processes.length > 0);
}

function isThrottled({ readings }: DeviceView): boolean {
  return ((readings.number(REASONS) ?? 0) & TROUBLE_BITS) !== 0;
}

/** True for a GPU that gives no data though it is there. */
export function isUnwell({ state, readings }: DeviceView): boolean {
  return state === 'lost' || state === 'stale' || (state === 'ok' && isMute(readings));
}

/** True for one that needs somebody's attention: it gives no data, is slowed by heat or a fault, or its memory is worn out. */
export function isUnhealthy(view: DeviceView): boolean {
  return isUnwell(view) || isThrottled(view) || (view.readings.number(REMAP_FAILURE) ?? 0) > 0;
}
