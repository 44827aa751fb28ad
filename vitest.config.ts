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
    maxWorkers: 2,
    reporters: ['default', new SummaryReporter()],
  },
});
