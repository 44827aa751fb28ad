import { enableCompileCache } from 'node:module';

enableCompileCache();
// The cache only helps what is imported after it is on, hence the dynamic import.
const { main } = await import('./main.ts');
await main(process.argv.slice(2));
