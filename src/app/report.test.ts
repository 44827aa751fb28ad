import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reportJson } from '../diagnosis/report/json.ts';
import { reportText } from '../diagnosis/report/text.ts';
import { systemClock } from '../model/clock.ts';
import { AppError } from '../model/errors.ts';
import { NAMED_STATES } from '../model/finding.ts';
import { diagnoseRecording } from './report.ts';

const LOGS = resolve(import.meta.dirname, '../../testdata/logs');

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gpulse-report-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, lines: readonly string[]): string {
  const path = join(folder, name);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

const read = (path: string) => diagnoseRecording({ path, timeZone: 'UTC', clock: systemClock });

test('a CSV log of a starved job, from the file to the verdict', async () => {
  const rows = Array.from({ length: 600 }, (_, second) => {
    const time = new Date(Date.UTC(2026, 0, 5, 8, 0, second))
      .toISOString()
      .replace('T', ' ')
      .slice(0, 19)
      .replaceAll('-', '/');
    const util = second % 8 < 4 ? 93 + (second % 5) : 0;
    return [0, 1]
      .map((gpu) => `${time}, ${gpu}, ${util} %, 30000 MiB, 81559 MiB, ${util > 0 ? 520 : 90}.00 W`)
      .join('\n');
  });
  const diagnosis = await read(
    write('starved.csv', [
      'timestamp, index, utilization.gpu [%], memory.used [MiB], memory.total [MiB], power.draw [W]',
      ...rows,
    ]),
  );
  expect(reportJson(diagnosis, 'en')).toMatchObject({
    source: {
      format: 'csv',
      rows: 1200,
      skippedRows: 0,
      gpus: 2,
      from: Date.UTC(2026, 0, 5, 8),
      to: Date.UTC(2026, 0, 5, 8, 9, 59),
    },
  });
  expect(diagnosis.findings[0]).toMatchObject({
    rule: 'data-starvation',
    state: 'likely',
    missing: ['host_cpu_ratio', 'host_iowait_ratio'],
  });
});

test('a training log, which has no readings at all', async () => {
  const path = write(
    'train.log',
    Array.from(
      { length: 80 },
      (_, i) => `Epoch: [0][${i}/100]\tTime 1.0${i % 9} (1.0)\tData 0.8${i % 9} (0.8)\tLoss 2.3`,
    ),
  );
  const diagnosis = await read(path);
  expect(diagnosis.findings[0]).toMatchObject({ rule: 'data-starvation', state: 'likely' });
  expect(reportJson(diagnosis, 'en')).toMatchObject({
    source: { format: 'training-log', rows: 0, gpus: 0, from: null, to: null },
  });
});

test('a file that is no log of any kind is refused with what can be read', async () => {
  await expect(read(write('notes.txt', ['hello', 'world']))).rejects.toMatchObject({
    code: 'RECORDING_NOT_RECOGNISED',
  });
});

function logsIn(place: string): string[] {
  return readdirSync(place).flatMap((name) => {
    const path = join(place, name);
    if (statSync(path).isDirectory()) return logsIn(path);
    return /\.(json|md)$/.test(name) && place === LOGS ? [] : [path];
  });
}

describe('recorded logs of many tools', () => {
  test.each(logsIn(LOGS).map((path) => relative(LOGS, path)))('%s', async (name) => {
    let text = '';
    try {
      const diagnosis = await read(join(LOGS, name));
      text = reportText(diagnosis, 'en', false) + reportText(diagnosis, 'zh', false);
      const named = diagnosis.findings.filter(({ state, layer }) => NAMED_STATES.includes(state) && layer === 'health');
      // What a log of readings alone states as a fault of the hardware must be stated in it.
      for (const { evidence } of named) expect(evidence.length).toBeGreaterThan(0);
    } catch (error) {
      expect(error).toBeInstanceOf(AppError);
    }
    expect(text).not.toMatch(/undefined|NaN|\{\w+\}|Infinity/);
  });
});
