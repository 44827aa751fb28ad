import type { Command, Option } from 'commander';

/** What follows an option or stands as an argument: a file, one of some words, or what cannot be foreseen. */
type Value = 'file' | 'any' | readonly string[];

/** An option as it is typed. */
export interface OptionWords {
  /** `-i` and `--interval`, or only one of them. */
  readonly names: readonly string[];
  readonly takes: 'nothing' | 'perhaps' | 'value';
  /** Name of its value in the help, such as `SECONDS`; '' without one. */
  readonly placeholder: string;
  readonly value: Value;
  readonly about: string;
}

/** A command as it is typed. */
export interface CommandWords {
  /** The words that call it: `stat`, or `runs rm`. Empty for the program itself. */
  readonly path: readonly string[];
  readonly about: string;
  /** What may follow these words, as the help writes it: `[options] <COMMAND...>`. */
  readonly usage: string;
  readonly options: readonly OptionWords[];
  /** Words that may stand as its first argument: its own commands, or the modes that its usage line names. */
  readonly words: readonly { readonly word: string; readonly about: string }[];
  /** True where an argument names a file. */
  readonly takesFile: boolean;
  /** True where a command of somebody else follows. */
  readonly runsCommand: boolean;
}

/** Every command of a program with its options, itself first. What the help hides is left out. */
export function commandWords(program: Command): readonly CommandWords[] {
  return wordsOf(program, []);
}

function wordsOf(command: Command, path: readonly string[]): CommandWords[] {
  const help = command.createHelp();
  const children = help.visibleCommands(command);
  const own: CommandWords = {
    path,
    about: command.description(),
    usage: command.usage(),
    options: help.visibleOptions(command).map((option) => optionWords(option, help.optionDescription(option))),
    words:
      children.length > 0
        ? children.map((child) => ({ word: child.name(), about: child.description() }))
        : modesOf(command).map((word) => ({ word, about: '' })),
    takesFile: command.registeredArguments.some((argument) => isFile(argument.name())),
    runsCommand: command.registeredArguments.some((argument) => argument.name() === 'COMMAND'),
  };
  return [own, ...children.filter((child) => child.name() !== 'help').flatMap((c) => wordsOf(c, [...path, c.name()]))];
}

/** `dmon`, `pmon` and `topo` of `[dmon|pmon|topo] [options]`, or of the choices of the first argument. */
function modesOf(command: Command): readonly string[] {
  const choices = command.registeredArguments[0]?.argChoices;
  return choices ?? /^\[(\w+(?:\|\w+)+)\]/.exec(command.usage())?.[1]?.split('|') ?? [];
}

function optionWords(option: Option, about: string): OptionWords {
  const { short, long, required, optional } = option;
  const placeholder = /[<[]([^>\]]+)[>\]]\s*$/.exec(option.flags)?.[1]?.replace(/\.\.\.$/, '') ?? '';
  return {
    names: [short, long].filter((name) => name !== undefined),
    takes: required ? 'value' : optional ? 'perhaps' : 'nothing',
    placeholder,
    value: valueWords(option, placeholder),
    about,
  };
}

function valueWords({ argChoices, long }: Option, placeholder: string): Value {
  if (argChoices !== undefined) return argChoices;
  if (long === '--source') return SOURCES;
  return isFile(placeholder) ? 'file' : 'any';
}

/** What a source is called; behind `replay:` stands a file. */
const SOURCES = ['auto', 'nvml', 'nvidia-smi', 'amdgpu', 'intel', 'simulate:', 'replay:'];

function isFile(placeholder: string): boolean {
  return /^(?:FILE|DIR|PATH|AFTER)$/.test(placeholder);
}
