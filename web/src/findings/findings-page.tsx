import type { ApiFinding, ApiFindings } from '../../../src/model/api-finding.ts';
import { ago, dateTime, duration } from '../../../src/model/format.ts';
import { CopyCommand } from '../shell/copy-command.tsx';
import { FailurePanel } from '../shell/failure-panel.tsx';
import { SeverityGlyph } from '../shell/glyph.tsx';
import { Loading } from '../shell/loading.tsx';
import { useLang, useSession, useText } from '../state/app-context.ts';
import { useEvery } from '../state/clock-hooks.ts';
import { useStore } from '../state/store.ts';
import { FindingGpus, FindingSpan } from './finding-parts.tsx';
import { useFindings } from './use-findings.ts';

/** What should be done: cause, evidence, when it was, and fix. */
export function FindingsPage() {
  const t = useText();
  const isRecorded = useStore(useSession().health)?.source.origin === 'recorded';
  const { findings: known, failure } = useFindings(true);
  if (known === null) {
    return failure === null ? (
      <Loading rows={4} />
    ) : (
      <FailurePanel title={t('web.findings.failure')} failure={failure} />
    );
  }
  const named = known.findings.filter(({ state }) => state !== 'ruled-out' && state !== 'not-evaluable');
  return (
    <article className="findings">
      <h1>{t(isRecorded ? 'web.findings.end' : 'web.findings.hour')}</h1>
      <Looked known={known} />
      {failure !== null && <FailurePanel title={t('web.findings.failure')} failure={failure} />}
      {named.map((finding) => (
        <FindingCard key={`${finding.rule} ${finding.gpus.join()} ${finding.since}`} finding={finding} within={known} />
      ))}
      {known.headline !== null && <p className="panel">{known.headline}</p>}
      <Others known={known} state="ruled-out" />
      <Others known={known} state="not-evaluable" />
      <section>
        <h2>{t('web.findings.older')}</h2>
        <CopyCommand
          command={`gpulse report --server ${new URL('.', document.baseURI).href} --from=-6h --format html -o report.html`}
        />
      </section>
    </article>
  );
}

/** What was looked at, and how long ago. */
function Looked({ known: { at, from, to } }: { known: ApiFindings }) {
  const t = useText();
  const lang = useLang();
  const session = useSession();
  useEvery(1000);
  if (at === null || from === null || to === null) return <p className="quiet">{t('web.findings.waiting')}</p>;
  const now = session.textNow() ?? session.now();
  const words = { ago: ago(Math.min(at, now), now, lang), from: dateTime(from), to: dateTime(to) };
  return <p className="quiet">{t('web.findings.looked', words)}</p>;
}

function FindingCard({ finding, within }: { finding: ApiFinding; within: ApiFindings }) {
  const t = useText();
  const lang = useLang();
  const { title, stateText, severity, layer, isCurrent, lostSeconds, evidence, missingText, fix } = finding;
  const facts = [
    t(`web.findings.${layer}`),
    t(isCurrent ? 'web.findings.current' : 'web.findings.over'),
    lostSeconds > 0 ? t('web.findings.lost', { time: duration(lostSeconds * 1000, lang) }) : null,
  ];
  return (
    <section className={`panel finding finding-${severity}`}>
      <h2>
        <span className="event-severity" title={t(`severity.${severity}`)}>
          <SeverityGlyph severity={severity} />
          <span className="unseen">{t(`severity.${severity}`)}</span>
        </span>
        {title} <span className="finding-state">{stateText}</span>
      </h2>
      <p className="finding-facts">
        <FindingGpus finding={finding} />
        <FindingSpan finding={finding} within={within} />
        <span className="quiet">{facts.filter((fact) => fact !== null).join(' · ')}</span>
      </p>
      <ul className="finding-evidence">
        {evidence.map(({ text }) => (
          <li key={text}>{text}</li>
        ))}
        {missingText !== null && <li className="quiet">{t('web.findings.settle', { metrics: missingText })}</li>}
      </ul>
      <p>
        <strong>{t('web.findings.fix')}</strong> {fix}
      </p>
    </section>
  );
}

/** What names no cause, folded away, by reason. */
function Others({ known, state }: { known: ApiFindings; state: 'ruled-out' | 'not-evaluable' }) {
  const t = useText();
  const others = known.findings.filter((finding) => finding.state === state);
  const byReason = Map.groupBy(others, ({ missingText, evidence }) =>
    missingText === null || state === 'ruled-out'
      ? (evidence[0]?.text ?? '')
      : t('web.findings.missing', { metrics: missingText }),
  );
  if (others.length === 0) return null;
  return (
    <details className="finding-others">
      <summary>{t(`web.findings.${state}`, { n: others.length })}</summary>
      <dl>
        {[...byReason].map(([reason, findings]) => (
          <div key={reason}>
            <dt>{[...new Set(findings.map(({ title }) => title))].join(t('web.list.comma'))}</dt>
            <dd className="quiet">{reason}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
