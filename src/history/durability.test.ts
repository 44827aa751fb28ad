import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { systemClock } from '../model/clock.ts';
import type { Millis } from '../model/reading.ts';
import { openHistory } from './history.ts';
import { openTickReader } from './tick-reader.ts';

const WRITER = fileURLToPath(new URL('./durability-writer.ts', import.meta.url));
/** `GPULSE_KILLS=200 npx vitest run src/history/durability.test.ts` for a closer look. */
const KILLS = Number(process.env['GPULSE_KILLS'] ?? 20);
const root = mkdtempSync(join(tmpdir(), 'gpulse-test-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Runs a command and collects the JSON lines it prints. */
class Writer {
  readonly process: ChildProcess;
  readonly lines: Record<string, unknown>[] = [];
  errors = '';
  #rest = '';

  constructor(command: string, args: readonly string[]) {
    this.process = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.process.stdout?.on('data', (chunk: Buffer) => {
      const lines = (this.#rest + chunk.toString()).split('\n');
      this.#rest = lines.pop() ?? '';
      this.lines.push(...lines.map((line) => JSON.parse(line)));
    });
    this.process.stderr?.on('data', (chunk: Buffer) => {
      this.errors += chunk.toString();
    });
  }

  times(kind: 'accepted' | 'stored'): Millis[] {
    return this.lines.flatMap((line) => (typeof line[kind] === 'number' ? [line[kind]] : []));
  }

  async end(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) await once(this.process, 'close');
  }
}

describe('kill -9 at any moment', () => {
  /** Times that must be there: what was acknowledged, and what is older than a second. */
  function owed(writer: Writer, killedAt: Millis): Set<Millis> {
    return new Set([...writer.times('stored'), ...writer.times('accepted').filter((at) => at < killedAt - 1000)]);
  }

  async function storedIn(directory: string): Promise<{ times: Set<Millis>; torn: Millis[]; blocks: number }> {
    const reader = openTickReader(directory);
    const times = new Set<Millis>();
    const torn: Millis[] = [];
    for await (const { at, samples } of reader.ticks(0, Number.MAX_SAFE_INTEGER)) {
      times.add(at);
      const whole = samples.filter(({ readings }) => readings.get('energy_joules_total') === at);
      if (whole.length !== 8) torn.push(at);
    }
    expect(reader.damaged).toBe(0);
    reader.close();
    const db = new DatabaseSync(join(directory, 'history.db'), { readOnly: true });
    expect(db.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    const blocks = Number(db.prepare('SELECT count(*) AS n FROM blocks').get()?.['n']);
    db.close();
    return { times, torn, blocks };
  }

  test('loses nothing older than a second, and the history opens without repair', {
    timeout: 20_000 + KILLS * 9000,
  }, async () => {
    const directory = join(root, 'killed');
    const everOwed = new Set<Millis>();
    let sealed = 0;
    for (let round = 0; round < KILLS; round++) {
      const writer = new Writer(process.execPath, [WRITER, directory, 'forever']);
      await expect.poll(() => writer.lines.length + writer.errors.length, { timeout: 30_000 }).toBeGreaterThan(0);
      await wait(Math.random() * (round % 5 === 0 ? 2500 : 300));
      writer.process.kill('SIGKILL');
      const killedAt = Date.now();
      await writer.end();
      expect(writer.errors).toBe('');
      for (const at of owed(writer, killedAt)) everOwed.add(at);
      const history = await openHistory({ directory, origin: 'live', clock: systemClock });
      expect(history.status().failure).toBeNull();
      const { times, torn, blocks } = await storedIn(directory);
      await history.close();
      sealed = blocks;
      expect(torn).toEqual([]);
      expect([...everOwed].filter((at) => !times.has(at))).toEqual([]);
    }
    expect(everOwed.size).toBeGreaterThan(100);
    expect(sealed).toBeGreaterThan(3);
  });
});

describe('a full disk', () => {
  const SPACE = 600_000;

  /** A file system of its own, which goes with the process; null where this user may not mount one. */
  function smallDisk(directory: string): string[] | null {
    const mount = `mkdir -p ${directory} && mount -t tmpfs -o size=${2 * SPACE} none ${directory}`;
    const fill = `head -c ${SPACE} /dev/zero > ${directory}/ballast`;
    const write = `exec ${process.execPath} ${WRITER} ${directory} rm ${directory}/ballast`;
    const apart = (script: string) => ['sh', '-c', `exec unshare --mount --map-root-user sh -c '${script}'`];
    const [shell = '', ...args] = apart(mount);
    return spawnSync(shell, args).status === 0 ? apart(`${mount} && ${fill} && ${write}`) : null;
  }

  /** A limit on the size of a file, which everybody may set. */
  function smallFile(directory: string): string[] {
    const run = `exec prlimit --fsize=${SPACE}: ${process.execPath} ${WRITER} ${directory} prlimit --pid $$ --fsize=unlimited:`;
    return ['sh', '-c', run];
  }

  const disk = smallDisk(join(root, 'small-disk'));
  const cases: [string, string, string[]][] = [
    ['a file that may not grow', 'HISTORY_WRITE_FAILED', smallFile(join(root, 'small-file'))],
    ...(disk === null ? [] : ([['a small file system', 'HISTORY_DISK_FULL', disk]] as [string, string, string[]][])),
  ];

  test.each(cases)(
    'stops writing, says so, holds up nobody, and resumes: %s',
    { timeout: 120_000 },
    async (_, code, run) => {
      const [command = '', ...args] = run;
      const writer = new Writer(command, args);
      await writer.end();
      expect(writer.errors).toBe('');
      const [said] = writer.lines;
      expect(said).toMatchObject({ failure: code, stillFailing: code, readable: true, droppedTicks: 0 });
      expect(said?.['stored']).toBe(said?.['accepted']);
      expect(said?.['slowestMs']).toBeLessThan(100);
    },
  );
});
