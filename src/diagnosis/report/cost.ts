import type { Finding, RuleId } from '../../model/finding.ts';
import { duration, threeFigures } from '../../model/format.ts';
import type { Lang } from '../../model/i18n/text.ts';
import type { Diagnosis } from '../diagnosis.ts';
import { MOST_GAIN } from '../gain.ts';
import { reportTranslator } from './translator.ts';

/** What is lost to these comes back as speed when the cause is gone; of others it is not known how much. */
const GIVES_SPEED: readonly RuleId[] = [
  'data-starvation',
  'epoch-gap',
  'checkpoint-stall',
  'thermal-throttle',
  'straggler',
  'power-cap',
];

/** How many times as fast the work could be without a cause, at most; null where that cannot be foreseen. */
export function gainOf({ window }: Diagnosis, { rule, gpus, from, to, lostSeconds, evidence }: Finding): number | null {
  if (!GIVES_SPEED.includes(rule) || lostSeconds <= 0) return null;
  const seconds = window.secondsOf((cell) => window.at[cell]! >= from && window.at[cell]! <= to);
  // One GPU may hold up all of its job: its evidence says how many lose with it.
  const waiting = evidence.reduce((sum, { values }) => sum + (values['waiting'] ?? 0), 0);
  const losing = waiting > 0 ? waiting : gpus.length;
  const share = lostSeconds / (seconds * Math.max(1, losing));
  if (!(share > 0 && share < 1)) return null;
  return Math.min(MOST_GAIN, 1 / (1 - share));
}

/** What a cause has cost, in words; null where nothing was lost, or it is not known. */
export function lostWords(diagnosis: Diagnosis, finding: Finding, lang: Lang): string | null {
  const { window } = diagnosis;
  const seconds = finding.lostSeconds;
  if (seconds <= 0) return null;
  const t = reportTranslator(lang);
  const time = duration(seconds * 1000, lang);
  const whole = window.gpus.length * window.secondsOf(() => true);
  if (whole === 0) return t('report.lost-only', { time });
  const share = `${Math.round((seconds / whole) * 1000) / 10}%`;
  const lost = t('report.lost', { time, hours: threeFigures(seconds / 3600), share });
  const gain = gainOf(diagnosis, finding);
  return gain === null || gain < 1.005 ? lost : `${lost}${t('report.gain', { gain: threeFigures(gain) })}`;
}
