import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseConfig } from '../src/app/config-file.ts';
import { createContext } from '../src/cli/context.ts';
import { createProgram } from '../src/cli/program.ts';

/** What the pages tell people to type, open and write must be there. */

const ROOT = resolve(import.meta.dirname, '..');
const PAGES = ['README.md', 'README.zh-CN.md', ...globSync('docs/*.md', { cwd: ROOT }).sort()];
const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

/** Fenced blocks of these languages. */
function blocksOf(page: string, ...languages: readonly string[]): readonly string[] {
  const blocks = [...textOf(page).matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)];
  return blocks.flatMap(([, language = '', text = '']) => (languages.includes(language) ? [text] : []));
}

/** Command lines of gpulse in blocks and between backticks, each from its subcommand on. */
function commandsOf(page: string): readonly string[] {
  const inline = [...textOf(page).matchAll(/`((?:bin\/)?gpulse [^`\n]+)`/g)].map(([, text = '']) => text);
  const lines = blocksOf(page, 'sh', 'ini', '').flatMap((text) => text.replaceAll('\\\n', ' ').split('\n'));
  return [...inline, ...lines].flatMap((line) => {
    const command = /(?:^|[\s/=$])gpulse ((?:\w+)\b.*)/.exec(line.replace(/\s#.*$/, ''))?.[1];
    return command === undefined || /^\s*#/.test(line) || /docker|podman|kubectl/.test(line) ? [] : [command];
  });
}

const program = await createProgram(undefined, createContext([], {}));
/** Those of a command and of the commands below it; of two long names commander calls the first the short one. */
function optionsOf(command: Command): readonly string[] {
  const own = command.options.flatMap(({ short, long }) => [short ?? [], long ?? []].flat());
  return [...own, ...command.commands.flatMap(optionsOf)];
}
const known = new Map(
  program.commands.map((command) => [command.name(), new Set(['--help', '--version', ...optionsOf(command)])]),
);

/** Options of a command line up to what it runs. `smi` has the options of nvidia-smi, which it reads itself. */
function unknownOptions(line: string): readonly string[] {
  const [own = ''] = line.split(/ -- | [|>&;] /);
  const [name = '', ...words] = own.split(/\s+/);
  const options = known.get(name);
  if (options === undefined || name === 'smi') return [];
  const flags = words.map((word) => /^--[a-z][a-z-]*/.exec(word.replace(/^["'[(]+/, ''))?.[0]);
  return flags.flatMap((flag) => (flag === undefined || options.has(flag) ? [] : [`gpulse ${name} ${flag}`]));
}

test.each(PAGES)('%s: every option that it names exists', (page) => {
  expect(commandsOf(page).flatMap(unknownOptions)).toEqual([]);
});

test('an option that does not exist is found', () => {
  expect(unknownOptions('serve --listen 127.0.0.1:1 --nope x | cat --more')).toEqual(['gpulse serve --nope']);
  expect(unknownOptions('run -- python train.py --lr 1')).toEqual([]);
});

test.each(PAGES)('%s: every link and every file of the project that it names exists', (page) => {
  const text = textOf(page).replaceAll(/^```[\s\S]*?^```$/gm, (block) => block.replaceAll('](', ']·('));
  const links = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)\s]*)?\)/g)].flatMap(([, link = '']) =>
    /^[a-z]+:/.test(link) ? [] : [join(dirname(page), link)],
  );
  const files = [...text.matchAll(/\b(?:deploy|scripts)\/[\w./*-]*\w[\w*/-]*/g)].map(([file]) => file);
  const missing = [...links, ...files].filter((file) => {
    const path = join(ROOT, file);
    return file.includes('*') ? globSync(file, { cwd: ROOT }).length === 0 : !existsSync(path);
  });
  expect(missing).toEqual([]);
});

test.each(PAGES)('%s: the configuration that it shows is taken', (page) => {
  for (const text of blocksOf(page, 'yaml')) {
    const keys = Object.keys((parse(text) as object | null) ?? {});
    if (!keys.every((key) => ['metrics', 'push', 'history'].includes(key))) continue;
    // A file with a secret is only there where it is used.
    parseConfig('gpulse.yaml', text.replaceAll(/token-file: .*/g, 'token: secret'));
  }
});

test('the pages about reporting and deployment name commands, in both languages alike', () => {
  for (const name of ['exporting', 'replace-dcgm-exporter', 'push-to-influx', 'prometheus-grafana', 'deploy']) {
    const [english, chinese] = [`docs/${name}.md`, `docs/${name}.zh.md`].map((page) =>
      blocksOf(page, 'sh', 'yaml', 'ini', 'sql', 'promql').map((text) => text.replaceAll(/\s*#.*$/gm, '')),
    );
    expect(english?.length).toBeGreaterThan(1);
    expect(chinese).toEqual(english);
    expect(commandsOf(`docs/${name}.md`).length).toBeGreaterThan(1);
  }
});
