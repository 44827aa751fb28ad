import { Fragment } from 'react';
import type { ApiFinding, ApiFindings } from '../../../src/model/api-finding.ts';
import { dateTime, timeOfDay } from '../../../src/model/format.ts';
import { percent } from '../shell/bar.tsx';
import { deviceName } from '../shell/device-name.ts';
import { Link } from '../shell/link.tsx';
import { useSession, useText } from '../state/app-context.ts';
import { useStore } from '../state/store.ts';

/** Before and after a finding so much is shown of its charts. */
const AROUND_SHARE = 0.15;
const LEAST_AROUND_MS = 60_000;

/** More GPUs than this are counted, unless all of them are named. */
const MOST_NAMED = 4;

/** The GPUs of a finding, each leading to its charts at that time. */
export function FindingGpus({ finding: { gpus, since, to } }: { finding: ApiFinding }) {
  const t = useText();
  const fleet = useStore(useSession().fleet);
  if (gpus.length === 0) return null;
  const around = Math.max(LEAST_AROUND_MS, (to - since) * AROUND_SHARE);
  const range = { from: Math.floor(since - around), to: Math.ceil(to + around) };
  const named = gpus.slice(0, gpus.length > MOST_NAMED + 1 ? MOST_NAMED : gpus.length);
  const nameOf = (uuid: string): string => {
    const gpu = fleet?.state.gpus.find((each) => each.uuid === uuid);
    return gpu === undefined ? uuid : deviceName(gpu, t);
  };
  return (
    <span className="finding-gpus">
      {named.map((uuid, index) => (
        <Fragment key={uuid}>
          {index > 0 && t('web.list.comma')}
          <Link to={{ route: { view: 'gpu', uuid }, range }}>{nameOf(uuid)}</Link>
        </Fragment>
      ))}
      {named.length < gpus.length && <span className="quiet"> +{gpus.length - named.length}</span>}
    </span>
  );
}

/** When it was within what has been looked at, as a bar under its times. */
export function FindingSpan({ finding, within }: { finding: ApiFinding; within: ApiFindings }) {
  const { since, to } = finding;
  const whole = within.from === null || within.to === null ? 0 : within.to - within.from;
  const share = (at: number): number => Math.max(0, Math.min(1, (at - (within.from ?? 0)) / whole));
  return (
    <span className="finding-time" title={`${dateTime(since)} – ${dateTime(to)}`}>
      <time dateTime={new Date(since).toISOString()}>{timeOfDay(since)}</time>–
      <time dateTime={new Date(to).toISOString()}>{timeOfDay(to)}</time>
      {whole > 0 && (
        <span className="finding-bar" aria-hidden="true">
          <span
            style={{
              insetInlineStart: percent(share(since)),
              width: percent(Math.max(0.01, share(to) - share(since))),
            }}
          />
        </span>
      )}
    </span>
  );
}
