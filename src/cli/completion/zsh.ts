import type { CommandWords, OptionWords } from './command-words.ts';

/** A completion script for zsh, to be sourced or put into a folder of `$fpath` as `_gpulse`. */
export function zshCompletion(commands: readonly CommandWords[]): string {
  const [program, ...others] = commands;
  if (program === undefined) return '';
  return [
    '#compdef gpulse',
    '# zsh completion for gpulse, made by "gpulse completion zsh"',
    '_gpulse_source() {',
    "  if compset -P 'replay:'; then _files; else compadd -S '' simulate: replay:; compadd auto nvml nvidia-smi amdgpu intel; fi",
    '}',
    ...others.toReversed().flatMap((command) => functionOf(command, commands)),
    ...functionOf(program, commands),
    `if [[ $funcstack[1] == _gpulse ]]; then _gpulse "$@"; else compdef _gpulse gpulse; fi`,
    '',
  ].join('\n');
}

function nameOf(path: readonly string[]): string {
  return ['_gpulse', ...path].join('_');
}

function functionOf(command: CommandWords, all: readonly CommandWords[]): string[] {
  const { path, options, words } = command;
  const children = all.filter((each) => each.path.length === path.length + 1 && isBelow(each.path, path));
  const specs = [...options.flatMap(specsOf), ...argumentSpecs(command, children.length > 0)];
  const lines = specs.map((spec) => `    ${spec} \\`);
  if (children.length === 0) return [`${nameOf(path)}() {`, '  _arguments -s \\', ...lines, '    && return 0', '}'];
  return [
    `${nameOf(path)}() {`,
    '  local curcontext="$curcontext" state line ret=1',
    '  local -a commands',
    `  commands=(${words.map(({ word, about }) => quoted(`${word}:${about}`)).join(' ')})`,
    '  _arguments -C \\',
    ...lines,
    '    && ret=0',
    '  case $state in',
    '    command) _describe -t commands command commands && ret=0 ;;',
    '    rest) case $line[1] in',
    ...children.map((child) => `      ${child.path.at(-1)}) ${nameOf(child.path)} && ret=0 ;;`),
    '    esac ;;',
    '  esac',
    '  return ret',
    '}',
  ];
}

function isBelow(path: readonly string[], parent: readonly string[]): boolean {
  return parent.every((word, i) => path[i] === word);
}

function argumentSpecs({ words, takesFile, runsCommand }: CommandWords, hasChildren: boolean): string[] {
  if (hasChildren) return ["'1: :->command'", "'*:: :->rest'"];
  if (runsCommand) return ["'(-)1: :_command_names -e'", "'*:: :_normal'"];
  if (takesFile) return ["'*: :_files'"];
  return words.length > 0 ? [quoted(`1: :(${words.map(({ word }) => word).join(' ')})`)] : [];
}

/** One specification for each spelling; each rules out the others. */
function specsOf(option: OptionWords): string[] {
  const { names, takes } = option;
  const others = names.length > 1 ? `(${names.join(' ')})` : '';
  return names.map((name) => {
    const joint = takes === 'nothing' ? '' : name.startsWith('--') ? '=' : '+';
    return quoted(`${others}${name}${joint}[${escaped(option.about)}]${valueSpec(option)}`);
  });
}

function valueSpec({ takes, placeholder, value, names }: OptionWords): string {
  if (takes === 'nothing') return '';
  const action = names.includes('--source')
    ? '_gpulse_source'
    : value === 'any'
      ? ' '
      : value === 'file'
        ? '_files'
        : `(${value.join(' ')})`;
  return `${takes === 'perhaps' ? '::' : ':'}${escaped(placeholder)}:${action}`;
}

function escaped(text: string): string {
  return text.replaceAll(/[\\[\]:]/g, '\\$&');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
