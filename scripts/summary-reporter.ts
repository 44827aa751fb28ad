import type { Reporter, TestModule } from 'vitest/node';

/** Ends a run with one plain line that says how many tests passed, failed and were skipped. A skip fails CI. */
export class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      if (module.errors().length > 0) counts.failed++;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'pending') continue;
        counts[state]++;
        if (state === 'skipped') console.log(`skipped: ${test.fullName}`);
      }
    }
    console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
    if (process.env['CI'] && counts.skipped > 0) process.exitCode = 1;
  }
}
