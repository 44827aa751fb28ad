import type { ReactNode } from 'react';
import type { ApiOwner, ApiProcess } from '../../../src/model/api-process.ts';
import { dateTime, quantityText } from '../../../src/model/format.ts';
import { podName } from '../../../src/model/owner-label.ts';
import { useLang, useText } from '../state/app-context.ts';

/** Everything known of a process that has no column of its own. */
export function ProcessDetails({ process }: { process: ApiProcess }) {
  const t = useText();
  const lang = useLang();
  const { command, startedAt, kind, owner } = process;
  const shares = [
    ['web.process.memory-controller', process.memoryRatio],
    ['web.process.encoder', process.encoderRatio],
    ['web.process.decoder', process.decoderRatio],
  ] as const;
  return (
    <dl className="facts process-details">
      <Line name={t('web.process.command')}>
        {command === null ? (
          <span className="quiet">{t('web.process.command-unknown')}</span>
        ) : (
          <code className="command-line">{command}</code>
        )}
      </Line>
      <Line name={t('web.process.kind')}>{t(`web.process.kind.${kind}`)}</Line>
      {startedAt !== null && <Line name={t('web.process.started')}>{dateTime(startedAt)}</Line>}
      {shares.map(
        ([key, value]) =>
          value !== null && (
            <Line key={key} name={t(key)}>
              {quantityText(value, 'ratio', lang)}
            </Line>
          ),
      )}
      {owner !== null && <OwnerLines owner={owner} />}
    </dl>
  );
}

function OwnerLines({ owner: { pod, job, container, unit } }: { owner: ApiOwner }) {
  const t = useText();
  return (
    <>
      {pod !== null && (
        <Line name={t('owner.pod')}>
          {podName(pod)}
          {pod.container !== null && <span className="quiet"> · {pod.container}</span>}
          {pod.uid !== null && <Id text={pod.uid} />}
        </Line>
      )}
      {job !== null && (
        <Line name={t('owner.job')}>
          {job.scheduler} {job.id}
          {job.step !== null && <span className="quiet"> · {t('web.process.step', { step: job.step })}</span>}
          {job.user !== null && <span className="quiet"> · {job.user}</span>}
        </Line>
      )}
      {container !== null && (
        <Line name={t('owner.container')}>
          {container.name ?? ''} <span className="quiet">{container.runtime !== 'unknown' && container.runtime}</span>
          <Id text={container.id} />
        </Line>
      )}
      {container !== null && container.image !== null && <Line name={t('web.process.image')}>{container.image}</Line>}
      {unit !== null && <Line name={t('owner.unit')}>{unit}</Line>}
    </>
  );
}

function Id({ text }: { text: string }) {
  return (
    <>
      <br />
      <code className="quiet">{text}</code>
    </>
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
