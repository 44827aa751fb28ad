import type { Device } from '../../model/device.ts';
import { isPresent } from '../../model/reading.ts';
import type { NvLink } from '../../model/tick.ts';
import { family, type SampleSink } from '../family.ts';
import type { LabelSet } from '../labels.ts';
import type { Row } from '../page.ts';
import { cardOf, dcgmLinkLabels } from './dcgm-labels.ts';

/** DCGM numbers the ports of a device from 0 to this. */
const LAST_PORT = 35;

const KINDS = [
  { name: 'REPLAY', help: 'Packets that this NVLink port sent again.', of: 'replayErrors' },
  { name: 'RECOVERY', help: 'How often this NVLink port had to recover.', of: 'recoveryErrors' },
] as const;

const FAMILIES = KINDS.map(({ name, help, of }) => ({
  of,
  ports: Array.from({ length: LAST_PORT + 1 }, (_, port) =>
    family('counter', `DCGM_FI_DEV_NVLINK_${name}_ERROR_COUNT_L${port}`, help),
  ),
}));

/** Errors of each NVLink port, under the label names that dcgm-exporter gives to links. */
export class DcgmLinks {
  readonly #host: string;
  readonly #sets = new WeakMap<Device, LabelSet[]>();

  constructor(host: string) {
    this.#host = host;
  }

  write(rows: readonly Row[], sink: SampleSink): void {
    // Ports belong to cards, and their labels cannot name an instance.
    const withLinks = rows.filter(
      ({ device, readings, view }) =>
        device.mig === undefined && readings !== null && view.details?.links !== undefined,
    );
    if (withLinks.length === 0) return;
    for (const { of, ports } of FAMILIES) {
      ports.forEach((its, port) => {
        sink.begin(its);
        for (const row of withLinks) {
          const reading = portOf(row, port)?.[of];
          if (reading !== undefined && isPresent(reading)) sink.add(this.#labels(row, port), reading);
        }
      });
    }
  }

  #labels(row: Row, port: number): LabelSet {
    const card = cardOf(row);
    let sets = this.#sets.get(card);
    if (sets === undefined) {
      sets = [];
      this.#sets.set(card, sets);
    }
    sets[port] ??= dcgmLinkLabels(row, port, this.#host);
    return sets[port];
  }
}

/** Sources list ports in order, so that the first look nearly always finds it. */
function portOf({ view }: Row, port: number): NvLink | undefined {
  const links = view.details?.links;
  const there = links?.[port];
  return there?.link === port ? there : links?.find(({ link }) => link === port);
}
