import { memo, useEffect, useMemo, useRef, useState } from 'react';
import { dateTime, shortDeviceName } from '../../../src/model/format.ts';
import 'uplot/dist/uPlot.min.css';
import { everyRow, type FleetRow } from '../session/session.ts';
import { sliceWords } from '../shell/device-name.ts';
import { EventList } from '../shell/event-list.tsx';
import { ArrowGlyph } from '../shell/glyph.tsx';
import { GpuSwatch } from '../shell/gpu-swatch.tsx';
import { Link } from '../shell/link.tsx';
import { Loading } from '../shell/loading.tsx';
import { NotFound } from '../shell/not-found.tsx';
import { StateTag } from '../shell/state-tag.tsx';
import { useApp, usePlace, useSession, useText } from '../state/app-context.ts';
import { useEvery } from '../state/clock-hooks.ts';
import { PRESETS, type Range } from '../state/place.ts';
import { useShortcuts } from '../state/shortcuts.ts';
import { useStore } from '../state/store.ts';
import { ChartStack } from './chart-stack.tsx';
import { Facts } from './facts.tsx';
import { InstanceTable } from './instance-table.tsx';
import { Fans, NvLinks } from './parts.tsx';
import { ProcessTable } from './process-table.tsx';
import { ReadingsTable } from './readings-table.tsx';
import { SeriesFeed } from './series-feed.ts';

/** Buckets asked for: about one for two pixels, on wide and on narrow screens. */
const POINTS_WIDE = 600;
const POINTS_NARROW = 300;

/** What one GPU has been doing. */
export const GpuPage = memo(function GpuPage({ uuid }: { uuid: string }) {
  const t = useText();
  const fleet = useStore(useSession().fleet);
  const range = useRange();
  const rows = everyRow(fleet?.rows ?? []);
  const position = rows.findIndex(({ gpu }) => gpu.uuid === uuid);
  const row = rows[position];
  const byIndex =
    row === undefined && /^\d+$/.test(uuid)
      ? rows.find(({ gpu }) => gpu.index === Number(uuid) && gpu.mig === null)
      : undefined;
  const { navigation } = useApp();
  // An index is what people know a GPU by, but the next driver start may give it to another one.
  useEffect(() => {
    if (byIndex !== undefined) navigation.replace({ route: { view: 'gpu', uuid: byIndex.gpu.uuid } });
  }, [byIndex, navigation]);
  if (byIndex !== undefined) return <Loading rows={6} />;
  if (row === undefined) return <NotFound title={t('web.gpu.unknown')} detail={uuid} />;
  return (
    <article className="gpu-page">
      <Head row={row} before={rows[position - 1]?.gpu.uuid} after={rows[position + 1]?.gpu.uuid} />
      {range === null ? <Loading rows={5} /> : <Body row={row} range={range} />}
    </article>
  );
});

