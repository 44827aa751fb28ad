import { writeFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import type { SpanWords } from '../../app/report-span.ts';
import type { Diagnosis } from '../../diagnosis/diagnosis.ts';
import { AppError, detailOf } from '../../model/errors.ts';
import type { Severity } from '../../model/event.ts';
import type { Finding } from '../../model/finding.ts';
import { noticeText } from '../../model/i18n/notice-text.ts';
import type { Context } from '../context.ts';

const FORMATS = ['text', 'markdown', 'json', 'html'] as const;
type Format = (typeof FORMATS)[number];

const SEVERITIES: readonly Severity[] = ['info', 'warning', 'critical'];

/** What is looked at of a history where nothing else is asked for. */
const LAST_HOUR = '-1h';

interface Flags {
  readonly server?: string;
  readonly data?: string;
  readonly from?: string;
  readonly to?: string;
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
    .argument('[FILE]', t('report.file'))
    .argument('[AFTER]', t('report.compare'))
    .option('--host, --server <URL>', t('report.server'))
    .option('--data <DIR>', t('report.data'))
    .option('--from <TIME>', t('report.from'))
    .option('--to <TIME>', t('report.to'))
    .addOption(new Option('--format <FORMAT>', t('report.format')).choices(FORMATS).default('text'))
    .option('--json', t('report.json'))
    .option('-o, --output <FILE>', t('report.output-file'))
    .addOption(new Option('--fail-on <SEVERITY>', t('report.fail-on')).choices(SEVERITIES))
    .option('--time-zone <ZONE>', t('cli.time-zone'))
    .action((file: string | undefined, after: string | undefined, flags: Flags) => report(file, after, flags, context));
}

async function report(
  file: string | undefined,
  after: string | undefined,
  flags: Flags,
  context: Context,
): Promise<void> {
  const { failOn, output } = flags;
  const diagnosis =
    file === undefined ? await diagnoseStored(flags, context) : await diagnoseNamed(file, flags, context);
  const format = flags.json === true ? 'json' : flags.format;
  for (const notice of diagnosis.recorded.notices) context.warn(noticeText(notice, context.lang));
  if (after === undefined) {
    await write(await rendered(diagnosis, format, output !== undefined, context), output, context);
    failIfSevere(diagnosis.findings, failOn);
    return;
  }
  const later = await diagnoseNamed(after, flags, context);
  const { renderComparison } = await import('../../diagnosis/report/comparison.ts');
  await write(renderComparison(diagnosis, later, format, context.lang), output, context);
  failIfSevere(later.findings, failOn);
}

/** What stands in a file, or in the directory of a run. */
async function diagnoseNamed(path: string, flags: Flags, { clock, lang, t }: Context): Promise<Diagnosis> {
  const { timeZone = null, data = null, from, to, server } = flags;
  if (server !== undefined) throw new AppError('BAD_USAGE', { detail: t('report.one-source'), command: 'report ' });
  const { diagnoseRecording } = await import('../../app/report.ts');
  const { resolveSpan } = await import('../../app/report-span.ts');
  const isPart = from !== undefined || to !== undefined;
  const within = isPart ? resolveSpan({ from: from ?? 'all', to: to ?? 'all' }, null, clock.now(), lang) : null;
  return diagnoseRecording({ path, timeZone, clock, data, within });
}

/** What a `serve` has stored: one that is asked, or the directory in which it writes. */
async function diagnoseStored({ server, data, from, to }: Flags, { clock, lang, t }: Context): Promise<Diagnosis> {
  const words: SpanWords = { from: from ?? LAST_HOUR, to: to ?? 'now' };
  if (server !== undefined) {
    const { parseServer } = await import('../../app/server-request.ts');
    const { diagnoseServer } = await import('../../app/report-server.ts');
    return diagnoseServer(parseServer('--server', server), words, { lang });
  }
  if (data === undefined && from === undefined && to === undefined) {
    throw new AppError('BAD_USAGE', { detail: t('report.what'), command: 'report ' });
  }
  const { defaultDataDirectory } = await import('../../app/config.ts');
  const { diagnoseHistory } = await import('../../app/report-history.ts');
  return diagnoseHistory(data ?? defaultDataDirectory(process.env), words, { clock, lang });
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
    throw new AppError('REPORT_NOT_WRITTEN', { path: output, detail: detailOf(error) }, { cause: error });
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
