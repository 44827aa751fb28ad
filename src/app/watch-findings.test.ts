import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Diagnosis } from '../diagnosis/diagnosis.ts';
import { headlineOf } from '../diagnosis/headline.ts';
import { noise } from '../diagnosis/test-ticks.ts';
import type { ApiFindings } from '../model/api-finding.ts';
import { systemClock } from '../model/clock.ts';
import { type Finding, NAMED_STATES } from '../model/finding.ts';
import { diagnoseRecording } from './report.ts';
import { diagnoseHistory } from './report-history.ts';
import { diagnoseServer } from './report-server.ts';
import { type App, startApp } from './serve.ts';

const MINUTES = 30;
const START = Date.UTC(2026, 0, 5, 8);
const ALL = { from: 'all', to: 'all' };

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gpulse-findings-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

interface Row {
  readonly util: number;
  readonly memory?: number;
  readonly celsius?: number;
  readonly clock?: number;
  readonly reasons?: number;
}

/** What the driver's tool would have written about two GPUs; null for a GPU that is not listed. */
function log(name: string, row: (gpu: number, second: number) => Row | null): string {
  const lines = [
    'timestamp, uuid, index, name, utilization.gpu [%], memory.used [MiB], memory.total [MiB], power.draw [W], power.limit [W], temperature.gpu, clocks.current.sm [MHz], clocks_event_reasons.active',
  ];
  for (let second = 0; second < 60 * MINUTES; second++) {
    const time = new Date(START + second * 1000).toISOString().replace('T', ' ').slice(0, 23).replaceAll('-', '/');
    for (const gpu of [0, 1]) {
      const one = row(gpu, second);
      if (one === null) continue;
      const { util, memory = 40_000, celsius = 60, clock = 1980, reasons = 0 } = one;
      lines.push(
        `${time}, GPU-00000000-0000-0000-0000-00000000000${gpu}, ${gpu}, NVIDIA H100 80GB HBM3, ${util} %, ${memory} MiB, 81559 MiB, ${(80 + 5.2 * util).toFixed(2)} W, 700.00 W, ${celsius}, ${clock} MHz, 0x${reasons.toString(16).padStart(16, '0')}`,
      );
    }
  }
  const path = join(folder, `${name}.csv`);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

const steady = (second: number): number => 94 + ((second * 7) % 5);

const CASES: Readonly<Record<string, (gpu: number, second: number) => Row | null>> = {
  healthy: (_, second) => ({ util: steady(second) }),
  // Bursts of chance: little busy, and nobody knows why.
  torn: (_, second) => ({ util: noise(3, Math.floor(second / 5)) < 0.3 ? steady(second) : 0 }),
  starved: (_, second) => ({ util: second % 9 < 5 ? steady(second) : 0 }),
  hot: (gpu, second) =>
    gpu === 0 && second > 600
      ? { util: steady(second), celsius: 88, clock: 1500, reasons: 0x20 }
      : { util: steady(second) },
  leaking: (_, second) => ({ util: steady(second), memory: 20_000 + 20 * second }),
  lost: (gpu, second) => (gpu === 1 && second > 1200 ? null : { util: steady(second) }),
};

/** What a report says of the causes that it names. */
function verdict(findings: readonly Pick<Finding, 'rule' | 'state' | 'gpus' | 'severity'>[]): string[] {
  return findings
    .filter(({ state }) => NAMED_STATES.includes(state))
    .map(({ rule, state, severity, gpus }) => `${rule} ${state} ${severity} ${[...gpus].sort().join(',')}`)
    .sort();
}

async function play(path: string, data: string): Promise<App> {
  const config = {
    ...{ host: '127.0.0.1', port: 0, basePath: '', allowAnonymous: false, allowedHosts: [] },
    ...{ data, keep: null, intervalMs: 1000, source: `replay:${path}`, speed: Number.POSITIVE_INFINITY },
    ...{ nvmlLibrary: null, timeZone: 'UTC', demoWithoutGpu: false },
  };
  return startApp(config, systemClock);
}

/** The findings of a server once it has looked at the end of what it plays. */
async function foundBy(app: App): Promise<ApiFindings> {
  const last = START + (60 * MINUTES - 1) * 1000;
  for (;;) {
    const response = await fetch(new URL('api/v1/findings?lang=en', app.url));
    const found = (await response.json()) as ApiFindings;
    if (found.to !== null && found.to >= last) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

describe('the same log gives the same verdict', { timeout: 60_000 }, () => {
  test.each(Object.keys(CASES))('%s: as a file, live, from the server and from its directory', async (name) => {
    const path = log(name, CASES[name]!);
    const data = join(folder, `data-${name}`);
    const report: Diagnosis = await diagnoseRecording({ path, timeZone: 'UTC', clock: systemClock });
    const wanted = verdict(report.findings);
    const app = await play(path, data);
    try {
      const live = await foundBy(app);
      expect(verdict(live.findings)).toEqual(wanted);
      if (name === 'torn') expect(live.headline).toContain('the GPUs were little busy');
      expect(live.headline).toBe(headlineOf(report.findings, report.window.length)?.en ?? null);
      const asked = await diagnoseServer(new URL(app.url), ALL, { lang: 'en' });
      expect(verdict(asked.findings)).toEqual(wanted);
      const stored = await diagnoseHistory(data, ALL, { clock: systemClock, lang: 'en' });
      expect(verdict(stored.findings)).toEqual(wanted);
    } finally {
      await app.close();
    }
    expect(wanted.length).toBe(name === 'healthy' || name === 'torn' ? 0 : 1);
  });
});

test.each(Object.keys(CASES))('%s: with other units the verdict is the same', async (name) => {
  const path = log(name, CASES[name]!);
  const other = join(folder, `${name}-plain.csv`);
  // As written with --format=csv,nounits.
  writeFileSync(other, readFileSync(path, 'utf8').replaceAll(/ (?:%|MiB|W|MHz)(?=[,\n])/g, ''));
  const read = (file: string) => diagnoseRecording({ path: file, timeZone: 'UTC', clock: systemClock });
  expect(verdict((await read(other)).findings)).toEqual(verdict((await read(path)).findings));
});

test('a time in which nothing was recorded is said to be empty', async () => {
  const path = log('short', CASES['healthy']!);
  const within = { from: 0, to: 1000 };
  const ask = diagnoseRecording({ path, timeZone: 'UTC', clock: systemClock, within });
  await expect(ask).rejects.toMatchObject({ code: 'NOTHING_RECORDED' });
  const half = { from: START, to: START + 600_000 };
  const { window } = await diagnoseRecording({ path, timeZone: 'UTC', clock: systemClock, within: half });
  expect([window.from, window.to]).toEqual([START, START + 599_000]);
});
