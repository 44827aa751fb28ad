/** `npm run bench [-- NAME…]`: measurements, printed as figures and ratios. Nothing gates on them. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setup as buildFakeLibraries } from '../scripts/test-setup.ts';

const folder = import.meta.dirname;
const known = readdirSync(folder)
  .filter((file) => file.endsWith('.bench.ts'))
  .map((file) => file.slice(0, -'.bench.ts'.length));
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`there is no benchmark ${unknown.join(', ')}; there are: ${known.join(', ')}`);
  process.exit(2);
}
buildFakeLibraries();
for (const name of wanted.length > 0 ? wanted : known) {
  console.log(`\n== ${name}`);
  await import(join(folder, `${name}.bench.ts`));
}
