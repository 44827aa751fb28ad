import type { ReactNode } from 'react';
import type { ApiHealth } from '../../../src/model/api.ts';
import { ago, dateTime, duration, quantityText, threeFigures } from '../../../src/model/format.ts';
import { FailurePanel } from '../shell/failure-panel.tsx';
import { historyTrouble } from '../shell/history-trouble.ts';
import { Loading } from '../shell/loading.tsx';
import { useLang, useSession, useText } from '../state/app-context.ts';
import { useStore } from '../state/store.ts';
import { Capabilities } from './capabilities.tsx';
import { ReleaseControl } from './release-control.tsx';
import { Topology } from './topology.tsx';

/** Whether what is shown can be trusted: where it comes from, how old it is, what it costs. */
export function About() {
  const t = useText();
  const session = useSession();
  const health = useStore(session.health);
  const failure = useStore(session.healthFailure);
  if (health === null) {
    return failure === null ? <Loading rows={4} /> : <FailurePanel title={t('web.failure.load')} failure={failure} />;
  }
  return (
    <article className="about">
      <h1>{t('web.about')}</h1>
      <div className="about-cards">
        <SourceCard health={health} />
        <HistoryCard health={health} />
        <CostCard health={health} />
      </div>
      {health.source.reason !== null && <FailurePanel title={t('web.about.no-gpu')} failure={health.source.reason} />}
      <Topology />
      <ReleaseControl health={health} />
      <Capabilities />
    </article>
  );
}

function Card({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="panel">
      <h2>{title}</h2>
      <dl className="facts">{children}</dl>
    </section>
  );
}

function Line({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function SourceCard({ health: { source, history, host, now } }: { health: ApiHealth }) {
  const t = useText();
  const lang = useLang();
  return (
    <Card title={t('web.about.source')}>
      <Line name={t('web.about.host')}>{host}</Line>
      <Line name={t('web.about.source')}>{source.name}</Line>
      <Line name={t('web.about.origin')}>{t(`web.origin.${source.origin}`)}</Line>
      <Line name={t('web.about.state')}>{t(`web.source.${source.state}`)}</Line>
      <Line name={t('web.about.interval')}>{duration(source.intervalMs, lang)}</Line>
      <Line name={t('web.about.age')}>
        {source.lastTickAt === null ? (
          t('web.about.never')
        ) : source.origin === 'recorded' ? (
          // When a log was read says nothing about how old its rows are.
          dateTime(history.to ?? source.lastTickAt)
        ) : (
          <span title={dateTime(source.lastTickAt)}>{ago(source.lastTickAt, now, lang)}</span>
        )}
      </Line>
      <Line name={t('web.about.missed')}>{source.missedTicks}</Line>
      {source.notices.map(({ key, text }) => (
        <Line key={key + text} name={t('web.about.notice')}>
          {text}
        </Line>
      ))}
    </Card>
  );
}

function HistoryCard({ health: { history } }: { health: ApiHealth }) {
  const t = useText();
  const lang = useLang();
  const { path, bytes, from, to, droppedTicks, daysThatFit, damage, failure, queue } = history;
  return (
    <Card title={t('web.about.history')}>
      <Line name={t('web.about.path')}>
        <code>{path}</code>
      </Line>
      <Line name={t('web.about.size')}>{quantityText(bytes, 'bytes', lang)}</Line>
      <Line name={t('web.about.span')}>
        {from === null || to === null
          ? t('web.about.empty')
          : `${dateTime(from)} – ${dateTime(to)} (${duration(to - from, lang)})`}
      </Line>
      {daysThatFit !== null && (
        <Line name={t('web.about.fits')}>{t('web.about.days', { days: threeFigures(Math.floor(daysThatFit)) })}</Line>
      )}
      {queue !== null && (
        <Line name={t('web.about.queue')}>
          {t('web.about.queued', {
            ticks: queue.ticks,
            bytes: quantityText(queue.bytes, 'bytes', lang),
            most: quantityText(queue.maxBytes, 'bytes', lang),
          })}
        </Line>
      )}
      <Line name={t('web.about.dropped')}>{droppedTicks}</Line>
      {damage !== null && (
        <Line name={t('web.about.damage')}>
          <span className="warning">{damage.message}</span> {damage.hint}
        </Line>
      )}
      {failure !== null && (
        <Line name={t(historyTrouble(failure))}>
          <span className="warning">{failure.message}</span> {failure.hint}
        </Line>
      )}
    </Card>
  );
}

function CostCard({ health: { own, version } }: { health: ApiHealth }) {
  const t = useText();
  const lang = useLang();
  const share = own.uptimeSeconds > 0 ? own.cpuSeconds / own.uptimeSeconds : 0;
  return (
    <Card title={t('web.about.cost')}>
      <Line name={t('web.about.version')}>{version}</Line>
      <Line name={t('web.about.uptime')}>{duration(own.uptimeSeconds * 1000, lang)}</Line>
      <Line name={t('web.about.resident')}>{quantityText(own.residentBytes, 'bytes', lang)}</Line>
      <Line name={t('web.about.cpu')}>
        {t('web.about.cpu-per-second', { ms: threeFigures(share * 1000), share: quantityText(share, 'ratio', lang) })}
      </Line>
    </Card>
  );
}
