import type { CommandWords, OptionWords } from './command-words.ts';

/** A completion script for bash. It needs nothing but bash 4, and starts no program. */
export function bashCompletion(commands: readonly CommandWords[]): string {
  const [program, ...others] = commands;
  if (program === undefined) return '';
  const lines = [
    '# bash completion for gpulse, made by "gpulse completion bash"',
    '_gpulse_files() { compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$1"); }',
    `_gpulse_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2"); [[ \${COMPREPLY[0]-} != *: ]] || compopt -o nospace 2>/dev/null; }`,
    '_gpulse() {',
    `  local cur="\${COMP_WORDS[COMP_CWORD]}" at=$COMP_CWORD separator='' command='' i`,
    '  COMPREPLY=()',
    '  # bash takes "--option=value" and "kind:file" apart at the "=" and the ":".',
    '  if [[ $cur == [=:] ]]; then separator=$cur cur=',
    `  elif ((at > 0)) && [[ \${COMP_WORDS[at - 1]} == [=:] ]]; then separator=\${COMP_WORDS[at - 1]}; at=$((at - 1)); fi`,
    `  if [[ $separator == : ]]; then [[ \${COMP_WORDS[at - 1]} != replay ]] || _gpulse_files "$cur"; return; fi`,
    '  for ((i = 1; i < COMP_CWORD; i++)); do',
    '    # What is behind "--" belongs to another program.',
    `    if [[ \${COMP_WORDS[i]} == -- ]]; then compopt -o bashdefault -o default 2>/dev/null; return; fi`,
    `    case "$command \${COMP_WORDS[i]}" in`,
    `      ${others.map(({ path }) => quoted([...(path.length > 1 ? [] : ['']), ...path].join(' '))).join('|')}) command="\${command:+$command }\${COMP_WORDS[i]}" ;;`,
    '    esac',
    '  done',
    `  case "$command:\${COMP_WORDS[at - 1]}" in`,
    ...commands.flatMap(valueCases),
    '  esac',
    '  case "$command" in',
    ...commands.map(wordCase),
    '  esac',
    '}',
    'complete -F _gpulse gpulse',
    '',
  ];
  return lines.join('\n');
}

/** What follows an option that needs a value. */
function valueCases({ path, options }: CommandWords): string[] {
  return options
    .filter(({ takes }) => takes === 'value')
    .map((option) => {
      const patterns = option.names.map((name) => quoted(`${path.join(' ')}:${name}`)).join('|');
      return `    ${patterns}) ${actionOf(option)}return ;;`;
    });
}

function actionOf({ value }: OptionWords): string {
  if (value === 'any') return '';
  return value === 'file' ? '_gpulse_files "$cur"; ' : `_gpulse_words ${quoted(value.join(' '))} "$cur"; `;
}

function wordCase({ path, options, words, takesFile, runsCommand }: CommandWords): string {
  const flags = options.flatMap(({ names }) => names).join(' ');
  const arguments_ = words.map(({ word }) => word).join(' ');
  const rest = runsCommand
    ? 'mapfile -t COMPREPLY < <(compgen -c -- "$cur")'
    : takesFile
      ? '_gpulse_files "$cur"'
      : `_gpulse_words ${quoted(arguments_)} "$cur"`;
  return `    ${quoted(path.join(' '))}) if [[ $cur == -* ]]; then _gpulse_words ${quoted(flags)} "$cur"; else ${rest}; fi ;;`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
