import { constants } from 'node:os';
import type { RunOutcome } from '../../app/run.ts';
import { reportWords } from '../../diagnosis/report/words.ts';
import { duration, quantityText, threeFigures } from '../../model/format.ts';
import type { RunProgress } from '../../runs/progress.ts';
import type { RunGpu, RunRecord } from '../../runs/run-record.ts';
import type { Context } from '../context.ts';

const { signals } = constants;

/** A terminal shows no more. */
const MOST_GPUS = 16;
const MOST_FINDINGS = 3;

/** What a run was like, for the end of its output. */
export function summaryLines({ run, diagnosis }: RunOutcome, context: Context): readonly string[] {
  if (run === null) return [];
  const { t, lang } = context;
  const head = t('run.ended', {
    command: run.command[0] ?? '',
    end: endText(run, context),
    time: duration((run.endedAt ?? run.startedAt) - run.startedAt, lang),
  });
  const verdicts = diagnosis === null ? [] : reportWords(diagnosis, lang).verdicts.slice(0, MOST_FINDINGS);
  const findings = verdicts.map(({ title, state, where, lost }) => {
    const place = [where, lost ?? ''].filter((part) => part !== '').join(lang === 'zh' ? '；' : '; ');
    return `  ▲ ${title}${lang === 'zh' ? `（${state}）` : ` (${state})`} ${place}`.trimEnd();
  });
  const progress = run.progress === null ? '' : progressText(run.progress, context);
  return [
    `gpulse: ${head}`,
    ...(run.source?.startsWith('simulate:') === true ? [`  ${t('cli.simulated')}`] : []),
    ...run.gpus.slice(0, MOST_GPUS).map((gpu) => `  ${gpuText(gpu, context)}`),
    ...(run.gpus.length > 1 ? totalLine(run.gpus, context) : []),
    ...(progress === '' ? [] : [`  ${progress}`]),
    ...findings,
    `  ${t('run.more', { id: run.id })}`,
  ];
}

export function endText({ exitCode, signal }: RunRecord, { t }: Context): string {
  if (signal !== null) return t('run.signal', { signal });
  // On a terminal of its own the command's signal comes as the code that a shell makes of it.
  const behind = Object.entries(signals).find(([, number]) => 128 + number === exitCode)?.[0];
  if (behind !== undefined) return t('run.exit-signal', { code: exitCode ?? '?', signal: behind });
  return t('run.exit', { code: exitCode ?? '?' });
}

function gpuText({ index, ...gpu }: RunGpu, { t, lang }: Context): string {
  const { meanUtilization: mean, p95Utilization: p95, peakMemoryBytes: peak, memoryBytes: all, energyJoules } = gpu;
  const parts = [
    mean === null || p95 === null
      ? null
      : t('run.use', { mean: quantityText(mean, 'ratio', lang), p95: quantityText(p95, 'ratio', lang) }),
    peak === null
      ? null
      : all === null
        ? t('run.peak', { peak: quantityText(peak, 'bytes', lang) })
        : t('run.peak-of', { peak: quantityText(peak, 'bytes', lang), all: quantityText(all, 'bytes', lang) }),
    energyJoules === null ? null : energyText(energyJoules),
  ];
  return `GPU ${index}  ${parts.filter((part) => part !== null).join(' · ')}`;
}

function totalLine(gpus: readonly RunGpu[], { t }: Context): string[] {
  const known = gpus.flatMap(({ energyJoules }) => energyJoules ?? []);
  if (known.length === 0) return [];
  return [`  ${t('run.total', { energy: energyText(known.reduce((sum, joules) => sum + joules, 0)) })}`];
}

function energyText(joules: number): string {
  return `${threeFigures(joules / 3600)} Wh`;
}

/** Empty where the program has said nothing. */
export function progressText(progress: RunProgress, { t, lang }: Context): string {
  const { step, totalSteps, epoch, totalEpochs, loss, evalLoss, meanStepSeconds } = progress;
  const counted = (n: number | null, of: number | null): string =>
    `${n === null ? '?' : threeOrWhole(n)}${of === null ? '' : `/${of}`}`;
  const parts = [
    step === null ? null : t('run.step', { step: counted(step, totalSteps) }),
    epoch === null ? null : t('run.epoch', { epoch: counted(epoch, totalEpochs) }),
    meanStepSeconds === null ? null : t('run.per-step', { time: duration(meanStepSeconds * 1000, lang) }),
    loss === null ? null : t('run.loss', { loss: threeFigures(loss) }),
    evalLoss === null ? null : t('run.eval-loss', { loss: threeFigures(evalLoss) }),
  ];
  return parts.filter((part) => part !== null).join(' · ');
}

function threeOrWhole(n: number): string {
  return Number.isInteger(n) ? String(n) : threeFigures(n);
}
