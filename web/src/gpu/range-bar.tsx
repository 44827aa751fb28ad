import type { Ref } from 'react';
import { dateTime, duration } from '../../../src/model/format.ts';
import { useApp, useLang, useText } from '../state/app-context.ts';
import { PRESETS, type Range, type Span } from '../state/place.ts';

interface RangeBarProps {
  readonly range: Range;
  readonly span: Span;
  /** Null before the first answer. */
  readonly bucketMs: number | null;
  readonly loading: boolean;
  /** The end of a recording is not now. */
  readonly recorded: boolean;
  /** Where the time at the cursor is written. */
  readonly cursor: Ref<HTMLSpanElement>;
}

/** Which time is shown, how fine, and what lies at the cursor. It stays in sight while one scrolls through the charts. */
export function RangeBar({ range, span, bucketMs, loading, recorded, cursor }: RangeBarProps) {
  const t = useText();
  const lang = useLang();
  const { navigation } = useApp();
  const zoomed = typeof range !== 'string';
  return (
    <div className="range-bar">
      <fieldset className="segments">
        <legend className="unseen">{t('web.range')}</legend>
        {PRESETS.map((preset) => (
          <button
            key={preset}
            type="button"
            aria-pressed={preset === range}
            onClick={() => navigation.push({ range: preset })}
          >
            {t(recorded && preset === 'live' ? 'web.range.end' : `web.range.${preset}`)}
          </button>
        ))}
      </fieldset>
      {zoomed && (
        <span className="range-span">
          {dateTime(span.from)} – {dateTime(span.to)}
          <button type="button" className="plain" onClick={() => navigation.unzoom()}>
            {t('web.range.back')}
          </button>
        </span>
      )}
      <span ref={cursor} className="range-cursor" />
      <span className={loading ? 'quiet range-bucket range-loading' : 'quiet range-bucket'}>
        {bucketMs !== null && t('web.range.bucket', { span: duration(bucketMs, lang) })}
      </span>
    </div>
  );
}
