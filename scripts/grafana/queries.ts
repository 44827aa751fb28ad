import type { MetricId } from '../../src/model/catalogue.ts';

/**
 * PromQL of the boards. Series of a device carry its UUID; its host and what to call it are in `gpulse_device_info`, so
 * that every query joins the two. `max by` keeps one info series where a change of the driver has left two behind.
 */

/** Cards and MIG instances, cards only, or MIG instances only: an instance is a part of a card, and is not added to it. */
export type Scope = 'all' | 'cards' | 'instances';

const SCOPE_FILTERS: Readonly<Record<Scope, string>> = {
  all: '',
  cards: ',parent_uuid=""',
  instances: ',parent_uuid!=""',
};

/** The name under which a metric of the catalogue is exported. */
export function seriesOf(id: MetricId): string {
  return `gpulse_${id}`;
}

/** The info series of the devices that the variables choose, with these labels. */
export function deviceInfo(scope: Scope = 'cards', labels = 'host, device'): string {
  return `max by (instance, uuid, ${labels}) (gpulse_device_info{host=~"$host",gpu=~"$gpu"${SCOPE_FILTERS[scope]}})`;
}

/** Series of devices with the labels `host` and `device`. */
export function byDevice(expression: string, scope: Scope = 'cards', labels = 'host, device'): string {
  return `${operand(expression)} * on (instance, uuid) group_left (${labels}) ${deviceInfo(scope, labels)}`;
}

/** Series of the process or the machine with the label `host`. */
export function byHost(expression: string): string {
  const info = 'max by (instance, host) (gpulse_source_info{host=~"$host"})';
  return `${operand(expression)} * on (instance) group_left (host) ${info}`;
}

/** Only the plainest expressions bind tighter than the operator behind them. */
function operand(expression: string): string {
  return /^[\w:]+(?:\{[^}]*\})?$|^\w+\([^()]*\)$/.test(expression) ? expression : `(${expression})`;
}

/** Ratio of two series of one device, whatever other labels they have. */
export function share(part: string, whole: string): string {
  return `${part} / on (instance, uuid) group_left () ${whole}`;
}

/** How fast a counter grows. */
export function rate(counter: string): string {
  return `rate(${counter}[$__rate_interval])`;
}

/** How much a counter has grown over the time that the board shows. */
export function growth(counter: string): string {
  return `increase(${counter}[$__range])`;
}

export const MEMORY_SHARE = share(seriesOf('memory_used_bytes'), seriesOf('memory_total_bytes'));

/**
 * Degrees that a device has left before it slows down: told by newer devices, on others the distance to the limit that
 * the device itself names.
 */
export const TEMPERATURE_MARGIN = `${seriesOf('temperature_margin_celsius')} or ${seriesOf('temperature_slowdown_celsius')} - ${seriesOf('temperature_celsius')}`;
