import type { Origin } from '../../model/ports.ts';

/** How the series of a history are called in the engine. All of them are its own, so that they never mix with scraped ones. */
const PREFIX = 'gpulse_history_';

/** Whose series they are. */
export interface Identity {
  readonly host: string;
  readonly origin: Origin;
  /** Labels that every series gets besides, such as `cluster`. */
  readonly labels: Readonly<Record<string, string>>;
}

/** Series that say something of the history itself. */
export const OWN_SERIES = {
  /** One sample per tick: how many devices it had. */
  tick: `${PREFIX}tick_devices`,
  /** Milliseconds since the tick before; missing at the first. */
  distance: `${PREFIX}tick_distance_milliseconds`,
  /** Now and then, and at the first tick: its time, so that the ends of a long history are found in few samples. */
  mark: `${PREFIX}mark_milliseconds`,
  /** The time of a tick, with what is known of a device as labels. */
  info: `${PREFIX}device_info`,
  /** A sample of value 1 for each bit that is set in a metric that is a set of bits. */
  bit: `${PREFIX}bit`,
} as const;

/** Name of the series of a metric. */
export function seriesName(metricId: string): string {
  return PREFIX + metricId;
}

/** A text in the quotes of a query. */
function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}

/** A matcher for one of some texts, which may hold any characters. */
function oneOf(label: string, values: readonly string[]): string {
  const [only] = values;
  if (values.length === 1 && only !== undefined) return `${label}=${quoted(only)}`;
  const pattern = values.map((value) => value.replaceAll(/[\\^$.|?*+()[\]{}]/g, '\\$&')).join('|');
  return `${label}=~${quoted(pattern)}`;
}

/**
 * The selector of some series of this history. `generation` is a number that grows whenever there are new series:
 * VictoriaMetrics remembers for seconds that a selector found nothing, and another number makes it another selector.
 */
export function selector(
  { host, origin, labels }: Identity,
  generation: number,
  match: Readonly<Record<string, readonly string[]>>,
): string {
  const own = { host: [host], origin: [origin] };
  const external = Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, [value]]));
  const all = Object.entries({ ...external, ...own, ...match }).map(([label, values]) => oneOf(label, values));
  return `{${all.join(',')},generation!="${generation}"}`;
}
