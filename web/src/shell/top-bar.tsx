import { ago, dateTime, duration } from '../../../src/model/format.ts';
import { useApp, useLang, usePlace, useSession, useText } from '../state/app-context.ts';
import { useEvery } from '../state/clock-hooks.ts';
import { THEMES } from '../state/preferences.ts';
import { useStore } from '../state/store.ts';
import { ConnectionState } from './connection-state.tsx';
import { dataAge } from './data-age.ts';
import { Link } from './link.tsx';

export function TopBar({ onHelp }: { onHelp: () => void }) {
  const t = useText();
  const { route } = usePlace();
  return (
    <header className="top">
      <Link to={{ route: { view: 'overview' } }} className="brand" aria-label={t('web.nav.home')}>
        <svg viewBox="0 0 28 20" aria-hidden="true">
          <path d="M1 11h6l3-8 5 15 3-7h9" />
        </svg>
        gpulse
      </Link>
      <HostAndSource />
      <DataAgeText />
      <span className="top-gap" />
      <ConnectionState />
      <nav className="top-nav">
        <Link to={{ route: { view: 'findings' } }} aria-current={route.view === 'findings' ? 'page' : undefined}>
          {t('web.nav.findings')}
        </Link>
        <Link to={{ route: { view: 'about' } }} aria-current={route.view === 'about' ? 'page' : undefined}>
          {t('web.nav.about')}
        </Link>
        <LanguageButton />
        <ThemeButton />
        <button type="button" className="tool" onClick={onHelp} aria-label={t('web.help')} title={t('web.help')}>
          ?
        </button>
      </nav>
    </header>
  );
}

function HostAndSource() {
  const session = useSession();
  const health = useStore(session.health);
  const fleet = useStore(session.fleet);
  const host = health?.host ?? fleet?.state.host;
  const source = health?.source.name ?? fleet?.state.source;
  return (
    <span className="where">
      {host !== undefined && <strong className="host">{host}</strong>}
      {source !== undefined && <span className="source">{source}</span>}
    </span>
  );
}

function DataAgeText() {
  const t = useText();
  const lang = useLang();
  const session = useSession();
  const health = useStore(session.health);
  useEvery(1000);
  const age = dataAge(session, health);
  if (age === null) return null;
  if (health?.source.origin === 'recorded' && health.source.state === 'running') {
    return <span className="quiet age">{t('web.age.reading-to', { time: dateTime(session.now()) })}</span>;
  }
  if (health?.source.state === 'ended') return <span className="quiet age">{t('web.age.ended')}</span>;
  if (age.stale) {
    const span = duration(Math.floor(age.ms / 1000) * 1000, lang);
    return <span className="warning age">{t('web.age.stale', { span })}</span>;
  }
  return <span className="quiet age">{t('web.age', { ago: ago(0, age.ms, lang) })}</span>;
}

function LanguageButton() {
  const { navigation, preferences } = useApp();
  const lang = useLang();
  const other = lang === 'en' ? 'zh' : 'en';
  const choose = () => {
    preferences.saveLang(other);
    navigation.replace({ lang: other });
  };
  return (
    <button type="button" className="tool" lang={other === 'zh' ? 'zh-CN' : 'en'} onClick={choose}>
      {other === 'zh' ? '中文' : 'English'}
    </button>
  );
}

const THEME_DRAWINGS = {
  system: 'M2 2.5h8v5.5H2zM4.5 10.5h3',
  light:
    'M6 4a2 2 0 1 0 0 4a2 2 0 1 0 0-4M6 .8v1.2M6 10v1.2M.8 6H2M10 6h1.2M2.3 2.3l.9.9M8.8 8.8l.9.9M2.3 9.7l.9-.9M8.8 3.2l.9-.9',
  dark: 'M4.5 1.8a4.6 4.6 0 1 0 5.8 5.8a4 4 0 0 1-5.8-5.8',
} as const;

function ThemeButton() {
  const t = useText();
  const { preferences } = useApp();
  const theme = useStore(preferences.theme);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
  const label = t('web.theme', { theme: t(`web.theme.${theme}`) });
  return (
    <button type="button" className="tool" onClick={() => preferences.setTheme(next)} aria-label={label} title={label}>
      <svg className="glyph" viewBox="0 0 12 12" aria-hidden="true">
        <path d={THEME_DRAWINGS[theme]} fill="none" />
      </svg>
    </button>
  );
}
