import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../exporters/sinks/test-server.ts';
import type { Millis } from '../../model/reading.ts';
import { START, sampleTick } from '../sample-ticks.ts';
import { openRemoteHistory, type RemoteHistory, type RemoteHistoryOptions } from './remote-history.ts';
import { ScriptedEngine } from './scripted-engine.ts';
import { engineOptions } from './test-engines.ts';

const root = mkdtempSync(join(tmpdir(), 'gpulse-test-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('delivery to an engine', () => {
  let engine: ScriptedEngine;
  let history: RemoteHistory;
  let second = 0;

  beforeEach(async () => {
    engine = await ScriptedEngine.start();
    second = 0;
  });
  afterEach(async () => {
    engine.answer = () => ({ status: 204 });
    await history.close();
    await engine.stop();
  });

  async function open(options: Partial<RemoteHistoryOptions> = {}): Promise<void> {
    const directory = mkdtempSync(join(root, 'history-'));
    history = await openRemoteHistory({ ...engineOptions(engine.url, directory, 'node'), random: () => 0, ...options });
  }

  /** Ticks of the next seconds, and their times. */
  function accept(count: number): readonly Millis[] {
    const times = Array.from({ length: count }, () => START + second++ * 1000);
    for (const at of times) history.accept(sampleTick(at, [{ power_watts: at % 700 }]));
    return times;
  }

  async function delivered(times: readonly Millis[]): Promise<void> {
    await eventually(() => expect(history.status().queue?.ticks).toBe(0));
    expect(engine.taken).toEqual(times);
    expect(history.status().failure).toBeNull();
  }

  test('an engine that is slow delays no tick, and is asked again with everything', async () => {
    await open({ timeoutMs: 1000 });
    engine.answer = () => ({ status: 204, delayMs: 3000 });
    const times: Millis[] = [];
    let slowest = 0;
    for (let i = 0; i < 60; i++) {
      const began = performance.now();
      times.push(...accept(1));
      slowest = Math.max(slowest, performance.now() - began);
      await wait(20);
    }
    expect(slowest).toBeLessThan(1000);
    await eventually(() => expect(history.status().failure?.code).toBe('HISTORY_ENGINE_DOWN'));
    expect(history.status().failure?.text('en')).toContain('no answer in time');
    expect(history.status().queue?.ticks).toBe(60);
    engine.answer = () => ({ status: 204 });
    await delivered(times);
    expect(history.status().droppedTicks).toBe(0);
  });

  test.each([401, 403, 404, 429, 500, 503])('after HTTP %i everything is sent again', async (status) => {
    await open();
    engine.answer = () => ({ status, text: 'not now' });
    const times = accept(5);
    await eventually(() => expect(history.status().failure?.text('en')).toContain(`HTTP ${status}: not now`));
    expect(history.status().queue).toMatchObject({ ticks: 5, failingSince: expect.any(Number) });
    expect(history.status().queue?.bytes).toBeGreaterThan(50);
    engine.answer = () => ({ status: 204 });
    await delivered(times);
    expect(history.status()).toMatchObject({ droppedTicks: 0, queue: { bytes: 0, failingSince: null } });
  });

  test('an engine that asks for patience gets it', async () => {
    await open();
    engine.answer = () => ({ status: 429, headers: { 'retry-after': '2' } });
    const times = accept(1);
    await eventually(() => expect(engine.asked).toHaveLength(1));
    const began = performance.now();
    engine.answer = () => ({ status: 204 });
    await delivered(times);
    expect(performance.now() - began).toBeGreaterThan(1500);
    expect(engine.asked).toHaveLength(2);
  });

  test('a tick that it does not want costs no other one, and is counted with the reason', async () => {
    await open();
    const bad = new Set([START + 3000, START + 17_000]);
    engine.answer = (ticks) =>
      ticks.some((at) => bad.has(at)) ? { status: 400, text: 'out of bounds' } : { status: 204 };
    const times = accept(20);
    await delivered(times.filter((at) => !bad.has(at)));
    const { droppedTicks, damage } = history.status();
    expect([droppedTicks, damage?.code]).toEqual([2, 'HISTORY_TICKS_REFUSED']);
    expect(damage?.text('en')).toMatch(/2 ticks.*HTTP 400: out of bounds/);
  });

  test('a request that is too large is sent in parts', async () => {
    await open();
    engine.answer = () => ({ status: 503 });
    const times = accept(100);
    await eventually(() => expect(history.status().failure).not.toBeNull());
    engine.answer = (ticks) => ({ status: ticks.length > 15 ? 413 : 204 });
    await delivered(times);
    expect(history.status().droppedTicks).toBe(0);
  });

  test('where an answer gets lost, the engine is asked what it has, and nothing is sent twice', async () => {
    await open();
    engine.answer = () => ({ status: 204, isLost: true });
    const times = accept(3);
    await eventually(() => expect(history.status().failure).not.toBeNull());
    engine.answer = () => ({ status: 204 });
    const more = accept(3);
    await delivered([...times, ...more]);
  });

  test('one that takes data and answers no questions gets everything all the same', { timeout: 60_000 }, async () => {
    await open();
    engine.isAnsweringQuestions = false;
    engine.answer = () => ({ status: 500 });
    const times = accept(3);
    await eventually(() => expect(history.status().failure).not.toBeNull());
    engine.answer = () => ({ status: 204 });
    await eventually(async () => {
      // Does not wait for the back-off.
      await history.flush().catch(() => {});
      expect(engine.taken).toEqual(times);
    }, 50_000);
  });

  test('a token that has been renewed is read before the next attempt', async () => {
    const file = join(root, 'token');
    writeFileSync(file, 'old\n');
    await open({ credentials: { kind: 'bearer', token: { file } } });
    engine.answer = () => ({ status: engine.logins.at(-1) === 'Bearer new' ? 204 : 401 });
    const times = accept(1);
    await eventually(() => expect(engine.logins).toContain('Bearer old'));
    writeFileSync(file, 'new\n');
    await delivered(times);
  });

  test('a token that cannot be read is a failure with its cause, and loses nothing', async () => {
    const file = join(root, 'no-token-yet');
    await open({ credentials: { kind: 'basic', username: 'me', password: { file } } });
    const times = accept(1);
    await eventually(() => expect(history.status().failure?.text('en')).toContain('ENOENT'));
    writeFileSync(file, 'secret');
    await delivered(times);
    expect(engine.logins.at(-1)).toBe(`Basic ${Buffer.from('me:secret').toString('base64')}`);
  });

  test('closing does not wait for an engine that is away', async () => {
    await open();
    engine.answer = () => ({ status: 204, delayMs: 60_000 });
    accept(3);
    await eventually(() => expect(engine.asked).toHaveLength(1));
    const began = performance.now();
    await history.close();
    expect(performance.now() - began).toBeLessThan(8000);
  });
});
