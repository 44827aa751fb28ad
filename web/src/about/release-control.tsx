import { useEffect, useRef, useState } from 'react';
import { failureFrom } from '../../../src/client/api.ts';
import type { ApiFailure } from '../../../src/client/failure.ts';
import type { ApiHealth, ApiRelease } from '../../../src/model/api.ts';
import { duration, timeOfDay } from '../../../src/model/format.ts';
import { CauseAndRemedy } from '../shell/cause-and-remedy.tsx';
import { useLang, useSession, useText } from '../state/app-context.ts';

const MINUTES = [1, 5, 15, 60] as const;
const DEFAULT_MINUTES = 5;

/** Lets go of the GPUs for a while, after a question; only where they are GPUs of this machine. */
export function ReleaseControl({ health }: { health: ApiHealth }) {
  const t = useText();
  const { act, busy, failure } = useAct();
  const [asking, setAsking] = useState(false);
  const { origin, state, releasedUntil } = health.source;
  if (origin !== 'live' || (state === 'searching' && releasedUntil === null)) return null;
  return (
    <section className="panel release">
      <h2>{t('web.release')}</h2>
      <p className="quiet">{t('web.release.help')}</p>
      {releasedUntil === null ? (
        <button type="button" disabled={busy} onClick={() => setAsking(true)}>
          {t('web.release.open')}
        </button>
      ) : (
        <p className="release-until">
          <strong>{t('web.release.until', { time: timeOfDay(releasedUntil) })}</strong>
          <button type="button" disabled={busy} onClick={() => act((api) => api.resume())}>
            {t('web.release.resume')}
          </button>
        </p>
      )}
      {failure !== null && (
        <div role="alert">
          <strong className="warning">{t('web.release.failed')}</strong>
          <CauseAndRemedy failure={failure} />
        </div>
      )}
      {asking && (
        <Confirmation
          host={health.host}
          onClose={(minutes) => {
            setAsking(false);
            if (minutes !== null) act((api) => api.release(minutes * 60));
          }}
        />
      )}
    </section>
  );
}

type Api = ReturnType<typeof useSession>['api'];

/** Does something to the server, and shows at once what came of it. */
function useAct() {
  const session = useSession();
  const lang = useLang();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<ApiFailure | null>(null);
  const act = (call: (api: Api) => Promise<ApiRelease>) => {
    setBusy(true);
    setFailure(null);
    call(session.api)
      .then(
        () => session.refreshHealth(),
        (error: unknown) => setFailure(failureFrom(error, lang)),
      )
      .finally(() => setBusy(false));
  };
  return { act, busy, failure };
}

/** Asks for how long, and whether it is meant; calls back with null where it is not. */
function Confirmation({ host, onClose }: { host: string; onClose: (minutes: number | null) => void }) {
  const t = useText();
  const lang = useLang();
  const dialog = useRef<HTMLDialogElement>(null);
  const [minutes, setMinutes] = useState<number>(DEFAULT_MINUTES);
  useEffect(() => dialog.current?.showModal(), []);
  const words = (each: number) => duration(each * 60_000, lang);
  return (
    <dialog ref={dialog} className="help" onClose={() => onClose(null)} aria-labelledby="release-title">
      <h2 id="release-title">{t('web.release')}</h2>
      <fieldset className="release-for">
        <legend>{t('web.release.for')}</legend>
        {MINUTES.map((each) => (
          <label key={each} className="check">
            <input type="radio" name="minutes" checked={each === minutes} onChange={() => setMinutes(each)} />
            {words(each)}
          </label>
        ))}
      </fieldset>
      <p>{t('web.release.confirm', { host, span: words(minutes) })}</p>
      <div className="dialog-buttons">
        <button type="button" onClick={() => onClose(null)}>
          {t('web.release.no')}
        </button>
        <button type="button" className="danger" onClick={() => onClose(minutes)}>
          {t('web.release.yes')}
        </button>
      </div>
    </dialog>
  );
}
