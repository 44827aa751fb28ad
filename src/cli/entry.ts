import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { codeCacheFolder, loadCompiled } from './code-cache.ts';

const folder = codeCacheFolder(process.env);
if (folder !== null) {
  enableCompileCache(folder);
  const isBundle = !import.meta.filename.endsWith('.ts');
  if (isBundle && process.env['GPULSE_TRY'] === 'first')
    loadCompiled(join(import.meta.dirname, 'one-look.cjs'), folder);
}
// The cache only helps what is loaded after it is on.
void import('./main.ts').then(({ main }) => main(process.argv.slice(2)));
