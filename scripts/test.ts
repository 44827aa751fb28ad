/** The test command: brings what the tests need, builds what they start, and runs them all. */
import { spawnSync } from 'node:child_process';
import { installMissingParts } from './parts.ts';

function run(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' });
  if (error !== undefined) console.error(`${command}: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

for (const part of installMissingParts()) {
  console.error(`${part.name} is missing; install ${part.debianPackage} to run the tests that need it`);
  if (process.env['CI']) process.exit(1);
}

const patterns = process.argv.slice(2);
if (patterns.length === 0) run('npm', ['run', '--silent', 'build']);
run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...patterns]);