interface HeadProps {
  readonly row: FleetRow;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

function Head({ row, before, after }: HeadProps) {
  const t = useText();
  const { navigation } = useApp();
  const { gpu, condition, error } = row;
  const shortcuts = useMemo(() => {
    const open = (uuid: string | undefined) => () => {
      if (uuid !== undefined) navigation.push({ route: { view: 'gpu', uuid } });
    };
    return { ArrowLeft: open(before), ArrowRight: open(after) };
  }, [navigation, before, after]);
  useShortcuts(shortcuts);
  return (
    <header className="gpu-head">
      <Link to={{ route: { view: 'overview' } }}>{t('web.nav.overview')}</Link>
      <h1>
        <GpuSwatch index={gpu.index} />
        GPU {gpu.index}{' '}
        {gpu.mig === null ? (
          <span className="gpu-name">{shortDeviceName(gpu.name)}</span>
        ) : (
          <span>{sliceWords(gpu.mig, t).join(' · ')}</span>
        )}
      </h1>
      {gpu.mig !== null && (
        <Link to={{ route: { view: 'gpu', uuid: gpu.mig.parent } }}>{t('web.mig.card', { index: gpu.index })}</Link>
      )}
      <StateTag gpu={gpu} condition={condition} error={error} />
      <nav className="gpu-steps" aria-label={t('web.gpu.steps')}>
        <Step uuid={before} label={t('web.gpu.before')} direction="left" />
        <Step uuid={after} label={t('web.gpu.after')} direction="right" />
      </nav>
    </header>
  );
}

function Step({ uuid, label, direction }: { uuid: string | undefined; label: string; direction: 'left' | 'right' }) {
  if (uuid === undefined) {
    return (
      <span className="tool tool-off" aria-hidden="true">
        <ArrowGlyph direction={direction} />
      </span>
    );
  }
  return (
    <Link to={{ route: { view: 'gpu', uuid } }} className="tool" aria-label={label} title={label}>
      <ArrowGlyph direction={direction} />
    </Link>
  );
}

function Body({ row, range }: { row: FleetRow; range: Range }) {
  const t = useText();
  const { gpu, instances } = row;
  const feed = useFeed(gpu.uuid, range);
  useRangeKeys(range);
  const recorded = useStore(useSession().health)?.source.origin === 'recorded';
  return (
    <div className="gpu-body">
      <div className="gpu-main">
        {feed === null ? <Loading rows={5} /> : <ChartStack gpu={gpu} feed={feed} range={range} recorded={recorded} />}
        {(instances.length > 0 || gpu.readings['mig_mode'] === 1) && gpu.mig === null && (
          <section>
            <h2>{t('web.mig.instances')}</h2>
            <InstanceTable instances={instances} />
          </section>
        )}
        <section>
          <h2>{t(recorded ? 'web.gpu.processes-last' : 'web.gpu.processes')}</h2>
          {instances.length > 0 && gpu.processes.length === 0 && gpu.processesAbsent === null ? (
            <p className="quiet">{t('web.mig.processes')}</p>
          ) : (
            <ProcessTable gpu={gpu} recorded={recorded} />
          )}
        </section>
        {feed !== null && <EventsInRange feed={feed} />}
        <ReadingsTable gpu={gpu} recorded={recorded} />
        <NvLinks links={gpu.details.links} />
      </div>
      <aside className="gpu-side">
        <Facts gpu={gpu} />
        <Fans fans={gpu.details.fans} />
      </aside>
    </div>
  );
}

function EventsInRange({ feed }: { feed: SeriesFeed }) {
  const t = useText();
  const session = useSession();
  const { events, eventsSince } = useStore(feed.state);
  // Ages grow whether or not data arrive.
  useEvery(1000);
  return (
    <section>
      <h2>{t('web.gpu.events')}</h2>
      {eventsSince !== null && (
        <p className="warning">{t('web.events.cut', { n: events.length, time: dateTime(eventsSince) })}</p>
      )}
      <EventList events={events} now={session.textNow()} empty={t('web.gpu.no-events')} linked={false} />
    </section>
  );
}

/** The range of the URL, else the whole of a recording or the last minutes; null until it is known which. */
function useRange(): Range | null {
  const { range } = usePlace();
  const health = useStore(useSession().health);
  if (range !== null || health === null) return range;
  return health.source.origin === 'recorded' ? 'all' : '15m';
}

/** The feed of a GPU, kept while only the range changes; null until it is made. */
function useFeed(uuid: string, range: Range): SeriesFeed | null {
  const session = useSession();
  const [feed, setFeed] = useState<SeriesFeed | null>(null);
  const asked = useRef(range);
  useEffect(() => {
    const points = window.innerWidth < 700 ? POINTS_NARROW : POINTS_WIDE;
    const made = new SeriesFeed(session, uuid, asked.current, points);
    setFeed(made);
    return () => made.close();
  }, [session, uuid]);
  useEffect(() => {
    if (range !== asked.current) feed?.setRange(range);
    asked.current = range;
  }, [feed, range]);
  return feed;
}

/** `[` shows less time, `]` more. */
function useRangeKeys(range: Range): void {
  const { navigation } = useApp();
  const shortcuts = useMemo(() => {
    const step = (by: number) => () => {
      const at = typeof range === 'string' ? PRESETS.indexOf(range) : 1;
      const next = PRESETS[Math.max(0, Math.min(PRESETS.length - 1, at + by))];
      if (next !== undefined && next !== range) navigation.push({ range: next });
    };
    return { '[': step(-1), ']': step(1) };
  }, [navigation, range]);
  useShortcuts(shortcuts);
}
