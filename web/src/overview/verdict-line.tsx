import { type Condition, type Count, isOrdinary, verdict } from '../../../src/client/condition.ts';
import { quantityText } from '../../../src/model/format.ts';
import type { PageTranslate } from '../../../src/model/i18n/page-messages.ts';
import type { Lang } from '../../../src/model/i18n/text.ts';
import type { FleetRow } from '../session/session.ts';
import { conditionWord } from '../shell/condition-word.ts';
import { dataAge } from '../shell/data-age.ts';
import { ConditionGlyph } from '../shell/glyph.tsx';
import { useApp, useLang, useSession, useText } from '../state/app-context.ts';
import { useEvery } from '../state/clock-hooks.ts';
import { useStore } from '../state/store.ts';

/** How many users are named before they are only counted. */
const MOST_USERS = 2;

interface VerdictLineProps {
  readonly rows: readonly FleetRow[];
  readonly chosen: Condition | null;
  /** Whether it is known that nothing worse than information was reported within the last hour. */
  readonly calm: boolean;
}

/** The answer in one line: how many GPUs are in which state, worst first. Each count is a filter. */
export function VerdictLine({ rows, chosen, calm }: VerdictLineProps) {
  const t = useText();
  const lang = useLang();
  const { navigation } = useApp();
  const session = useSession();
  const health = useStore(session.health);
  useEvery(1000);
  const counts = verdict(rows);
  // Without new data nobody can tell.
  const isFresh = dataAge(session, health)?.stale === false;
  const quiet = calm && isFresh && counts.every(({ condition }) => isOrdinary(condition));
  const choose = (condition: Condition) => navigation.push({ condition: condition === chosen ? null : condition });
  return (
    <fieldset className="verdict">
      <legend className="unseen">{t('web.verdict')}</legend>
      {quiet && <span className="verdict-quiet">{t('web.verdict.quiet')}</span>}
      {counts.map((count) => (
        <button
          key={count.condition}
          type="button"
          className={`verdict-count state-${count.condition}`}
          aria-pressed={count.condition === chosen}
          onClick={() => choose(count.condition)}
        >
          <ConditionGlyph condition={count.condition} />
          <span>
            <strong>{count.gpus}</strong> {t('web.verdict.of', { state: wordsOf(count, t, lang) })}
          </span>
        </button>
      ))}
      {chosen !== null && (
        <button type="button" className="plain" onClick={() => choose(chosen)}>
          {t('web.filter.clear')}
        </button>
      )}
    </fieldset>
  );
}

function wordsOf(count: Count, t: PageTranslate, lang: Lang): string {
  const { condition } = count;
  if (condition !== 'held') return conditionWord(condition, t);
  const memory = quantityText(count.memoryBytes, 'bytes', lang);
  const users = usersOf(count, t);
  return users === '' ? t('web.verdict.held', { memory }) : t('web.verdict.held-by', { memory, users });
}

function usersOf({ users }: Count, t: PageTranslate): string {
  const named = users.slice(0, MOST_USERS).join(t('web.list.comma'));
  return users.length > MOST_USERS ? `${named} ${t('web.owners.more', { n: users.length - MOST_USERS })}` : named;
}
