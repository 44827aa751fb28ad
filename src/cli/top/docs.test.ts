import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { translator } from '../../model/i18n/messages.ts';
import { KEY_BINDINGS, keyLabels } from '../../tui/ui/keys.ts';

const DOCS = resolve(import.meta.dirname, '../../../docs');

test.each([
  ['en', 'top.md'],
  ['zh', 'top.zh.md'],
] as const)('the page in %s lists the keys as they are', (lang, file) => {
  const t = translator(lang);
  const page = readFileSync(resolve(DOCS, file), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  const labels = (binding: (typeof KEY_BINDINGS)[number]): string =>
    keyLabels(binding)
      .split(' ')
      .map((key) => `\`${key}\``)
      .join(' ');
  expect(rows).toEqual(KEY_BINDINGS.map((binding) => `| ${labels(binding)} | ${t(`top.key.${binding.action}`)} |`));
});
