import { memo } from 'react';
import { readingOf, reasonOf } from '../../../src/client/gpu-reading.ts';
import type { ApiGpu } from '../../../src/model/api.ts';
import { CATALOGUE } from '../../../src/model/catalogue.ts';
import { quantityText } from '../../../src/model/format.ts';
import { useLang, useSession, useText } from '../state/app-context.ts';
import { useStore } from '../state/store.ts';

/** The table follows the data at this pace: it is for looking up, not for watching. */
const EVERY_MS = 10_000;
/** More columns than this do not fit on a wide screen either. */
const WIDE_GPUS = 10;

/** What each GPU reports: the newest value of every metric, or why there is none. */
export function Capabilities() {
  const t = useText();
  const fleet = useStore(useSession().fleet);
  if (fleet === null || fleet.rows.length === 0) return null;
  return (
    <section>
      <h2>{t('web.about.capabilities')}</h2>
      <p className="quiet">{t('web.about.capabilities-help')}</p>
      {fleet.rows.length > 1 && (
        <p className={fleet.rows.length > WIDE_GPUS ? 'quiet' : 'quiet scroll-hint'}>{t('web.about.scroll')}</p>
      )}
      <CapabilityTable gpus={fleet.state.gpus} turn={Math.floor((fleet.state.at ?? 0) / EVERY_MS)} />
    </section>
  );
}

interface CapabilityTableProps {
  readonly gpus: readonly ApiGpu[];
  /** The table is drawn again when this changes. */
  readonly turn: number;
}

const CapabilityTable = memo(
  function CapabilityTable({ gpus }: CapabilityTableProps) {
    const t = useText();
    const lang = useLang();
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard
      <section className="capabilities" tabIndex={0} aria-label={t('web.about.capabilities')}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t('web.about.metric')}</th>
              {gpus.map((gpu) => (
                <th key={gpu.uuid} scope="col" title={`${gpu.name}\n${gpu.uuid}`}>
                  GPU {gpu.index}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {CATALOGUE.map(({ id, label, help, unit }) => (
              <tr key={id}>
                <th scope="row" title={help[lang]}>
                  {label[lang]}
                </th>
                {gpus.map((gpu) => {
                  const value = readingOf(gpu, id);
                  return value === null ? (
                    <td key={gpu.uuid} className="quiet absent-word">
                      {t(`absent.${reasonOf(gpu, id)}`)}
                    </td>
                  ) : (
                    <td key={gpu.uuid}>{quantityText(value, unit, lang)}</td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    );
  },
  (a, b) => a.turn === b.turn && a.gpus.length === b.gpus.length,
);
