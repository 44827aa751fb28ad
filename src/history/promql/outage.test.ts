import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { commandOf } from '../../../scripts/parts.ts';
import { eventually, TestServer } from '../../exporters/sinks/test-server.ts';
import type { Millis } from '../../model/reading.ts';
import { sampleTick } from '../sample-ticks.ts';
import { openRemoteHistory, type RemoteHistory, type RemoteHistoryOptions } from './remote-history.ts';
import { ENGINES, engineOptions } from './test-engines.ts';

const WRITER = fileURLToPath(new URL('./outage-writer.ts', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'gpulse-test-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

for (const { name, ready, args } of ENGINES) {
  const command = commandOf(name);
  describe.skipIf(command === null)(`when ${name} goes away`, () => {
    let server: TestServer;
    let history: RemoteHistory | null = null;
    let writer: ChildProcess | null = null;
    beforeAll(async () => {
      server = await TestServer.start(command ?? '', args, ready);
    });
    afterEach(async () => {
      writer?.kill('SIGKILL');
      await history?.close();
    });
    afterAll(() => server.dispose());

    async function open(place: string, options: Partial<RemoteHistoryOptions> = {}): Promise<RemoteHistory> {
      const usual = engineOptions(server.url, join(root, name, place), place);
      history = await openRemoteHistory({ ...usual, ...options });
      return history;
    }

    async function counts(from: Millis, seconds: number): Promise<readonly number[]> {
      const to = from + seconds * 1000;
      const query = { metrics: ['power_watts'] as const, devices: ['GPU-0'], from, to, points: seconds };
      return (await history!.range(query)).series[0]?.count ?? [];
    }

    test('nothing is missing when it is back, not even what it had taken and lost', { timeout: 90_000 }, async () => {
      const it = await open('killed');
      const start = Math.floor(Date.now() / 1000) * 1000 - 60_000;
      let second = 0;
      const next = (ticks: number) => {
        for (let i = 0; i < ticks; i++, second++)
          it.accept(sampleTick(start + second * 1000, [{ power_watts: second }]));
      };
      next(20);
      await it.flush();
      await server.kill('SIGKILL');
      let slowest = 0;
      for (let i = 0; i < 30; i++) {
        const began = performance.now();
        next(1);
        slowest = Math.max(slowest, performance.now() - began);
        await wait(30);
      }
      expect(slowest).toBeLessThan(1000);
      await eventually(() => expect(it.status().failure?.code).toBe('HISTORY_ENGINE_DOWN'));
      expect(it.status().failure?.text('en')).toMatch(/since \d{4}-.*Z: ECONNREFUSED; \d+ ticks .* are queued/);
      expect(it.status().queue?.failingSince).not.toBeNull();
      await expect(it.flush()).rejects.toMatchObject({ code: 'HISTORY_ENGINE_DOWN' });
      await expect(counts(start, 50)).rejects.toMatchObject({ code: 'HISTORY_ENGINE_UNANSWERED' });
      // What is needed for the page does not depend on it.
      expect(await it.devices()).toHaveLength(1);
      expect(await it.extent()).toMatchObject({ from: start });
      await server.start(ready);
      await eventually(() => it.flush(), 40_000);
      expect(await counts(start, 50)).toEqual(Array(50).fill(1));
      expect(it.status()).toMatchObject({ failure: null, droppedTicks: 0, queue: { ticks: 0, failingSince: null } });
    });

    test('what does not fit into the queue is given up, the oldest first, and counted', {
      timeout: 90_000,
    }, async () => {
      const queueBytes = 100_000;
      const it = await open('full', { queueBytes });
      await server.kill('SIGKILL');
      const seconds = 3000;
      const start = Math.floor(Date.now() / 1000) * 1000 - seconds * 1000;
      for (let i = 0; i < seconds; i++) {
        const noise = Array.from({ length: 4 }, () => ({ energy_joules_total: Math.random() }));
        it.accept(sampleTick(start + i * 1000, [{ power_watts: i }, ...noise]));
        if (i % 50 === 49) await it.queued();
      }
      await eventually(() => expect(it.status().failure?.code).toBe('HISTORY_QUEUE_FULL'));
      const { droppedTicks, queue, failure } = it.status();
      expect(droppedTicks).toBeGreaterThan(500);
      expect(queue?.ticks).toBe(seconds - droppedTicks);
      expect(queue?.bytes).toBeLessThanOrEqual(queueBytes);
      expect(failure?.text('en')).toContain(`${droppedTicks} ticks are lost`);
      await server.start(ready);
      await eventually(() => it.flush(), 40_000);
      const found = await counts(start, seconds);
      expect(found).toEqual([...Array(droppedTicks).fill(0), ...Array(seconds - droppedTicks).fill(1)]);
      expect(it.status()).toMatchObject({ failure: null, droppedTicks });
    });

    test('what waits outlives kill -9 of gpulse, and is delivered once', { timeout: 120_000 }, async () => {
      const place = 'writer';
      const owed = new Set<Millis>();
      await server.kill('SIGKILL');
      for (let round = 0; round < 4; round++) {
        writer = spawn(process.execPath, [WRITER, server.url, join(root, name, place), place], { stdio: 'pipe' });
        const [stored, errors] = [[] as Millis[], [] as string[]];
        writer.stdout?.on('data', (chunk: Buffer) => {
          for (const line of chunk.toString().split('\n')) if (line !== '') stored.push(Number(line));
        });
        writer.stderr?.on('data', (chunk: Buffer) => errors.push(chunk.toString()));
        await eventually(() => expect(stored.length + errors.length).toBeGreaterThan(5));
        if (round === 2) await server.start(ready);
        await wait(500 + Math.random() * 3000);
        writer.kill('SIGKILL');
        await once(writer, 'exit');
        expect(errors).toEqual([]);
        for (const at of stored) owed.add(at);
      }
      const it = await open(place);
      await eventually(() => it.flush(), 40_000);
      const times = [...owed].sort((a, b) => a - b);
      const from = Math.floor(times[0]! / 100) * 100;
      const to = times.at(-1)! + 100;
      const query = { metrics: ['power_watts'] as const, devices: ['GPU-0'], from, to, points: (to - from) / 100 };
      const grid = await it.range({ ...query, points: Math.ceil(query.points) });
      const values = new Set(grid.series[0]?.max);
      expect(times.filter((at) => !values.has(at % 1e6))).toEqual([]);
      expect(it.status()).toMatchObject({ failure: null, droppedTicks: 0 });
    });
  });
}
