import { memo } from 'react';
import { readingOf, reasonOf, temperatureMargin, utilisationOf } from '../../../src/client/gpu-reading.ts';
import type { ApiGpu } from '../../../src/model/api.ts';
import { quantityText, threeFigures } from '../../../src/model/format.ts';
import { Bar } from '../shell/bar.tsx';
import { Figure } from '../shell/figure.tsx';
import { ConditionGlyph } from '../shell/glyph.tsx';
import { Missing } from '../shell/missing.tsx';
import { useLang, useText } from '../state/app-context.ts';
import { slowingReasons } from './slowing-reasons.ts';
import { Spark } from './spark.tsx';

/** Degrees from the limit at which the margin is shown as a warning. */
const NEAR_LIMIT_CELSIUS = 5;

/** The figure that matters most, over its last 15 minutes. */
export function UtilisationCell({ gpu }: { gpu: ApiGpu }) {
  const now = utilisationOf(gpu);
  return (
    <div className="utilisation">
      <Spark uuid={gpu.uuid} index={gpu.index} />
      <span className="utilisation-now">
        {now === null ? (
          <Missing reason={reasonOf(gpu, 'utilization_ratio')} />
        ) : (
          <Figure value={Math.round(now * 100) / 100} unit="ratio" />
        )}
      </span>
    </div>
  );
}

export function TemperatureCell({ gpu }: { gpu: ApiGpu }) {
  const now = readingOf(gpu, 'temperature_celsius');
  if (now === null) return <Missing reason={reasonOf(gpu, 'temperature_celsius')} />;
  return <Temperature now={now} margin={temperatureMargin(gpu)} />;
}

const Temperature = memo(function Temperature({ now, margin }: { now: number; margin: number | null }) {
  const t = useText();
  const near = margin !== null && margin < NEAR_LIMIT_CELSIUS;
  return (
    <div className="stacked">
      <Figure value={now} unit="celsius" />
      {margin !== null && (
        <span className={near ? 'warning' : 'quiet'}>
          {margin <= 0 ? t('web.margin.reached') : t('web.margin', { degrees: threeFigures(margin) })}
        </span>
      )}
    </div>
  );
});

export function PowerCell({ gpu }: { gpu: ApiGpu }) {
  const now = readingOf(gpu, 'power_watts');
  if (now === null) return <Missing reason={reasonOf(gpu, 'power_watts')} />;
  return <Power now={now} limit={readingOf(gpu, 'power_limit_watts')} />;
}

const Power = memo(function Power({ now, limit }: { now: number; limit: number | null }) {
  const lang = useLang();
  if (limit === null) return <Figure value={now} unit="watts" />;
  return (
    <div className="stacked">
      <span>
        <span className="figure">{threeFigures(now, true)}</span>
        <span className="quiet"> / {quantityText(limit, 'watts', lang)}</span>
      </span>
      <Bar share={now / limit} />
    </div>
  );
});

/** What slows the device; the reasons that are trouble stand out. */
export function ReasonsCell({ gpu }: { gpu: ApiGpu }) {
  const mask = readingOf(gpu, 'clock_event_reasons');
  if (mask === null) return <Missing reason={reasonOf(gpu, 'clock_event_reasons')} />;
  return <ReasonWords mask={mask} />;
}

const ReasonWords = memo(function ReasonWords({ mask }: { mask: number }) {
  const lang = useLang();
  return (
    <div className="words">
      {slowingReasons(mask).map(({ id, word, trouble }) => (
        <span key={id} className={trouble ? 'word warning' : 'word quiet'}>
          {trouble && <ConditionGlyph condition="throttled" />}
          {word[lang]}
        </span>
      ))}
    </div>
  );
});
