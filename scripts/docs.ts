/** Writes the pages that are derived from the tables in src/model. */
import { writeFileSync } from 'node:fs';
import { GENERATED_DOCS } from './generated-docs.ts';

for (const [path, page] of Object.entries(GENERATED_DOCS)) {
  writeFileSync(path, page());
  console.log(`wrote ${path}`);
}
