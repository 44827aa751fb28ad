import type { Command } from 'commander';
import { VERSION } from '../../app/version.ts';
import type { Context } from '../context.ts';
import { type CommandWords, commandWords, type OptionWords } from './command-words.ts';

/** The manual page gpulse(1) in the language of the context, as roff for man(1). */
export function manualPage(whole: Command, context: Context): string {
  const { t } = context;
  const [program, ...commands] = commandWords(whole);
  if (program === undefined) throw new Error('BUG: a program without itself');
  return [
    `.\\" Made by "gpulse man" from the definitions of its commands.`,
    `.TH GPULSE 1 "" "gpulse ${VERSION}"`,
    `.SH ${heading(t('man.name'))}`,
    text(`gpulse - ${program.about}`),
    `.SH ${heading(t('man.synopsis'))}`,
    `.B gpulse`,
    text(program.usage),
    `.SH ${heading(t('man.options'))}`,
    ...program.options.flatMap(optionLines),
    `.SH ${heading(t('man.commands'))}`,
    ...commands.flatMap(commandLines),
    `.SH ${heading(t('man.exit'))}`,
    ...EXITS.flatMap((code) => ['.TP', `.B ${code}`, text(t(`man.exit-${code}`))]),
    '.P',
    text(t('man.exit-smi')),
    `.SH ${heading(t('man.environment'))}`,
    ...VARIABLES.flatMap((name) => ['.TP', `.B ${name}`, text(t(`man.env-${name}`))]),
    '',
  ].join('\n');
}

const EXITS = [0, 1, 2, 3, 4, 5] as const;
const VARIABLES = ['LANG', 'NO_COLOR', 'FORCE_COLOR', 'TZ'] as const;

function commandLines({ path, about, usage, options }: CommandWords): string[] {
  return [
    `.SS "gpulse ${path.join(' ')}"`,
    text(about),
    '.P',
    `.B gpulse ${path.join(' ')}`,
    text(usage),
    ...options.filter(({ names }) => !names.includes('--help')).flatMap(optionLines),
  ];
}

function optionLines({ names, placeholder, takes, about }: OptionWords): string[] {
  const value = takes === 'nothing' ? '' : takes === 'perhaps' ? ` [${placeholder}]` : ` ${placeholder}`;
  return ['.TP', `.B ${text(names.join(', '))}${escaped(value)}`, text(about)];
}

function heading(title: string): string {
  return title.toUpperCase();
}

/** A line of running text: neither a dot nor a quote at its start may make it a request. */
function text(line: string): string {
  const safe = escaped(line);
  return /^[.']/.test(safe) ? `\\&${safe}` : safe;
}

function escaped(line: string): string {
  // A line may be broken behind a comma: lists of fields are long.
  return line
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/,(?=\S)/g, ',\\:');
}
