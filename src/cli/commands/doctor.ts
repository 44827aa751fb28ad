import type { Command } from 'commander';
import { takeCapabilities } from '../../app/capabilities.ts';
import { examine } from '../../app/doctor.ts';
import type { Check } from '../../app/doctor-check.ts';
import { noticeText } from '../../model/i18n/notice-text.ts';
import { capabilityJson, capabilityText } from '../capability-text.ts';
import type { Context } from '../context.ts';
import { addSourceOptions, type SourceFlags, sourceOptions } from '../options.ts';
import { paint } from '../paint.ts';

interface Flags extends SourceFlags {
  readonly capabilities?: boolean;
  readonly json?: boolean;
  readonly strict?: boolean;
}

/** Whoever waits longer is told why. */
const WAITING_MS = 500;

/** Where the output is no terminal, which has a width of its own. */
const WIDTH = 120;

export function addDoctor(program: Command, context: Context): void {
  const { t } = context;
  const command = program.command('doctor').description(t('doctor.about'));
  addSourceOptions(command, context)
    .option('--capabilities', t('doctor.capabilities'))
    .option('--json', t('cli.json'))
    .option('--strict', t('doctor.strict'))
    .action((flags: Flags) => (flags.capabilities ? listCapabilities(flags, context) : doctor(flags, context)));
}

async function doctor(flags: Flags, context: Context): Promise<void> {
  const checks = await examine(sourceOptions(flags, context));
  if (flags.json) printJson(checks, context);
  else printText(checks, context);
  const isWrong = ({ level }: Check): boolean => level === 'fault' || (flags.strict === true && level === 'warning');
  if (checks.some(isWrong)) process.exitCode = 1;
}

async function listCapabilities(flags: Flags, context: Context): Promise<void> {
  const { print, warn, lang, t, clock } = context;
  const options = sourceOptions(flags, context);
  const stopWaiting = clock.after(WAITING_MS, () => warn(t('doctor.sampling')));
  const capabilities = await takeCapabilities(options).finally(stopWaiting);
  if (flags.json) print(capabilityJson(capabilities));
  else print(capabilityText(capabilities, process.stdout.columns ?? WIDTH, context));
  for (const notice of capabilities.notices) warn(noticeText(notice, lang));
  if (capabilities.failure !== null) throw capabilities.failure;
}

function printJson(checks: readonly Check[], { lang, print }: Context): void {
  const rows = checks.map(({ id, level, text, remedy }) => ({ id, level, text: text(lang), remedy: remedy(lang) }));
  print(JSON.stringify(rows, null, 2));
}

/** Colours of the levels, which are named besides. */
const COLORS = { ok: 'green', warning: 'yellow', fault: 'red' } as const;

function printText(checks: readonly Check[], { lang, t, print, color }: Context): void {
  const inColor = paint(color);
  for (const { level, text, remedy } of checks) {
    print(`[${inColor(COLORS[level], t(`doctor.${level}`))}] ${text(lang)}`);
    const advice = remedy(lang);
    if (advice !== null) print(`    ${t('doctor.remedy', { remedy: advice })}`);
  }
  if (checks.every(({ level }) => level === 'ok')) print(t('doctor.healthy'));
}
