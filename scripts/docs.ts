/** Writes the pages and boards that are derived from the tables in src/model. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { GENERATED_DOCS } from './generated-docs.ts';

for (const [path, page] of Object.entries(GENERATED_DOCS)) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, page());
  console.log(`wrote ${path}`);
}
