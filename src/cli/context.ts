import { type Clock, systemClock } from '../model/clock.ts';
import { type Translate, translator } from '../model/i18n/messages.ts';
import { LANGUAGES, type Lang, languageOf } from '../model/i18n/text.ts';

/** What every command gets: the language of its reader, the clock, and where to write. */
export interface Context {
  readonly lang: Lang;
  readonly t: Translate;
  readonly clock: Clock;
  /** Writes one line to standard output. */
  print(line: string): void;
  /** Writes one line to standard error. */
  warn(line: string): void;
  /** True where standard output takes colours: a terminal, unless NO_COLOR is set, or FORCE_COLOR. */
  readonly color: boolean;
}

/**
 * The language is needed before the arguments are parsed, because the help itself is in it: `--lang`, else the locale
 * in the order of setlocale(3).
 */
function chooseLanguage(argv: readonly string[], env: NodeJS.ProcessEnv): Lang {
  // What stands behind -- is for the command that is run.
  const own = argv.slice(0, [...argv, '--'].indexOf('--'));
  const position = own.findIndex((word) => word === '--lang' || word.startsWith('--lang='));
  const given = position < 0 ? undefined : (own[position]?.split('=')[1] ?? own[position + 1]);
  const known = LANGUAGES.find((lang) => lang === given);
  return known ?? languageOf(env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG']);
}

export function createContext(argv: readonly string[], env: NodeJS.ProcessEnv): Context {
  const lang = chooseLanguage(argv, env);
  const forced = env['FORCE_COLOR'] !== undefined && env['FORCE_COLOR'] !== '0';
  return {
    lang,
    t: translator(lang),
    clock: systemClock,
    print: (line) => void process.stdout.write(`${line}\n`),
    warn: (line) => void process.stderr.write(`${line}\n`),
    color: forced || (process.stdout.isTTY === true && !env['NO_COLOR']),
  };
}
