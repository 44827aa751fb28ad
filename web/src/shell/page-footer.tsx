import { zoneOffset } from '../../../src/model/format.ts';
import { useSession, useText } from '../state/app-context.ts';
import { useStore } from '../state/store.ts';

/** Names the time zone once, for all times on the page. */
export function PageFooter() {
  const t = useText();
  const session = useSession();
  const health = useStore(session.health);
  const name = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const offset = zoneOffset(session.now());
  return (
    <footer className="foot quiet">
      <span>{t('web.zone', { zone: name === offset ? name : `${name} (${offset})` })}</span>
      {health !== null && <span>gpulse {health.version}</span>}
    </footer>
  );
}
