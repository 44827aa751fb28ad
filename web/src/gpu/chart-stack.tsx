import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { reasonOf } from '../../../src/client/gpu-reading.ts';
import type { ApiGpu } from '../../../src/model/api.ts';
import { dateTime } from '../../../src/model/format.ts';
import type { PageTranslate } from '../../../src/model/i18n/page-messages.ts';
import { Chart, type StackState } from '../charts/chart.tsx';
import { chartsWithData, chartsWithoutData } from '../charts/chart-spec.ts';
import type { ChartWindow } from '../charts/chart-window.ts';
import { eventsNear } from '../charts/event-clusters.ts';
import { pointedReach } from '../charts/event-marks.ts';
import { lineColours, paletteFor } from '../charts/palette.ts';
import { FailurePanel } from '../shell/failure-panel.tsx';
import { Loading } from '../shell/loading.tsx';
import { useApp, useText } from '../state/app-context.ts';
import type { Range, Span } from '../state/place.ts';
import { useStore } from '../state/store.ts';
import { RangeBar } from './range-bar.tsx';
import type { FeedState, SeriesFeed } from './series-feed.ts';
import { usePan } from './use-pan.ts';

/** So many events at the cursor are named before they are only counted. */
const MOST_NAMED = 2;

interface ChartStackProps {
  readonly gpu: ApiGpu;
  readonly feed: SeriesFeed;
  readonly range: Range;
  readonly recorded: boolean;
}

/** The charts of a GPU over one shared time axis. */
export function ChartStack({ gpu, feed, range, recorded }: ChartStackProps) {
  const t = useText();
  const state = useStore(feed.state);
  const { navigation } = useApp();
  const [place, width] = useWidth();
  const cursor = useRef<HTMLSpanElement>(null);
  const onZoom = useCallback(
    (span: Span) => {
      const { range } = navigation.place.get();
      // Every chart of the stack reports the same selection; the first report is enough.
      const isSame = typeof range === 'object' && range?.from === span.from && range.to === span.to;
      if (isSame) return;
      if (span.to > span.from) navigation.push({ range: span });
    },
    [navigation],
  );
  const onUnzoom = useCallback(() => navigation.unzoom(), [navigation]);
  const latest = useRef({ state, width });
  latest.current = { state, width };
  const onCursor = useCallback(
    (at: number | null) => {
      const { state: shown, width: wide } = latest.current;
      if (cursor.current !== null) cursor.current.textContent = cursorText(shown, wide, at, t);
    },
    [t],
  );
  usePan(place, feed, navigation);
  const { window, version, span, events: marked, eventsSince } = state;
  const stack = useMemo<StackState | null>(
    () =>
      window === null
        ? null
        : { gpu, window, version, span, events: marked, eventsSince, width, onZoom, onUnzoom, onCursor },
    [gpu, window, version, span, marked, eventsSince, width, onZoom, onUnzoom, onCursor],
  );
  return (
    <div className="stack" ref={place}>
      <RangeBar
        range={range}
        span={span}
        bucketMs={window?.bucketMs ?? null}
        loading={state.loading}
        recorded={recorded}
        cursor={cursor}
      />
      {state.failure !== null && <FailurePanel title={t('web.failure.series')} failure={state.failure} />}
      {stack === null && state.failure === null && <Loading rows={5} />}
      {stack?.window.isEmpty && !state.loading && <p className="not-charted">{t('web.chart.none')}</p>}
      {stack !== null && !stack.window.isEmpty && width > 0 && <Charts stack={stack} />}
    </div>
  );
}

function Charts({ stack }: { stack: StackState }) {
  const { preferences } = useApp();
  const dark = useStore(preferences.dark);
  const { gpu, window } = stack;
  const specs = chartsWithData(window);
  const [tables, setTables] = useState<ReadonlySet<string>>(new Set());
  const toggle = useCallback(
    (id: string) =>
      setTables((before) => new Set(before.has(id) ? [...before].filter((each) => each !== id) : [...before, id])),
    [],
  );
  const looks = useMemo(() => {
    const palette = paletteFor(dark);
    const colours = lineColours(palette, gpu.index);
    return { inner: { palette, colours, timeAxis: false }, last: { palette, colours, timeAxis: true } };
  }, [dark, gpu.index]);
  return (
    <>
      {specs.map((spec, i) => (
        <Chart
          key={spec.id}
          spec={spec}
          look={i === specs.length - 1 ? looks.last : looks.inner}
          state={stack}
          first={i === 0}
          asTable={tables.has(spec.id)}
          onToggleTable={toggle}
        />
      ))}
      <NotCharted gpu={gpu} window={window} />
    </>
  );
}

/** Names the charts that are missing, and why. */
function NotCharted({ gpu, window }: { gpu: ApiGpu; window: ChartWindow }) {
  const t = useText();
  const missing = chartsWithoutData(window);
  if (missing.length === 0) return null;
  const words = missing.map(({ title, lines }) => {
    const metric = lines[0]?.metric;
    // What is read now is not in this range for a reason that nobody wrote down.
    if (metric === undefined || gpu.readings[metric] != null) return t(title);
    const reason = reasonOf(gpu, metric);
    return t('web.chart.missing-one', { chart: t(title), reason: t(`absent.${reason}`) });
  });
  return <p className="quiet not-charted">{t('web.chart.missing', { charts: words.join(t('web.list.semicolon')) })}</p>;
}

/** The time pointed at and what happened there. */
function cursorText({ events, window, span }: FeedState, width: number, at: number | null, t: PageTranslate): string {
  if (at === null) return '';
  const near = eventsNear(events, at, pointedReach(span, width, window?.bucketMs ?? 0));
  const named = near.slice(0, MOST_NAMED).map((event) => event.text);
  const more = near.length > MOST_NAMED ? [t('web.chart.more-events', { n: near.length - MOST_NAMED })] : [];
  return [dateTime(at), ...named, ...more].join(' · ');
}

/** Width of an element, observed rather than measured. */
function useWidth(): [React.RefObject<HTMLDivElement | null>, number] {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (place.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  return [place, width];
}
