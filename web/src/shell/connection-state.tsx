import { useSession, useText } from '../state/app-context.ts';
import { useEvery } from '../state/clock-hooks.ts';
import { useStore } from '../state/store.ts';

/** Whether the page is connected, and if not, when it tries again and why it has to. */
export function ConnectionState() {
  const session = useSession();
  const connection = useStore(session.connection);
  return (
    <span className="connection" role="status">
      {connection.phase === 'waiting' ? <Waiting /> : <Phase connected={connection.phase === 'open'} />}
    </span>
  );
}

function Phase({ connected }: { connected: boolean }) {
  const t = useText();
  return (
    <span className={connected ? 'quiet' : 'warning'}>
      <span className={connected ? 'dot dot-on' : 'dot'} aria-hidden="true" />
      {connected ? t('web.connection.open') : t('web.connection.connecting')}
    </span>
  );
}

function Waiting() {
  const t = useText();
  const session = useSession();
  const connection = useStore(session.connection);
  useEvery(500);
  if (connection.phase !== 'waiting') return null;
  const seconds = Math.max(0, Math.ceil((connection.retryAt - session.monotonic()) / 1000));
  const { message, hint } = connection.failure;
  return (
    <span className="warning" title={`${message}\n${hint}`}>
      <span className="dot" aria-hidden="true" />
      {t('web.connection.waiting', { seconds })}
      <button type="button" className="plain" onClick={() => session.retry()}>
        {t('web.connection.retry')}
      </button>
    </span>
  );
}
