import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commandOf } from '../../../scripts/parts.ts';
import { LANGUAGES } from '../../model/i18n/text.ts';
import { createContext } from '../context.ts';
import { createProgram } from '../program.ts';
import { bashCompletion } from './bash.ts';
import { type CommandWords, commandWords } from './command-words.ts';
import { fishCompletion } from './fish.ts';
import { manualPage } from './man-page.ts';
import { zshCompletion } from './zsh.ts';

/** mandoc prints bold as a letter over itself. */
const OVERSTRUCK = new RegExp(`.${String.fromCharCode(8)}`, 'g');

const LOGS = resolve(import.meta.dirname, '../../../testdata/logs/table');

let folder: string;
let program: Command;
let commands: readonly CommandWords[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gpulse-completion-'));
  program = await createProgram(undefined, createContext([], {}));
  commands = commandWords(program);
  writeFileSync(join(folder, 'gpulse.bash'), bashCompletion(commands));
  writeFileSync(join(folder, '_gpulse'), zshCompletion(commands));
  writeFileSync(join(folder, 'gpulse.fish'), fishCompletion(commands));
});
afterAll(() => rmSync(folder, { recursive: true }));

function shell(command: string, ...args: string[]): string {
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, TERM: 'dumb', LANG: 'C.UTF-8' };
  const { stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', cwd: LOGS, env, timeout: 15_000 });
  expect(error).toBeUndefined();
  expect(stderr).toBe('');
  return stdout;
}

test('every command of the help is completed, with what it has', () => {
  const paths = commands.map(({ path }) => path.join(' '));
  expect(paths.toSorted()).toEqual(['', ...nestedNames(program)].toSorted());
  const stat = commands.find(({ path }) => path[0] === 'stat');
  const names = stat?.options.flatMap((option) => option.names) ?? [];
  expect(names).toContain('--show-cmd');
  expect(names).not.toContain('--force-color');
});

function nestedNames(command: Command): string[] {
  return command.commands.flatMap((child) => [
    child.name(),
    ...nestedNames(child).map((name) => `${child.name()} ${name}`),
  ]);
}

describe('bash', () => {
  /** What Tab offers behind these words, as bash takes them apart. */
  function offered(...words: string[]): string[] {
    const list = words.map((word) => `'${word}'`).join(' ');
    const call = `COMP_WORDS=(gpulse ${list}); COMP_CWORD=${words.length}; _gpulse; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return shell('bash', '--norc', '-c', `source ${folder}/gpulse.bash; ${call}`)
      .split('\n')
      .filter((line) => line !== '');
  }

  test('commands, options and their values', () => {
    expect(offered('st')).toEqual(['stat']);
    expect(offered('')).toEqual(expect.arrayContaining(['serve', 'stat', 'smi', 'doctor', 'completion', 'man']));
    expect(offered('stat', '--lay')).toEqual(['--layout']);
    expect(offered('stat', '--layout', '')).toEqual(['gpulse', 'gpustat']);
    expect(offered('stat', '--layout', '=', 'gpus')).toEqual(['gpustat']);
    expect(offered('--lang', 'z')).toEqual(['zh']);
    expect(offered('--lang', 'zh', 'smi', '')).toEqual(['dmon', 'pmon', 'topo']);
    expect(offered('completion', '')).toEqual(['bash', 'zsh', 'fish']);
    expect(offered('runs', 'prune', '--keep-')).toEqual(['--keep-size']);
  });

  test('files where a file is wanted, also behind "replay:"', () => {
    expect(offered('report', 'k80')).toEqual(['k80x2-375.txt']);
    expect(offered('stat', '--source', 'replay', ':', 'k80')).toEqual(['k80x2-375.txt']);
    expect(offered('smi', '-f', 'k80')).toEqual(['k80x2-375.txt']);
    expect(offered('stat', '--user', 'k80')).toEqual([]);
  });

  test('what is behind "--" is left to bash', () => {
    expect(offered('run', '--', 'st')).toEqual([]);
  });
});

describe.skipIf(commandOf('zsh') === null)('zsh', () => {
  test('takes the script, and completes as somebody types', () => {
    expect(shell('zsh', '-f', '-n', join(folder, '_gpulse'))).toBe('');
    // A terminal of its own in which Tab is pressed.
    const typed = [
      'zmodload zsh/zpty; zpty z zsh -f -i; zpty -w z "PS1=; TERM=dumb; unsetopt zle_bracketed_paste"',
      `zpty -w z "fpath=(${folder} \\$fpath); autoload -U compinit; compinit -u -D; echo READY\\$((1+1))"`,
      "zpty -r -m z out '*READY2*'",
      "zpty -w -n z $'gpulse stat --no-he\\t--layout gpus\\t'; zpty -r -m z out '*gpustat*'; print -r -- $out",
      "zpty -w -n z $'\\x15gpulse runs pr\\t'; zpty -r -m z out '*prune*'; print -r -- $out; zpty -d z",
    ];
    const seen = stripVTControlCharacters(shell('zsh', '-f', '-c', typed.join('\n')));
    expect(seen).toContain('--no-header');
    expect(seen).toContain('--layout gpustat');
    expect(seen).toContain('runs prune');
  });
});

describe.skipIf(commandOf('fish') === null)('fish', () => {
  function offered(line: string): string[] {
    return shell('fish', '--no-config', '-c', `source ${folder}/gpulse.fish; complete -C '${line}'`)
      .split('\n')
      .map((row) => row.split('\t')[0] ?? '')
      .filter((word) => word !== '');
  }

  test('commands, options and their values', () => {
    expect(offered('gpulse st')).toEqual(['stat']);
    expect(offered('gpulse stat --lay')).toEqual(['--layout']);
    expect(offered('gpulse stat --layout gpus')).toEqual(['gpustat']);
    expect(offered('gpulse completion ')).toEqual(expect.arrayContaining(['bash', 'fish', 'zsh']));
    expect(offered('gpulse runs p')).toEqual(['prune']);
    expect(offered('gpulse report k80')).toEqual(['k80x2-375.txt']);
    expect(offered('gpulse stat k80')).toEqual([]);
  });
});

describe.skipIf(commandOf('mandoc') === null)('the manual page', () => {
  test.each(LANGUAGES)('is one without a fault, and names every command, in %s', async (lang) => {
    const context = createContext(['--lang', lang], {});
    const path = join(folder, `${lang}.1`);
    writeFileSync(path, manualPage(await createProgram(undefined, context), context));
    const faults = shell('mandoc', '-T', 'lint', '-W', 'warning', path).split('\n');
    // A date would make the page another one every day.
    expect(faults.filter((line) => line !== '' && !line.includes('missing date'))).toEqual([]);
    const page = shell('mandoc', '-T', 'utf8', '-O', 'width=100', path).replaceAll(OVERSTRUCK, '');
    for (const { path: words } of commands.slice(1)) expect(page).toContain(`gpulse ${words.join(' ')}`);
    expect(page).toContain('--exit-code-if-unhealthy');
    expect(page).toContain(lang === 'zh' ? '退出码' : 'EXIT STATUS');
  });
});
