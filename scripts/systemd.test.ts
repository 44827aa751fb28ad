import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createContext } from '../src/cli/context.ts';
import { createProgram } from '../src/cli/program.ts';
import { commandOf } from './parts.ts';

const UNIT = readFileSync(resolve(import.meta.dirname, '../deploy/systemd/gpulse.service'), 'utf8');

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gpulse-unit-'));
  file = join(folder, 'gpulse.service');
});

afterEach(() => rmSync(folder, { recursive: true }));

describe.skipIf(commandOf('systemd') === null)('systemd', () => {
  const analyze = (...args: readonly string[]) => {
    const { stdout, stderr, status } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    return { output: stdout + stderr, status };
  };

  test('takes the unit without a remark', () => {
    // The program itself is not installed here.
    writeFileSync(file, UNIT.replace('/usr/local/bin/gpulse', process.execPath));
    const { output, status } = analyze('verify', '--man=no', file);
    expect([output.split('\n').filter((line) => line.includes('gpulse')), status]).toEqual([[], 0]);
  });

  test('finds little that it could still do to the machine', () => {
    writeFileSync(file, UNIT);
    const { output, status } = analyze('security', '--offline=true', '--threshold=35', file);
    expect([/Overall exposure.*/.exec(output)?.[0], status]).toEqual([expect.stringMatching(/[0-3]\.\d/), 0]);
  });
});

test('gpulse takes the arguments of the unit', async () => {
  const [, ...args] = /^ExecStart=(.*)$/m.exec(UNIT)?.[1]?.split(' ') ?? [];
  const program = await createProgram('serve', createContext([], {}));
  const serve = program.commands.find((command) => command.name() === args[0]);
  const known = serve?.options.map(({ long }) => long) ?? [];
  for (const argument of args) if (argument.startsWith('--')) expect(known).toContain(argument);
});
