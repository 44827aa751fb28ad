import type { ApiHealth } from '../../../src/model/api.ts';
import { dateTime, duration, timeOfDay } from '../../../src/model/format.ts';
import { useLang, useSession, useText } from '../state/app-context.ts';
import { useStore } from '../state/store.ts';
import { historyTrouble } from './history-trouble.ts';

/** Says what the numbers are where they are not this machine's, and what is wrong with their source. */
export function SourceBanner() {
  const health = useStore(useSession().health);
  if (health === null) return null;
  return (
    <>
      {health.source.origin === 'simulated' && <SimulatedBanner health={health} />}
      {health.source.origin === 'recorded' && <RecordedBanner health={health} />}
      {health.source.origin === 'live' && <LiveNotices health={health} />}
      {health.history.failure !== null && <HistoryFailure health={health} />}
    </>
  );
}

function SimulatedBanner({ health }: { health: ApiHealth }) {
  const t = useText();
  const { reason } = health.source;
  return (
    <aside className="banner banner-simulated">
      <strong>{t('web.simulated')}</strong>
      {reason !== null && (
        <div>
          <p>
            {t('web.simulated.reason', { message: reason.message })} <code>{reason.code}</code>
          </p>
          <p>{t('web.simulated.hint', { hint: reason.hint })}</p>
        </div>
      )}
    </aside>
  );
}

function RecordedBanner({ health: { source, history } }: { health: ApiHealth }) {
  const t = useText();
  const lang = useLang();
  const { from, to } = history;
  return (
    <aside className="banner banner-recorded">
      <strong>{t('web.recorded', { name: source.name.replace(/^replay:/, '') })}</strong>
      {from !== null && to !== null && (
        <span>
          {dateTime(from)} – {dateTime(to)} <span className="quiet">({duration(to - from, lang)})</span>
        </span>
      )}
      <Notices notices={source.notices} />
    </aside>
  );
}

/** A live source has nothing to say most of the time. */
function LiveNotices({ health: { source } }: { health: ApiHealth }) {
  const t = useText();
  const stalled = source.state === 'stalled';
  // What cannot be seen is said on the page about the sources.
  const notices = source.notices.filter(({ isRemark }) => !isRemark);
  const { releasedUntil } = source;
  if (!stalled && releasedUntil === null && notices.length === 0) return null;
  return (
    <aside className="banner banner-warning">
      {releasedUntil !== null && <strong>{t('web.released', { time: timeOfDay(releasedUntil) })}</strong>}
      {stalled && <strong>{t('web.stalled')}</strong>}
      <Notices notices={notices} />
    </aside>
  );
}

function Notices({ notices }: { notices: ApiHealth['source']['notices'] }) {
  if (notices.length === 0) return null;
  return (
    <ul>
      {notices.map(({ key, text }) => (
        <li key={key + text}>{text}</li>
      ))}
    </ul>
  );
}

function HistoryFailure({ health: { history } }: { health: ApiHealth }) {
  const t = useText();
  const { failure } = history;
  if (failure === null) return null;
  return (
    <aside className="banner banner-warning" role="alert">
      <strong>{t(historyTrouble(failure))}</strong>
      <span>
        {failure.message} <code>{failure.code}</code>
      </span>
      <span>{failure.hint}</span>
    </aside>
  );
}
