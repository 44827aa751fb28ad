import type { ApiHealth } from '../../../src/model/api.ts';
import { useText } from '../state/app-context.ts';
import { useAfter } from '../state/clock-hooks.ts';
import { CopyCommand } from './copy-command.tsx';
import { Loading } from './loading.tsx';

/** A source without samples. Most of the time the first one is just about to come, so it is not said at once. */
export function NoData({ health: { source } }: { health: ApiHealth }) {
  const t = useText();
  const late = useAfter(2000);
  if (!late) return <Loading rows={8} />;
  const key = source.state === 'ended' ? 'web.empty.ended' : 'web.empty.running';
  return (
    <section className="panel">
      <h1>{t('web.empty')}</h1>
      <p>{t(key, { source: source.name })}</p>
      <h2>{t('web.searching.demo')}</h2>
      <CopyCommand command="gpulse serve --source simulate:demo --listen 127.0.0.1:9401" />
    </section>
  );
}
