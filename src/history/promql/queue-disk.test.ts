import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const root = mkdtempSync(join(tmpdir(), 'gpulse-test-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Fills the disk under the queue of a history whose engine is away, makes room again, and prints what is said meanwhile. */
const SCRIPT = `
  import { rmSync, writeFileSync } from 'node:fs';
  import { setTimeout as wait } from 'node:timers/promises';
  import { openRemoteHistory } from '${import.meta.dirname}/remote-history.ts';
  import { engineOptions } from '${import.meta.dirname}/test-engines.ts';
  import { sampleTick, START } from '${import.meta.dirname}/../sample-ticks.ts';
  const disk = process.argv[1];
  const open = () => openRemoteHistory(engineOptions('http://127.0.0.1:1', disk + '/history', 'node'));
  let second = 0;
  const add = (ticks) => {
    for (let i = 0; i < ticks; i++) {
      const noise = Array.from({ length: 8 }, () => ({ energy_joules_total: Math.random() }));
      history.accept(sampleTick(START + second++ * 1000, noise));
    }
  };
  const until = async (isReached) => {
    for (let tries = 0; tries < 300 && !isReached(history.status()); tries++) await wait(50);
    const { failure, queue, droppedTicks } = history.status();
    return { failure: failure?.code, ticks: queue.ticks, droppedTicks };
  };
  let history = await open();
  add(10);
  await history.queued();
  try {
    writeFileSync(disk + '/ballast', Buffer.alloc(8e6));
  } catch {}
  add(500);
  const full = await until(({ failure }) => failure?.code === 'HISTORY_DISK_FULL');
  rmSync(disk + '/ballast');
  const again = await until(({ failure }) => failure?.code === 'HISTORY_ENGINE_DOWN');
  await history.close();
  history = await open();
  const kept = history.status().queue.ticks;
  await history.close();
  console.log(JSON.stringify({ full, again, kept }));`;

/** A file system of its own, which goes with the process. */
const APART = ['--mount', '--map-root-user', 'sh', '-c'];
const MOUNT = `mount -t tmpfs -o size=2000000 none ${root}`;
const mayMount = spawnSync('unshare', [...APART, MOUNT]).status === 0;

test.skipIf(!mayMount)(
  'a full disk under the queue is said, loses nothing, and is over by itself',
  {
    timeout: 60_000,
  },
  () => {
    const run = `${MOUNT} && exec ${process.execPath} --input-type=module -e "$SCRIPT" ${root}`;
    const env = { ...process.env, SCRIPT };
    const { stdout, stderr } = spawnSync('unshare', [...APART, run], { encoding: 'utf8', env, timeout: 50_000 });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({
      full: { failure: 'HISTORY_DISK_FULL', ticks: 510, droppedTicks: 0 },
      again: { failure: 'HISTORY_ENGINE_DOWN', ticks: 510, droppedTicks: 0 },
      kept: 510,
    });
  },
);
