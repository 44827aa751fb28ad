import { type Absent, absent } from '../../../model/reading.ts';
import { absenceIn } from '../csv/absence-words.ts';
import { normalBusId } from '../log-devices.ts';
import { metricField, type SmiField, smiField } from '../smi/fields.ts';
import { inInstance, type ListedProcess, onCard } from '../smi/process-list.ts';
import type { SmiReadings } from '../smi/readings.ts';
import type { SnapshotDevice, SnapshotSlice } from '../snapshots.ts';
import type { FirstLine, InstanceLine, SecondLine } from './lines.ts';

/** A field that the catalogue has for certain. */
function field(name: string): SmiField {
  return smiField(name) ?? { title: name, targets: [], reason: 0 };
}

const FAN = field('fan.speed');
const TEMPERATURE = field('temperature.gpu');
const STATE = field('pstate');
const POWER = field('power.draw');
const LIMIT = field('enforced.power.limit');
const USED = field('memory.used');
const TOTAL = field('memory.total');
const UTILISATION = field('utilization.gpu');
const COMPUTE_MODE = field('compute_mode');
const PERSISTENCE = field('persistence_mode');
const DRIVER_MODEL = field('driver_model.current');
const DISPLAY = field('display_active');
const ECC_MODE = field('ecc.mode.current');
const ECC = field('ecc.errors.uncorrected.volatile.total');
const INSTANCE_ECC = field('ecc.errors.uncorrected.volatile.sram');
const MIG_MODE = metricField('mig_mode', 'MIG M.');
const BAR1_USED = metricField('bar1_used_bytes', 'Shared BAR1-Usage');
const BAR1_TOTAL = metricField('bar1_total_bytes', 'Shared BAR1-Usage');

/** The table shortens the words that other outputs have. */
const COMPUTE_MODES: ReadonlyMap<string, string> = new Map([
  ['E. Process', 'Exclusive_Process'],
  ['E. Thread', 'Exclusive_Thread'],
]);

/** What was read of the box of processes. */
export interface TableProcesses {
  readonly listed: (ListedProcess & { readonly index: number })[];
  /** Why those of a GPU are not listed. */
  readonly absences: Map<number, string>;
  /** True once its end was seen. */
  isWhole: boolean;
  /** True if the table says that there are none. */
  isEmpty: boolean;
}

/** A GPU of the table. */
export interface TableDevice {
  readonly index: number;
  readonly first: FirstLine | null;
  second: SecondLine | null;
  migMode: string;
  readonly instances: { readonly row: InstanceLine; bar1: { used: string; total: string } | null; line: number }[];
  readonly line: number;
}

/** What the table says about a GPU. */
export function tableDevice(
  { index, first, second, migMode, instances, line }: TableDevice,
  { driver, cuda }: { readonly driver: string | null; readonly cuda: string | null },
  processes: TableProcesses | null,
  readings: SmiReadings,
): SnapshotDevice {
  if (first !== null) putFirst(first, readings, line);
  if (second !== null) putSecond(second, readings, line);
  if (migMode !== '') readings.putText(MIG_MODE, migMode, line);
  const name = first?.name ?? '';
  const taken = readings.take(line, migMode === 'Enabled');
  const listed = processesOf(index, processes);
  return {
    identity: {
      uuid: null,
      pciBusId: first === null || first.busId === '' ? null : normalBusId(first.busId),
      serial: null,
      index,
      name: absenceIn(name) === null ? name.replaceAll(/\p{Cc}/gu, ' ') : null,
      driverVersion: driver,
      ...(cuda === null ? {} : { facts: { 'cuda-version': cuda } }),
    },
    ...taken,
    processes: 'absent' in listed ? listed : onCard(listed),
    line,
    slices: instances.map(({ row, bar1, line: at }): SnapshotSlice => {
      const { gpuInstance, computeInstance } = row;
      const slice = { uuid: null, gpuInstance, computeInstance, profile: null };
      put(readings, USED, row.used, at);
      put(readings, TOTAL, row.total, at);
      put(readings, INSTANCE_ECC, row.ecc, at);
      put(readings, BAR1_USED, bar1?.used ?? '', at);
      put(readings, BAR1_TOTAL, bar1?.total ?? '', at);
      return {
        slice,
        readings: readings.take(at, false).readings,
        processes: inInstance(listed, slice),
        line: at,
      };
    }),
  };
}

function put(readings: SmiReadings, field: SmiField, text: string, line: number): void {
  if (text !== '') readings.putText(field, text, line);
}

function putFirst({ mode, display, ecc }: FirstLine, readings: SmiReadings, line: number): void {
  put(readings, /^(?:WDDM|TCC|MCDM)$/.test(mode) ? DRIVER_MODEL : PERSISTENCE, mode, line);
  put(readings, DISPLAY, display, line);
  if (ecc === 'Off') {
    readings.putText(ECC_MODE, 'Disabled', line);
    readings.putAbsent(ECC, 'not-supported');
  } else if (ecc === 'On') {
    // Under MIG the errors are counted by instance.
    readings.putText(ECC_MODE, 'Enabled', line);
    readings.putAbsent(ECC, 'mig');
  } else {
    put(readings, ECC, ecc, line);
    if (/^\d+$/.test(ecc)) readings.putText(ECC_MODE, 'Enabled', line);
    else if (ecc === 'N/A') readings.putAbsent(ECC_MODE, 'not-supported');
  }
}

function putSecond(second: SecondLine, readings: SmiReadings, line: number): void {
  put(readings, FAN, second.fan, line);
  put(readings, TEMPERATURE, second.temperature, line);
  put(readings, STATE, second.state, line);
  put(readings, POWER, second.power, line);
  put(readings, LIMIT, second.limit, line);
  put(readings, USED, second.used, line);
  put(readings, TOTAL, second.total, line);
  put(readings, UTILISATION, second.utilisation, line);
  put(readings, COMPUTE_MODE, COMPUTE_MODES.get(second.computeMode) ?? second.computeMode, line);
  if (second.isLost) readings.markLost();
}

/** An empty box means that there are processes whose ids cannot be seen from here, as in a container. */
function processesOf(index: number, processes: TableProcesses | null): readonly ListedProcess[] | Absent {
  if (processes === null || !processes.isWhole) return absent('not-collected');
  const why = processes.absences.get(index);
  if (why !== undefined) return absent(absenceIn(why) ?? 'error');
  const { listed, absences, isEmpty } = processes;
  if (listed.length === 0 && absences.size === 0 && !isEmpty) return absent('no-permission');
  return listed.filter((entry) => entry.index === index);
}
