import { memo } from 'react';
import { readingOf, reasonOf } from '../../../src/client/gpu-reading.ts';
import type { ApiGpu } from '../../../src/model/api.ts';
import { CATALOGUE, type MetricId, metric } from '../../../src/model/catalogue.ts';
import { quantityText } from '../../../src/model/format.ts';
import type { AbsenceReason } from '../../../src/model/reading.ts';
import { useLang, useText } from '../state/app-context.ts';

const READINGS = CATALOGUE.filter(({ cadence }) => cadence !== 'static');

/** Every reading now, or the last of a recording, and for each that is absent the reason. */
export function ReadingsTable({ gpu, recorded }: { gpu: ApiGpu; recorded: boolean }) {
  const t = useText();
  return (
    <section>
      <h2>{t(recorded ? 'web.gpu.readings-last' : 'web.gpu.readings')}</h2>
      <table className="readings">
        <tbody>
          {READINGS.map(({ id }) => {
            const value = readingOf(gpu, id);
            return <ReadingRow key={id} id={id} value={value} reason={value === null ? reasonOf(gpu, id) : null} />;
          })}
        </tbody>
      </table>
    </section>
  );
}

interface ReadingRowProps {
  readonly id: MetricId;
  readonly value: number | null;
  readonly reason: AbsenceReason | null;
}

const ReadingRow = memo(function ReadingRow({ id, value, reason }: ReadingRowProps) {
  const t = useText();
  const lang = useLang();
  const { label, help, unit } = metric(id);
  return (
    <tr>
      <th scope="row" title={help[lang]}>
        {label[lang]}
      </th>
      {value === null ? (
        <td className="quiet absent-word">{reason !== null && t(`absent.${reason}`)}</td>
      ) : (
        <td>{quantityText(value, unit, lang)}</td>
      )}
    </tr>
  );
});
