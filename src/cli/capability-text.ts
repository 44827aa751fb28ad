import type { Capabilities } from '../app/capabilities.ts';
import { DEVICE_METRICS, type Metric } from '../model/catalogue.ts';
import type { Device } from '../model/device.ts';
import { quantityText } from '../model/format.ts';
import type { Lang } from '../model/i18n/text.ts';
import { TOPICS, topicOf } from '../model/metric-topics.ts';
import type { DeviceView } from '../model/reader.ts';
import { isPresent, valueOrNull } from '../model/reading.ts';
import type { Context } from './context.ts';
import { type TableLine, textTables } from './text-table.ts';

const BY_TOPIC = TOPICS.map((topic) => ({ topic, metrics: DEVICE_METRICS.filter(({ id }) => topicOf(id) === topic) }));

/** What each device reports, as tables of at most `width` characters, grouped like the page. */
export function capabilityText({ devices }: Capabilities, width: number, context: Context): string {
  const { t, lang } = context;
  const lines = BY_TOPIC.filter(({ metrics }) => metrics.length > 0).flatMap(({ topic, metrics }): TableLine[] => [
    { head: t(`topic.${topic}`), cells: [] },
    ...metrics.map((metric) => ({
      head: `  ${metric.label[lang]}`,
      cells: devices.map((view) => cellText(view, metric, context)),
    })),
  ]);
  const list = devices.map(({ device }) => `${columnTitle(device)}: ${device.name} (${device.uuid})`);
  const titles = devices.map(({ device }) => columnTitle(device));
  return [list.join('\n'), ...textTables(titles, lines, width)].join('\n\n');
}

/** The same for programs: every metric of every device with its value, or the reason why there is none. */
export function capabilityJson({ source, devices }: Capabilities): string {
  const gpus = devices.map(({ device: { uuid, index, name, mig = null }, state, readings }) => ({
    uuid,
    index,
    name,
    mig,
    state,
    metrics: BY_TOPIC.flatMap(({ topic, metrics }) =>
      metrics.map(({ id, unit, slot }) => {
        const reading = readings.at(slot);
        return { id, topic, unit, value: valueOrNull(reading), absent: isPresent(reading) ? null : reading.absent };
      }),
    ),
  }));
  return JSON.stringify({ source, gpus }, null, 2);
}

function columnTitle({ index, mig }: Device): string {
  return mig === undefined || mig.gpuInstance === null ? `GPU ${index}` : `GPU ${index}:${mig.gpuInstance}`;
}

function cellText({ readings }: DeviceView, metric: Metric, { t, lang }: Context): string {
  const reading = readings.at(metric.slot);
  return isPresent(reading) ? valueText(metric, reading, lang) : t(`absent.${reading.absent}`);
}

/** With its unit, or the word for a state. */
function valueText({ unit, states }: Metric, value: number, lang: Lang): string {
  return states?.find((state) => state.value === value)?.word[lang] ?? quantityText(value, unit, lang);
}
