import type { SampleSink } from '../family.ts';
import type { LabelSet } from '../labels.ts';
import type { DeviceOwner } from '../owners.ts';

/**
 * Adds one figure of the owners of a device: owners that differ only in what is no label of the series are one, and their
 * figures are added. A sum of which a part is not known (null) is left out. `convert` makes the unit of the series.
 */
export function addOwnerSums(
  sink: SampleSink,
  owners: readonly DeviceOwner[],
  labelsOf: (owner: DeviceOwner) => LabelSet,
  figureOf: (owner: DeviceOwner) => number | null,
  convert: (sum: number) => number = (sum) => sum,
): void {
  const [only] = owners;
  if (only !== undefined && owners.length === 1) {
    const figure = figureOf(only);
    if (figure !== null) sink.add(labelsOf(only), convert(figure));
    return;
  }
  const sums = new Map<string, { labels: LabelSet; sum: number | null }>();
  for (const owner of owners) {
    const labels = labelsOf(owner);
    const figure = figureOf(owner);
    const before = sums.get(labels.text);
    const sum = before === undefined ? figure : before.sum === null || figure === null ? null : before.sum + figure;
    sums.set(labels.text, { labels, sum });
  }
  for (const { labels, sum } of sums.values()) if (sum !== null) sink.add(labels, convert(sum));
}
