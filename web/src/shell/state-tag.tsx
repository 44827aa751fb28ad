import { memo, type ReactNode } from 'react';
import type { Condition } from '../../../src/client/condition.ts';
import { readingOf, reasonOf } from '../../../src/client/gpu-reading.ts';
import type { ApiGpu } from '../../../src/model/api.ts';
import { TROUBLE_BITS } from '../../../src/model/clock-events.ts';
import { dateTime, duration } from '../../../src/model/format.ts';
import { reasonWords } from '../../../src/model/i18n/reason-words.ts';
import type { AbsenceReason, Millis } from '../../../src/model/reading.ts';
import type { FleetRow } from '../session/session.ts';
import { useLang, useSession, useText } from '../state/app-context.ts';
import { useEvery } from '../state/clock-hooks.ts';
import { conditionWord } from './condition-word.ts';
import { ConditionGlyph } from './glyph.tsx';

interface StateTagProps extends Pick<FleetRow, 'gpu' | 'condition' | 'error'> {
  /** The reasons for which clocks are lowered are named beside it anyway. */
  readonly namesReasons?: boolean;
}

/** The state of a GPU in a word, with the reason for it wherever it is not well. */
export function StateTag({ gpu, condition, error, namesReasons = true }: StateTagProps) {
  return (
    <span className={`state state-${condition}`}>
      <Word condition={condition} />
      {(namesReasons || condition !== 'throttled') && <Why gpu={gpu} condition={condition} error={error} />}
    </span>
  );
}

const Word = memo(function Word({ condition }: { condition: Condition }) {
  return (
    <span className="state-word">
      <ConditionGlyph condition={condition} />
      {conditionWord(condition, useText())}
    </span>
  );
});

function Why({ gpu, condition, error }: Pick<FleetRow, 'gpu' | 'condition' | 'error'>) {
  const t = useText();
  const lang = useLang();
  switch (condition) {
    case 'lost':
      return <Silence at={gpu.at} />;
    case 'stale': {
      const reason = sharedReason(gpu);
      return reason === null ? <Silence at={gpu.at} /> : <Reason>{t(`absent.${reason}`)}</Reason>;
    }
    case 'errors':
      if (error !== null) return <Reason title={error.text}>{error.text}</Reason>;
      return <Reason>{t(`absent.${reasonOf(gpu, 'utilization_ratio')}`)}</Reason>;
    case 'throttled':
      return <Reason>{reasonWords((readingOf(gpu, 'clock_event_reasons') ?? 0) & TROUBLE_BITS, lang)}</Reason>;
    case 'asleep':
      return <Reason>{t('web.why.asleep')}</Reason>;
    case 'unknown':
      return <Reason>{t(`absent.${reasonOf(gpu, 'utilization_ratio')}`)}</Reason>;
    default:
      return null;
  }
}

/** Why nothing at all can be read; null where there are old values, or nobody has asked yet. */
function sharedReason(gpu: ApiGpu): AbsenceReason | null {
  if (Object.values(gpu.readings).some((value) => value !== null)) return null;
  const reason = reasonOf(gpu, 'utilization_ratio');
  return reason === 'not-collected' ? null : reason;
}

function Reason({ title, children }: { title?: string; children: ReactNode }) {
  return (
    <span className="state-why" title={title}>
      {children}
    </span>
  );
}

/** For how long there has been nothing. It grows whether or not data arrive. */
function Silence({ at }: { at: Millis }) {
  const t = useText();
  const lang = useLang();
  const session = useSession();
  useEvery(1000);
  const now = session.textNow();
  const words =
    now === null
      ? t('web.why.silent-since', { time: dateTime(at) })
      : t('web.why.silent', { span: duration(inWholeUnits(Math.max(0, now - at)), lang) });
  return <Reason title={dateTime(at)}>{words}</Reason>;
}

const UNITS_MS = [86_400_000, 3_600_000, 60_000, 1000];

/** Whole days, hours, minutes or seconds: more would not fit. */
function inWholeUnits(ms: number): number {
  const unit = UNITS_MS.find((each) => ms >= each) ?? 1000;
  return Math.floor(ms / unit) * unit;
}
