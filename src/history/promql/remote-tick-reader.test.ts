import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commandOf } from '../../../scripts/parts.ts';
import { TestServer } from '../../exporters/sinks/test-server.ts';
import { systemClock } from '../../model/clock.ts';
import type { TickReader } from '../../model/ports.ts';
import { ReadingSet } from '../../model/reading-set.ts';
import type { Tick } from '../../model/tick.ts';
import { openHistory } from '../history.ts';
import { KEEP_ALL } from '../retention.ts';
import { sampleDevice, sampleEvent, sampleTick } from '../sample-ticks.ts';
import { engineOf } from './note.ts';
import { openRemoteHistory } from './remote-history.ts';
import { openRemoteTickReader } from './remote-tick-reader.ts';
import { ENGINES, engineOptions } from './test-engines.ts';

const root = mkdtempSync(join(tmpdir(), 'gpulse-test-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const TICKS = 900;
/** Of the last quarter: the clock was set back by two minutes. */
const LATE_FROM = 700;

/** What is in a directory before an engine takes over, and what goes to the engine. */
function traceOf(end: number): Tick[] {
  const ticks: Tick[] = [];
  for (let i = 0; i < TICKS; i++) {
    const at = end - (TICKS - i) * 1000 - (i < LATE_FROM ? 0 : 120_000);
    const values = { power_watts: (i * 7919) / 1000, clock_event_reasons: i % 2 === 0 ? 5 : 0 };
    const tick = sampleTick(at, [values, i % 3 === 0 ? null : { energy_joules_total: i * 1e6 + 0.125 }]);
    ticks.push(i % 10 === 0 ? { ...tick, host: { readings: new ReadingSet(), cpuRatios: new Float64Array(0) } } : tick);
  }
  return ticks;
}

/** A tick as text: its time, and the values of each device. */
function linesOf(ticks: readonly Tick[]): readonly string[] {
  return ticks.map(({ at, devices }) => {
    const present = devices.filter(({ readings }) => readings.isReadable());
    return `${at} ${present.map(({ device, readings }) => `${device.uuid} ${textOf(readings)}`).join(' ')}`;
  });
}

function textOf({ values, codes }: ReadingSet): string {
  return [...values].filter((_, slot) => codes[slot] === 0).join(',');
}

async function linesIn(reader: TickReader, from: number, to: number): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const { at, samples } of reader.ticks(from, to)) {
    lines.push(`${at} ${samples.map(({ device, readings }) => `${device.uuid} ${textOf(readings)}`).join(' ')}`);
  }
  return lines;
}

for (const { name, ready, args } of ENGINES) {
  const command = commandOf(name);
  describe.skipIf(command === null)(`ticks read back from ${name}`, () => {
    let server: TestServer;
    beforeAll(async () => {
      server = await TestServer.start(command ?? '', args, ready);
    });
    afterAll(() => server.dispose());

    test('are those that were sampled, in their order, with those that were here before', {
      timeout: 90_000,
    }, async () => {
      const directory = join(root, name);
      const end = Math.floor(Date.now() / 2000) * 2000;
      const before = Array.from({ length: 5 }, (_, i) => sampleTick(end - 5e6 + i * 1000, [{ power_watts: 400 + i }]));
      const embedded = await openHistory({ directory, origin: 'live', clock: systemClock, retention: KEEP_ALL });
      for (const tick of before) embedded.accept(tick);
      await embedded.close();
      const trace = traceOf(end);
      const options = engineOptions(server.url, directory, 'node "1"');
      const history = await openRemoteHistory(options);
      for (const [i, tick] of trace.entries()) {
        history.accept(i === 50 ? { ...tick, events: [sampleEvent(tick.at, 'GPU-0')] } : tick);
      }
      await history.flush();
      const note = engineOf(directory)!;
      expect(note).toMatchObject({ url: server.url, identity: { host: 'node "1"' } });
      // What writes goes on.
      const { identity } = note;
      const reader = await openRemoteTickReader({
        directory,
        engine: options,
        identity,
        since: end - 2e6,
        clock: systemClock,
      });
      expect(reader.devices()).toEqual([sampleDevice(0), sampleDevice(1)]);
      expect(reader.extent()).toEqual({ from: before[0]?.at, to: expect.any(Number) });
      const all = await linesIn(reader, 0, end + 1e6);
      expect(all).toEqual(linesOf([...before, ...trace]));
      // The first pass goes on to LATE_FROM, the second begins two minutes before that.
      const [from, to] = [end - 400_000, end - 250_000];
      const within = trace.filter(({ at }) => at >= from && at < to);
      expect(within.length).toBeGreaterThan(150);
      expect(await linesIn(reader, from, to)).toEqual(linesOf(within));
      expect(await linesIn(reader, end + 1e6, end + 2e6)).toEqual([]);
      expect(await reader.metrics(end - 1e6, end)).toEqual(
        expect.arrayContaining(['power_watts', 'energy_joules_total', 'clock_event_reasons']),
      );
      expect(reader.events?.({ from: 0, to: end, limit: 9 })).toHaveLength(1);
      reader.close();
      await history.close();
      await server.kill();
      const opened = openRemoteTickReader({ directory, engine: options, identity, since: end, clock: systemClock });
      await expect(opened).rejects.toMatchObject({ code: 'HISTORY_ENGINE_UNANSWERED' });
    });
  });
}
