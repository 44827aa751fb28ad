import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import type { ApiFindings } from '../../../src/model/api-finding.ts';
import { RecentFindings } from '../findings/recent-findings.tsx';
import { useFindings } from '../findings/use-findings.ts';
import { EVENTS_MS, type Fleet } from '../session/session.ts';
import { EventList } from '../shell/event-list.tsx';
import { useApp, usePlace, useSession, useText } from '../state/app-context.ts';
import { useEvery } from '../state/clock-hooks.ts';
import type { Layout } from '../state/place.ts';
import { useShortcuts } from '../state/shortcuts.ts';
import { useStore } from '../state/store.ts';
import { filterRows } from './filter-rows.ts';
import { GpuTable } from './gpu-table.tsx';
import { HeatGrid } from './heat-grid.tsx';
import { HostStrip } from './host-strip.tsx';
import { PainterContext } from './spark.tsx';
import { SparkPainter } from './spark-painter.ts';
import { VerdictLine } from './verdict-line.tsx';

/** Up to so many GPUs are listed in rows unless the reader says otherwise. */
const MOST_ROWS = 16;

/** What is going on now. */
export function Overview({ fleet }: { fleet: Fleet }) {
  const t = useText();
  const session = useSession();
  const place = usePlace();
  const painter = useMemo(() => new SparkPainter(session), [session]);
  useEffect(() => session.fleet.subscribe(() => painter.paintSoon()), [painter, session]);
  // Many rows are drawn in slices between frames, so that a tick never holds up scrolling or typing.
  const shown = useDeferredValue(fleet);
  const { condition, text } = place;
  const rows = useMemo(() => filterRows(shown, condition, text), [shown, condition, text]);
  const byIndex = useMemo(() => shown.rows.filter((row) => rows.includes(row)), [shown, rows]);
  const { findings } = useFindings(false);
  const calm = useCalm(findings);
  const layout = place.layout ?? (fleet.rows.length > MOST_ROWS ? 'grid' : 'rows');
  return (
    <PainterContext value={painter}>
      <h1 className="unseen">{t('web.nav.overview')}</h1>
      <div className="overview-head">
        <VerdictLine rows={fleet.rows} chosen={condition} calm={calm} />
        <div className="overview-tools">
          <FilterField />
          <LayoutSwitch layout={layout} />
        </div>
      </div>
      <HostStrip host={fleet.state.host} machine={fleet.state.machine} />
      {rows.length === 0 && <NothingMatches />}
      {rows.length > 0 && layout === 'rows' && <GpuTable rows={rows} />}
      {rows.length > 0 && layout === 'grid' && <HeatGrid host={fleet.state.host} rows={byIndex} />}
      <RecentFindings findings={findings} />
      <RecentEvents />
    </PainterContext>
  );
}

/** Whether nothing worse than information happened in the last hour or goes on. What is over, a recording, is not judged. */
function useCalm(findings: ApiFindings | null): boolean {
  const session = useSession();
  const events = useStore(session.events);
  const health = useStore(session.health);
  if (events === null || health === null || health.source.origin === 'recorded') return false;
  const since = session.now() - EVENTS_MS;
  const isFound = findings?.findings.some(({ isCurrent, severity }) => isCurrent && severity !== 'info') === true;
  return !isFound && !events.some(({ at, severity }) => severity !== 'info' && at > since);
}

function FilterField() {
  const t = useText();
  const { navigation } = useApp();
  const { text } = usePlace();
  const field = useRef<HTMLInputElement>(null);
  const shortcuts = useMemo(() => ({ '/': () => field.current?.focus() }), []);
  useShortcuts(shortcuts);
  return (
    <input
      ref={field}
      type="search"
      className="filter"
      value={text}
      placeholder={t('web.filter.placeholder')}
      aria-label={t('web.filter.placeholder')}
      onChange={(event) => navigation.replace({ text: event.target.value })}
      onKeyDown={(event) => {
        if (event.key === 'Escape') event.currentTarget.blur();
      }}
    />
  );
}

function LayoutSwitch({ layout }: { layout: Layout }) {
  const t = useText();
  const { navigation } = useApp();
  return (
    <fieldset className="segments">
      <legend className="unseen">{t('web.layout')}</legend>
      {(['rows', 'grid'] as const).map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={each === layout}
          onClick={() => navigation.replace({ layout: each })}
        >
          {t(`web.layout.${each}`)}
        </button>
      ))}
    </fieldset>
  );
}

function NothingMatches() {
  const t = useText();
  const { navigation } = useApp();
  return (
    <div className="panel nothing">
      <p>{t('web.filter.nothing')}</p>
      <button type="button" onClick={() => navigation.push({ condition: null, text: '' })}>
        {t('web.filter.clear')}
      </button>
    </div>
  );
}

function RecentEvents() {
  const t = useText();
  const session = useSession();
  const events = useStore(session.events);
  // Ages grow whether or not data arrive.
  useEvery(1000);
  const now = session.textNow();
  const since = (now ?? session.now()) - EVENTS_MS;
  const [onlyTrouble, setOnlyTrouble] = useState(false);
  if (events === null) return null;
  const recent = events.filter(({ at, severity }) => at > since && !(onlyTrouble && severity === 'info'));
  return (
    <section className="recent">
      <div className="recent-head">
        <h2>{t(now === null ? 'web.events.hour-recorded' : 'web.events.hour')}</h2>
        <label className="check">
          <input type="checkbox" checked={onlyTrouble} onChange={(event) => setOnlyTrouble(event.target.checked)} />
          {t('web.events.trouble')}
        </label>
      </div>
      <EventList
        events={recent}
        now={now}
        empty={t(`web.events.${onlyTrouble ? 'no-warnings' : 'none-hour'}${now === null ? '-recorded' : ''}`)}
        linked
      />
    </section>
  );
}
