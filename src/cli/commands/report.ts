import { writeFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { diagnoseRecording } from '../../app/report.ts';
import type { Diagnosis } from '../../diagnosis/diagnosis.ts';
import { AppError, detailOf } from '../../model/errors.ts';
import type { Severity } from '../../model/event.ts';
import type { Finding } from '../../model/finding.ts';
import { noticeText } from '../../model/i18n/notice-text.ts';
import type { Context } from '../context.ts';

const FORMATS = ['text', 'markdown', 'json', 'html'] as const;
type Format = (typeof FORMATS)[number];

const SEVERITIES: readonly Severity[] = ['info', 'warning', 'critical'];

interface Flags {
  readonly format: Format;
  readonly json?: boolean;
  readonly output?: string;
  readonly failOn?: Severity;
  readonly timeZone?: string;
}

export function addReport(program: Command, context: Context): void {
  const { t } = context;
  program
    .command('report')
    .description(t('report.about'))
    .argument('<FILE>', t('report.file'))
    .argument('[AFTER]', t('report.compare'))
    .addOption(new Option('--format <FORMAT>', t('report.format')).choices(FORMATS).default('text'))
    .option('--json', t('report.json'))
    .option('-o, --output <FILE>', t('report.output'))
    .addOption(new Option('--fail-on <SEVERITY>', t('report.fail-on')).choices(SEVERITIES))
    .option('--time-zone <ZONE>', t('cli.time-zone'))
    .action((file: string, after: string | undefined, flags: Flags) => report(file, after, flags, context));
}

async function report(file: string, after: string | undefined, flags: Flags, context: Context): Promise<void> {
  const { timeZone = null, failOn, output } = flags;
  const read = (path: string): Promise<Diagnosis> => diagnoseRecording({ path, timeZone, clock: context.clock });
  const diagnosis = await read(file);
  const format = flags.json === true ? 'json' : flags.format;
  for (const notice of diagnosis.recorded.notices) context.warn(noticeText(notice, context.lang));
  if (after === undefined) {
    await write(await rendered(diagnosis, format, output !== undefined, context), output, context);
    failIfSevere(diagnosis.findings, failOn);
    return;
  }
  const later = await read(after);
  const { compare, comparisonText } = await import('../../diagnosis/report/compare.ts');
  const text =
    format === 'json'
      ? JSON.stringify(compare(diagnosis, later), null, 2)
      : comparisonText(diagnosis, later, context.lang);
  await write(text, output, context);
  failIfSevere(later.findings, failOn);
}

/** Each form is loaded only when it is asked for. */
async function rendered(
  diagnosis: Diagnosis,
  format: Format,
  isFile: boolean,
  { lang, color }: Context,
): Promise<string> {
  switch (format) {
    case 'text': {
      const { reportText } = await import('../../diagnosis/report/text.ts');
      return reportText(diagnosis, lang, color && !isFile);
    }
    case 'markdown': {
      const { reportMarkdown } = await import('../../diagnosis/report/markdown.ts');
      return reportMarkdown(diagnosis, lang);
    }
    case 'json': {
      const { reportJson } = await import('../../diagnosis/report/json.ts');
      return JSON.stringify(reportJson(diagnosis, lang), null, 2);
    }
    case 'html': {
      const { reportHtml } = await import('../../diagnosis/report/html.ts');
      return reportHtml(diagnosis, lang);
    }
  }
}

async function write(text: string, output: string | undefined, { print }: Context): Promise<void> {
  if (output === undefined) {
    print(text.trimEnd());
    return;
  }
  try {
    await writeFile(output, `${text.trimEnd()}\n`);
  } catch (error) {
    throw new AppError('OUTPUT_FAILED', { detail: detailOf(error) }, { cause: error });
  }
}

/** For use in scripts: what is likely or confirmed, and at least so severe, is a failure. */
function failIfSevere(findings: readonly Finding[], failOn: Severity | undefined): void {
  if (failOn === undefined) return;
  const least = SEVERITIES.indexOf(failOn);
  const isSevere = ({ state, severity }: Finding): boolean =>
    (state === 'likely' || state === 'confirmed') && SEVERITIES.indexOf(severity) >= least;
  const rules = [...new Set(findings.filter(isSevere).map(({ rule }) => rule))];
  if (rules.length > 0) throw new AppError('FINDINGS_FOUND', { rules: rules.join(', '), severity: failOn });
}
