import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { SummaryReporter } from './scripts/summary-reporter.ts';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'scripts/**/*.test.ts', 'web/**/*.test.ts'],
    globalSetup: ['scripts/test-setup.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // What a page shows takes longer on a small machine than the second that is usual.
    expect: { poll: { timeout: 15_000 } },
    pool: 'forks',
    // Threads that tests start from source are TypeScript to Node: with its cache each file is stripped of types once, and not in
    // every thread anew by WebAssembly, which takes longer than all the rest and now and then brings the engine down.
    env: { NODE_COMPILE_CACHE: resolve(import.meta.dirname, 'node_modules/.cache/node') },
    maxWorkers: 2,
    reporters: ['default', new SummaryReporter()],
  },
});
