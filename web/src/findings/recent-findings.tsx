import type { ApiFindings } from '../../../src/model/api-finding.ts';
import { SeverityGlyph } from '../shell/glyph.tsx';
import { Link } from '../shell/link.tsx';
import { useSession, useText } from '../state/app-context.ts';
import { useStore } from '../state/store.ts';
import { FindingGpus } from './finding-parts.tsx';

/** So many fit on the overview. */
const MOST_LINES = 6;

/** What was found in the last hour, a line each; nothing where there is nothing to say. */
export function RecentFindings({ findings: known }: { findings: ApiFindings | null }) {
  const t = useText();
  const isRecorded = useStore(useSession().health)?.source.origin === 'recorded';
  if (known === null || known.findings.length === 0) return null;
  return (
    <section className="recent">
      <div className="recent-head">
        <h2>{t(isRecorded ? 'web.findings.end' : 'web.findings.hour')}</h2>
        <Link to={{ route: { view: 'findings' } }}>{t('web.findings.all')}</Link>
      </div>
      <ul className="finding-lines">
        {known.findings.slice(0, MOST_LINES).map((finding) => (
          <li
            key={`${finding.rule} ${finding.gpus.join()} ${finding.since}`}
            className={`finding-line finding-${finding.severity}`}
          >
            <span className="event-severity" title={t(`severity.${finding.severity}`)}>
              <SeverityGlyph severity={finding.severity} />
              <span className="unseen">{t(`severity.${finding.severity}`)}</span>
            </span>
            <strong>{finding.title}</strong>
            <span className="quiet">
              {finding.stateText}
              {!finding.isCurrent && t('web.list.comma') + t('web.findings.over')}
            </span>
            <FindingGpus finding={finding} />
            <span className="finding-why">{finding.evidence[0]?.text}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
