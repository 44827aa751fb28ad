import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { isTrouble } from '../../src/client/condition.ts';
import { FindingsPage } from './findings/findings-page.tsx';
import { Overview } from './overview/overview.tsx';
import { dataAge } from './shell/data-age.ts';
import { ErrorBoundary } from './shell/error-boundary.tsx';
import { FailurePanel } from './shell/failure-panel.tsx';
import { HelpDialog } from './shell/help-dialog.tsx';
import { Loading } from './shell/loading.tsx';
import { NoData } from './shell/no-data.tsx';
import { NotFound } from './shell/not-found.tsx';
import { PageFooter } from './shell/page-footer.tsx';
import { pageTitle } from './shell/page-title.ts';
import { Searching } from './shell/searching.tsx';
import { SourceBanner } from './shell/source-banner.tsx';
import { TopBar } from './shell/top-bar.tsx';
import { LangContext, useApp, usePlace, useSession, useText } from './state/app-context.ts';
import { useEvery } from './state/clock-hooks.ts';
import { useShortcuts } from './state/shortcuts.ts';
import { useStore } from './state/store.ts';

/** The charts come with the first GPU page, so that the overview is on screen sooner. */
const GpuPage = lazy(() => import('./gpu/gpu-page.tsx').then((module) => ({ default: module.GpuPage })));

/** What is looked up now and then comes when it is. */
const About = lazy(() => import('./about/about.tsx').then((module) => ({ default: module.About })));

export function App() {
  const { session, preferences } = useApp();
  const place = usePlace();
  const lang = place.lang ?? preferences.lang();
  useEffect(() => {
    document.documentElement.lang = lang === 'zh' ? 'zh-CN' : 'en';
    session.setLang(lang);
  }, [lang, session]);
  return (
    <LangContext value={lang}>
      <Page />
    </LangContext>
  );
}

function Page() {
  const { navigation } = useApp();
  const [help, setHelp] = useState(false);
  const shortcuts = useMemo(
    () => ({
      '?': () => setHelp(true),
      'g o': () => navigation.push({ route: { view: 'overview' } }),
      'g f': () => navigation.push({ route: { view: 'findings' } }),
    }),
    [navigation],
  );
  useShortcuts(shortcuts);
  return (
    <>
      <Title />
      <TopBar onHelp={() => setHelp(true)} />
      <SourceBanner />
      <Main />
      <PageFooter />
      {help && <HelpDialog onClose={() => setHelp(false)} />}
    </>
  );
}

/** Values that are too old are dimmed, whatever the view. */
function Main() {
  const session = useSession();
  const { route } = usePlace();
  useEvery(1000);
  const stale = dataAge(session, session.health.get())?.stale ?? false;
  return (
    <main className={stale ? 'stale' : undefined}>
      <ErrorBoundary key={route.view}>
        <View />
      </ErrorBoundary>
    </main>
  );
}

function View() {
  const t = useText();
  const { route } = usePlace();
  const fleet = useStore(useSession().fleet);
  if (route.view === 'not-found') return <NotFound title={t('web.notfound')} detail={route.path} />;
  if (route.view === 'about') {
    return (
      <Suspense fallback={<Loading rows={4} />}>
        <About />
      </Suspense>
    );
  }
  if (route.view === 'findings') return <FindingsPage />;
  if (fleet === null || fleet.rows.length === 0) return <WithoutGpus />;
  if (route.view === 'overview') return <Overview fleet={fleet} />;
  return (
    <Suspense fallback={<Loading rows={6} />}>
      <GpuPage key={route.uuid} uuid={route.uuid} />
    </Suspense>
  );
}

/** No GPU to show: none found, none sampled yet, or the server cannot be asked. */
function WithoutGpus() {
  const t = useText();
  const session = useSession();
  const fleet = useStore(session.fleet);
  const health = useStore(session.health);
  const healthFailure = useStore(session.healthFailure);
  const connection = useStore(session.connection);
  const failure = connection.phase === 'waiting' ? connection.failure : healthFailure;
  if (fleet === null && failure !== null) return <FailurePanel title={t('web.failure.load')} failure={failure} />;
  if (health === null) return <Loading rows={8} />;
  return health.source.state === 'searching' ? <Searching health={health} /> : <NoData health={health} />;
}

function Title() {
  const t = useText();
  const { route } = usePlace();
  const fleet = useStore(useSession().fleet);
  const trouble = fleet?.rows.filter(({ condition }) => isTrouble(condition)).length ?? 0;
  const title = pageTitle({ route, host: fleet?.state.host ?? null, gpus: fleet?.state.gpus ?? [], trouble }, t);
  useEffect(() => {
    document.title = title;
  }, [title]);
  return null;
}
