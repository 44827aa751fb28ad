import { type MetricId, metric } from '../../../model/catalogue.ts';
import { isPresent } from '../../../model/reading.ts';
import { type Card, longBusId } from '../cards.ts';
import { wholeMiB } from '../cell.ts';
import { shortText } from './short-text.ts';

/** Longer names are cut. */
const NAME_WIDTH = 27;

/** The three lines of a GPU. */
export function cardRows(card: Card): readonly string[] {
  const { device, readings, state } = card.view;
  const word = (id: MetricId): string => shortText(readings.get(id), (value) => stateWord(id, value));
  const isLost = state === 'lost';
  const mib = (id: MetricId): string => shortText(readings.get(id), (bytes) => `${wholeMiB(bytes, device)}MiB`);
  const whole = (id: MetricId, unit: string, scale = 1): string =>
    shortText(readings.get(id), (value) => `${Math.round(value * scale)}${unit}`);
  const power = `${whole('power_watts', 'W').padStart(16)} / ${whole('power_limit_watts', 'W').padStart(5)}`;
  const sensors = [
    whole('fan_speed_ratio', '%', 100).padStart(4),
    whole('temperature_celsius', 'C').padStart(6),
    shortText(readings.get('performance_state'), (value) => `P${value}`).padStart(6),
    power,
  ].join('');
  const memory = isLost
    ? 'GPU is lost'.padStart(23)
    : `${mib('memory_used_bytes').padStart(11)} / ${mib('memory_total_bytes').padStart(9)}`;
  const load = whole('utilization_ratio', '%', 100).padStart(8) + computeMode(word('compute_mode')).padStart(13);
  return [
    line(
      nameText(card),
      `   ${(longBusId(device.pciBusId) ?? 'N/A').padEnd(16)} ${onOff(word('display_active'))}`,
      ecc(card),
    ),
    line(sensors, memory, load),
    line('', '', word('mig_mode').padStart(21)),
  ];
}

/** Windows tells the driver model where others tell persistence. */
export function hasDriverModel({ view }: Card): boolean {
  return isPresent(view.readings.get('driver_model'));
}

function line(left: string, middle: string, right: string): string {
  return `|${left.padEnd(41)}|${middle.padEnd(24)}|${right.padEnd(22)}|`;
}

function nameText({ view: { device, readings } }: Card): string {
  const { name } = device;
  const short = name.length > NAME_WIDTH ? `${name.slice(0, NAME_WIDTH - 3)}...` : name;
  const model = readings.get('driver_model');
  const head = `${String(device.index).padStart(4)}  `;
  if (isPresent(model)) return `${head}${short.padEnd(NAME_WIDTH)}  ${stateWord('driver_model', model)}`;
  const mode = shortText(readings.get('persistence_mode'), (value) => (value === 1 ? 'On' : 'Off'));
  return `${head}${short.padEnd(31)}${mode}`;
}

function onOff(word: string): string {
  const short = word === 'Enabled' ? 'On' : word === 'Disabled' ? 'Off' : word;
  return short.padStart(3);
}

/** Errors since the driver was loaded, `Off` where none are counted, and `On` where the instances count them. */
function ecc({ view: { readings } }: Card): string {
  const errors = readings.get('ecc_uncorrected_volatile_total');
  const mode = readings.get('ecc_mode');
  const isOn = isPresent(mode) && mode === 1;
  const isMig = readings.get('mig_mode') === 1;
  if (isPresent(mode) && mode === 0) return 'Off'.padStart(21);
  if (isOn && (isMig || !isPresent(errors))) return 'On'.padStart(21);
  return shortText(errors, String).padStart(21);
}

function computeMode(word: string): string {
  return word.replace(/^Exclusive_/, 'E. ');
}

function stateWord(id: MetricId, value: number): string {
  return metric(id).states?.find((state) => state.value === value)?.smi ?? 'N/A';
}
