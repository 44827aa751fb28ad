import type { CommanderError } from 'commander';
import { AppError } from '../model/errors.ts';
import type { MessageKey } from '../model/i18n/messages.ts';
import { MESSAGES } from '../model/i18n/messages.ts';
import { fill, type Lang } from '../model/i18n/text.ts';

/** Commander's own complaints, which it words in English only, by its codes. `{word}` is what it quotes first. */
const COMPLAINTS: Readonly<Record<string, MessageKey>> = {
  'commander.unknownOption': 'usage.unknown-option',
  'commander.unknownCommand': 'usage.unknown-command',
  'commander.excessArguments': 'usage.too-many-arguments',
  'commander.optionMissingArgument': 'usage.missing-value',
  'commander.missingArgument': 'usage.missing-argument',
  'commander.invalidArgument': 'usage.bad-value',
};

/** A misuse of the command line as an error in the language of its user, with the help page to read. */
export function usageError({ message, code }: CommanderError, argv: readonly string[], lang: Lang): AppError {
  const [word = '', value = ''] = [...message.matchAll(/'([^']*)'/g)].map((match) => match[1] ?? '');
  const isArgument = message.includes('command-argument value');
  const key = isArgument ? 'usage.bad-argument' : COMPLAINTS[code];
  const [, allowed] = /Allowed choices are (.*)\.$/.exec(message) ?? [];
  const choices = allowed === undefined ? '' : lang === 'zh' ? `（${allowed}）` : ` (${allowed})`;
  const detail =
    key === undefined ? message.replace(/^error: /, '') : `${fill(MESSAGES[key][lang], { word, value })}${choices}`;
  const words = argv.filter((one, i) => !one.startsWith('--lang') && argv[i - 1] !== '--lang');
  const isCommand = words[0] !== undefined && !words[0].startsWith('-') && code !== 'commander.unknownCommand';
  return new AppError('BAD_USAGE', { detail, command: isCommand ? `${commandIn(words)} ` : '' });
}

/** Commands below others, which have help pages of their own. */
const NESTED: Readonly<Record<string, readonly string[]>> = { runs: ['rm', 'prune'] };

function commandIn([first = '', second = '']: readonly string[]): string {
  return NESTED[first]?.includes(second) === true ? `${first} ${second}` : first;
}
