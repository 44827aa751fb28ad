import { enableCompileCache } from 'node:module';
import { isQuickLook } from './quick-look.ts';

enableCompileCache();
// A look at the GPUs waits for the thread that reads them more than for anything else: it starts first.
if (isQuickLook(process.argv.slice(2), process.env)) {
  const { warmUpWorker } = await import('../sources/nvml/warm-worker.ts');
  warmUpWorker();
}
// The cache only helps what is imported after it is on, hence the dynamic import.
const { main } = await import('./main.ts');
await main(process.argv.slice(2));
