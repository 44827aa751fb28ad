import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { GENERATED_DOCS } from './generated-docs.ts';

test.each(Object.entries(GENERATED_DOCS))('%s is what "npm run docs" writes', (path, page) => {
  expect(readFileSync(path, 'utf8')).toBe(page());
});
