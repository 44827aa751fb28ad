import { type Ref, useImperativeHandle, useRef } from 'react';
import { readingOf } from '../../../src/client/gpu-reading.ts';
import type { ApiGpu } from '../../../src/model/api.ts';
import { quantityText } from '../../../src/model/format.ts';
import { reasonWords } from '../../../src/model/i18n/reason-words.ts';
import type { Lang } from '../../../src/model/i18n/text.ts';
import { metricLabel } from '../shell/metric-text.ts';
import { useLang, useMetrics, useText } from '../state/app-context.ts';
import { bandOf } from './chart-band.ts';
import type { ChartLine, ChartSpec } from './chart-spec.ts';
import type { ChartWindow } from './chart-window.ts';
import type { LineColours, Palette } from './palette.ts';
import { reasonColour, reasonsInWindow } from './reason-lanes.ts';

export interface ReadoutHandle {
  /** Writes the values of a bucket, or the newest ones. Called for every move of the cursor, so it bypasses React. */
  show(window: ChartWindow, index: number | null): void;
}

interface ChartReadoutProps {
  readonly spec: ChartSpec;
  readonly gpu: ApiGpu;
  readonly window: ChartWindow;
  readonly palette: Palette;
  readonly colours: LineColours;
  readonly handle: Ref<ReadoutHandle>;
}

/** The legend of a chart with the values at the cursor. */
export function ChartReadout({ spec, gpu, window, palette, colours, handle }: ChartReadoutProps) {
  const lang = useLang();
  const t = useText();
  const fields = useRef(new Map<string, HTMLElement>());
  const keep = (key: string) => (element: HTMLElement | null) => {
    if (element === null) fields.current.delete(key);
    else fields.current.set(key, element);
  };
  useImperativeHandle(handle, () => ({
    show(shown, index) {
      for (const line of spec.lines)
        write(
          fields.current.get(line.metric),
          valueText(spec, shown, line, readIndex(shown, line.metric, index), lang),
        );
      if (spec.reasons) write(fields.current.get('reasons'), reasonsText(shown, index, lang));
    },
  }));
  const metrics = useMetrics();
  const colourOf = { ...colours, limit: palette.quiet } as const;
  return (
    <div className="readout">
      {spec.lines.map(({ metric: id, style }) => (
        <span key={id} className="readout-line">
          <span
            className={`readout-key readout-${style}`}
            style={{ borderColor: colourOf[style] }}
            aria-hidden="true"
          />
          <span className="quiet">{metricLabel(metrics, id)}</span> <span ref={keep(id)} className="readout-value" />
        </span>
      ))}
      {spec.thresholds.map(({ metric: id }) => {
        const value = readingOf(gpu, id);
        return value === null ? null : (
          <span key={id} className="readout-line">
            <span className="readout-key readout-limit" style={{ borderColor: palette.warning }} aria-hidden="true" />
            <span className="quiet">{metricLabel(metrics, id)}</span> {quantityText(value, spec.unit, lang)}
          </span>
        );
      })}
      {spec.reasons && (
        <span className="readout-line">
          {reasonsInWindow(window).map((reason) => (
            <span key={reason.id} className="readout-line">
              <span className="readout-lane" style={{ background: reasonColour(reason, palette) }} aria-hidden="true" />
              <span className={reason.trouble ? 'warning' : 'quiet'}>{reason.word[lang]}</span>
            </span>
          ))}
          <span className="unseen">{t('web.column.reasons')}</span>
          <span ref={keep('reasons')} className="readout-value" />
        </span>
      )}
    </div>
  );
}

function write(element: HTMLElement | undefined, text: string): void {
  if (element !== undefined && element.textContent !== text) element.textContent = text;
}

/** `87% (12% – 100%)`: mean and extremes of a bucket, the extremes only where they differ. */
export function valueText(spec: ChartSpec, window: ChartWindow, line: ChartLine, i: number, lang: Lang): string {
  const band = bandOf(window, line);
  const mean = band?.mean[i] ?? null;
  if (band === undefined || mean === null) return '–';
  const text = quantityText(mean, spec.unit, lang);
  const [low, high] = [band.min[i] ?? mean, band.max[i] ?? mean];
  const [lowText, highText] = [quantityText(low, spec.unit, lang), quantityText(high, spec.unit, lang)];
  return lowText === highText ? text : `${text} (${lowText} – ${highText})`;
}

/** The reasons set in a bucket; nothing while no bucket is pointed at, where the legend says it all. */
function reasonsText(window: ChartWindow, index: number | null, lang: Lang): string {
  const mask = index === null ? null : window.column('clock_event_reasons')?.max[index];
  return mask == null || mask === 0 ? '' : `→ ${reasonWords(mask, lang)}`;
}

/** The bucket to read a metric at: the one pointed at or the next one with a value nearby, without one the newest. */
function readIndex(window: ChartWindow, id: string, index: number | null): number {
  const values = window.column(id)?.mean ?? [];
  return index === null ? newestIndex(window, values) : window.nearestWith(values, index);
}

/** The newest bucket with a value; -1 where that is too long ago to stand for the end of the range. */
function newestIndex({ at, bucketMs, intervalMs }: ChartWindow, values: readonly (number | null)[]): number {
  const newest = values.findLastIndex((value) => value !== null);
  const age = (at.at(-1) ?? 0) - (at[newest] ?? 0);
  return age <= Math.max(2 * bucketMs, 3 * intervalMs) ? newest : -1;
}
