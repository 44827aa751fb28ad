import { dateTime, duration, zoneOffset } from '../../model/format.ts';
import type { DIAGNOSIS_MESSAGES } from '../../model/i18n/messages-diagnosis.ts';
import type { Lang } from '../../model/i18n/text.ts';
import { type Diagnosis, spanOfRecording } from '../diagnosis.ts';
import type { GpuSeries } from '../window/window.ts';
import { reportTranslator } from './translator.ts';

/** A fact with what it is called. */
export type Fact = readonly [string, string];

/** What the report is about: the run where there is one, the GPUs, and how finely they were sampled. */
export function factsOf(diagnosis: Diagnosis, lang: Lang): readonly Fact[] {
  const t = reportTranslator(lang);
  const { window } = diagnosis;
  const cards = window.gpus.filter(({ device }) => device.mig === undefined);
  const drivers = new Set(window.gpus.flatMap(({ device }) => device.driverVersion ?? []));
  const span = spanOfRecording(diagnosis);
  return [
    ...runFacts(diagnosis, lang),
    ...(cards.length === 0 ? [] : [[t('report.gpus'), modelsOf(cards)] as const]),
    ...(drivers.size === 0 ? [] : [[t('report.driver'), [...drivers].join(', ')] as const]),
    ...(window.length < 2
      ? []
      : [
          [t('report.sampled'), t('report.every', { span: duration(window.stepMs, lang) })] as const,
          ...(span === null ? [] : [[t('report.zone'), zoneOffset(span.from)] as const]),
        ]),
  ];
}

function runFacts({ recorded: { run } }: Diagnosis, lang: Lang): readonly Fact[] {
  if (run === undefined) return [];
  const t = reportTranslator(lang);
  const { id, command, folder, host, user, startedAt, endedAt, exitCode, signal, steps, stepSeconds } = run;
  const ended = signal ?? (exitCode === null ? null : String(exitCode));
  const facts: readonly (readonly [keyof typeof DIAGNOSIS_MESSAGES & `report.run-${string}`, string | null])[] = [
    ['report.run-id', id],
    ['report.run-command', command.join(' ')],
    ['report.run-folder', folder],
    ['report.run-place', `${user}@${host}`],
    ['report.run-started', dateTime(startedAt)],
    ['report.run-time', endedAt === null ? null : duration(endedAt - startedAt, lang)],
    ['report.run-exit', ended],
    ['report.run-steps', steps === null ? null : String(steps)],
    ['report.run-step', stepSeconds === null ? null : duration(stepSeconds * 1000, lang)],
  ];
  return facts.flatMap(([key, value]) => (value === null ? [] : [[t(key), value] as const]));
}

/** `8 × NVIDIA H100 80GB HBM3`, one part per model. */
function modelsOf(cards: readonly GpuSeries[]): string {
  const byName = Map.groupBy(cards, ({ device }) => device.name);
  return [...byName].map(([name, same]) => `${same.length} × ${name}`).join(', ');
}
