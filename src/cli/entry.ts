import { enableCompileCache } from 'node:module';

// The cache only helps what is imported after it is on, hence the dynamic import.
enableCompileCache();
const { main } = await import('./main.ts');
await main(process.argv.slice(2));
