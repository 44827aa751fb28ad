import type { CommandWords, OptionWords } from './command-words.ts';

/** A completion script for fish. */
export function fishCompletion(commands: readonly CommandWords[]): string {
  const [program, ...others] = commands;
  if (program === undefined) return '';
  return [
    '# fish completion for gpulse, made by "gpulse completion fish"',
    'complete -c gpulse -f',
    ...linesOf(program, '__fish_use_subcommand'),
    ...others.flatMap((command) => linesOf(command, conditionOf(command, others))),
    '',
  ].join('\n');
}

/** True behind the words of the command, and not behind those of a command of its own. */
function conditionOf({ path }: CommandWords, all: readonly CommandWords[]): string {
  const below = all.filter((each) => each.path.length > path.length && path.every((word, i) => each.path[i] === word));
  const behind = path.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');
  if (below.length === 0) return behind;
  return `${behind}; and not __fish_seen_subcommand_from ${below.map((each) => each.path.at(-1)).join(' ')}`;
}

function linesOf({ options, words, takesFile, runsCommand }: CommandWords, condition: string): string[] {
  const head = `complete -c gpulse -n ${quoted(condition)}`;
  const rest = runsCommand ? [`${head} -a '(__fish_complete_command)'`] : takesFile ? [`${head} -F`] : [];
  return [
    ...words.map(({ word, about }) => `${head} -a ${word}${aboutOf(about)}`),
    ...options.map((option) => `${head}${namesOf(option)}${valueFlags(option)}${aboutOf(option.about)}`),
    ...rest,
  ];
}

/** `-c` is a short option for fish, `--show-cmd` a long one, and nvidia-smi's `-lms` an old one. */
function namesOf({ names }: OptionWords): string {
  return names
    .map((name) => {
      if (name.startsWith('--')) return ` -l ${name.slice(2)}`;
      return name.length === 2 ? ` -s ${name.slice(1)}` : ` -o ${name.slice(1)}`;
    })
    .join('');
}

function valueFlags({ takes, value }: OptionWords): string {
  if (takes !== 'value') return '';
  if (value === 'file') return ' -r -F';
  return value === 'any' ? ' -x' : ` -x -a ${quoted(value.join(' '))}`;
}

function aboutOf(about: string): string {
  return about === '' ? '' : ` -d ${quoted(about)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
}
