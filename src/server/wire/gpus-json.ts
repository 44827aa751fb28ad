import type { ApiCompactGpus } from '../../model/api.ts';
import { DEVICE_METRICS } from '../../model/catalogue.ts';
import type { DeviceView, Snapshot } from '../../model/reader.ts';
import type { AbsenceReason } from '../../model/reading.ts';
import { absenceCode, absenceReason, type ReadingSet } from '../../model/reading-set.ts';
import { apiHead, apiTail } from './api-gpu.ts';
import { apiMachine } from './api-machine.ts';

/** `"power_watts":` for each metric, so that a snapshot of many GPUs costs little more than its numbers. */
const NAMES = DEVICE_METRICS.map(({ id, slot }) => ({ slot, name: `${JSON.stringify(id)}:` }));

const ERROR = absenceCode('error');

/** What is absent of a device, and the texts for it. Nearly all devices of a machine lack the same. */
interface Pattern {
  /** `"fan_speed_ratio":null,…`, empty where nothing is absent. */
  readonly nulls: string;
  /** `{"fan_speed_ratio":"not-supported",…}`. */
  readonly reasons: string;
}

/** More patterns than this at a time mean that they change all the time; then remembering them is no use. */
const MOST_PATTERNS = 256;

const patterns = new Map<string, Pattern>();
const texts = new WeakMap<DeviceView, string>();

/** JSON of /api/v1/gpus. The text of each device is made once per sample, however often it is asked for. */
export function gpusJson(snapshot: Snapshot, host: string, source: string): string {
  return `${head(snapshot, host, source)},"gpus":[${snapshot.devices.map(gpuJson).join()}]}`;
}

/** JSON of {@link ApiCompactGpus}, which the live stream begins with for those who ask for it. */
export function compactGpusJson(snapshot: Snapshot, host: string, source: string): string {
  const absences: string[] = [];
  const gpus = snapshot.devices.map((view) => {
    const { readings } = view;
    const { reasons } = patternOf(readings);
    const known = absences.indexOf(reasons);
    const position = known < 0 ? absences.push(reasons) - 1 : known;
    return `${open(apiHead(view))},"readings":{${presentJson(readings)}},"absences":${position},${rest(view)}}`;
  });
  return `${head(snapshot, host, source)},"gpus":[${gpus.join()}],"absences":[${absences.join()}]}`;
}

function head({ at, sequence, machine }: Snapshot, host: string, source: string): string {
  return open({ at, host, source, sequence, machine: apiMachine(machine) } satisfies Partial<ApiCompactGpus>);
}

/** The JSON of an object without its end. */
function open(value: object): string {
  return JSON.stringify(value).slice(0, -1);
}

function gpuJson(view: DeviceView): string {
  const known = texts.get(view);
  if (known !== undefined) return known;
  const { nulls, reasons } = patternOf(view.readings);
  const present = presentJson(view.readings);
  const readings = present === '' || nulls === '' ? present + nulls : `${present},${nulls}`;
  const text = `${open(apiHead(view))},"readings":{${readings}},"absent":${reasons},${rest(view)}}`;
  texts.set(view, text);
  return text;
}

function rest(view: DeviceView): string {
  return JSON.stringify(apiTail(view)).slice(1, -1);
}

function presentJson({ values, codes }: ReadingSet): string {
  let text = '';
  for (const { slot, name } of NAMES) {
    const value = values[slot]!;
    if (codes[slot] === 0 && Number.isFinite(value)) text += `,${name}${value}`;
  }
  return text.slice(1);
}

function patternOf({ values, codes }: ReadingSet): Pattern {
  // A number that is not finite has no JSON; a source may not yield one, and if it does it is absent, not zero.
  const isSound = NAMES.every(({ slot }) => codes[slot] !== 0 || Number.isFinite(values[slot]));
  const shown = isSound
    ? codes
    : codes.map((code, slot) => (code === 0 && !Number.isFinite(values[slot]) ? ERROR : code));
  const key = Buffer.from(shown.buffer, shown.byteOffset, shown.length).toString('latin1');
  const known = patterns.get(key);
  if (known !== undefined) return known;
  if (patterns.size >= MOST_PATTERNS) patterns.clear();
  const pattern = createPattern(shown);
  patterns.set(key, pattern);
  return pattern;
}

function createPattern(codes: Uint8Array): Pattern {
  const absent = NAMES.filter(({ slot }) => codes[slot] !== 0);
  const reasonOf = (slot: number): AbsenceReason => absenceReason(codes[slot]!);
  return {
    nulls: absent.map(({ name }) => `${name}null`).join(),
    reasons: `{${absent.map(({ name, slot }) => `${name}"${reasonOf(slot)}"`).join()}}`,
  };
}
