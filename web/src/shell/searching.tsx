import type { ApiHealth } from '../../../src/model/api.ts';
import { useText } from '../state/app-context.ts';
import { CauseAndRemedy } from './cause-and-remedy.tsx';
import { CopyCommand } from './copy-command.tsx';

/** No GPU yet: why, what to do about it, and that gpulse keeps looking. */
export function Searching({ health }: { health: ApiHealth }) {
  const t = useText();
  const { reason, name } = health.source;
  return (
    <section className="panel searching">
      <h1>{t('web.searching', { host: health.host })}</h1>
      {reason !== null && <CauseAndRemedy failure={reason} />}
      <h2>{t('web.searching.doctor')}</h2>
      <CopyCommand command="gpulse doctor" />
      <h2>{t('web.searching.check')}</h2>
      <CopyCommand command="nvidia-smi -L" />
      <h2>{t('web.searching.demo')}</h2>
      <CopyCommand command="gpulse serve --source simulate:demo --listen 127.0.0.1:9401" />
      <p className="quiet">
        <span className="dot dot-on" aria-hidden="true" />
        {t('web.searching.keeps', { source: name })}
      </p>
    </section>
  );
}
