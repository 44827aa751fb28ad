import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { CATALOGUE } from '../../model/catalogue.ts';
import { WATCHED_METRICS } from './watched-metrics.ts';

const FOLDERS = ['detectors', 'case'].map((name) => resolve(import.meta.dirname, '..', name));

test('what is watched is what the detectors read, and nothing else', () => {
  const text = FOLDERS.flatMap((folder) =>
    readdirSync(folder)
      .filter((file) => !file.endsWith('.test.ts'))
      .map((file) => readFileSync(join(folder, file), 'utf8')),
  ).join('\n');
  const read = CATALOGUE.map(({ id }) => id).filter((id) => text.includes(`'${id}'`));
  expect([...WATCHED_METRICS].sort()).toEqual([...read].sort());
});
