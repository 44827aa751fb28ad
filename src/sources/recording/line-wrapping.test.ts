import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decode, readingsOf } from './decode-text.ts';

const START = Date.UTC(2026, 0, 1, 8, 0, 0);
const iso = (second: number): string => new Date(START + second * 1000).toISOString();

/** What programs between a tool and a file put in front of a line that was written in this second. */
const WRAPPINGS: Readonly<Record<string, (line: string, second: number) => string>> = {
  'ts %F %T': (line, second) => `${iso(second).slice(0, 19).replace('T', ' ')} ${line}`,
  ts: (line, second) => `Jan 01 ${iso(second).slice(11, 19)} ${line}`,
  'ts %s': (line, second) => `${(START + second * 1000) / 1000} ${line}`,
  date: (line, second) => `[Thu Jan  1 ${iso(second).slice(11, 19)} UTC 2026] ${line}`,
  'kubectl logs --timestamps': (line, second) => `${iso(second).replace('.000Z', '.123456789Z')} ${line}`,
  'the file of a container in Kubernetes': (line, second) =>
    `${iso(second).replace('.000Z', '.123456789Z')} stdout F ${line}`,
  'the file of a container in Docker': (line, second) =>
    JSON.stringify({ log: `${line}\n`, stream: 'stdout', time: iso(second) }),
  'the journal': (line, second) => `Jan 01 ${iso(second).slice(11, 19)} node17 gpu-log[4242]: ${line}`,
  'the journal, short-iso': (line, second) => `${iso(second).slice(0, 19)}+0000 node17 nvidia-smi[4242]: ${line}`,
  'syslog of RFC 5424': (line, second) => `<30>1 ${iso(second)} node17 gpulog 42 - - ${line}`,
  'srun -l': (line) => `0: ${line}`,
  pdsh: (line) => `node17: ${line}`,
  'docker compose logs': (line) => `gpu-logger-1  | ${line}`,
  'kubectl logs --prefix': (line) => `[pod/gpu-logger-x7k2p/main] ${line}`,
  grep: (line) => `gpu.log:${line}`,
  'grep -n': (line, second) => `${second + 7}:${line}`,
  'grep -Hn': (line, second) => `logs/gpu.csv:${second + 95}:${line}`,
  'mpirun --tag-output': (line) => `[1,0]<stdout>:${line}`,
  torchrun: (line) => `[rank0]: ${line}`,
  'torchrun --tee': (line) => `[default0]:${line}`,
  Ray: (line) => `(raylet, ip=10.0.0.4) ${line}`,
  'an actor of Ray': (line) => `(GpuLogger pid=8822) ${line}`,
  'logging of Python': (line, second) => `${iso(second).slice(0, 19).replace('T', ' ')},123 - INFO - ${line}`,
  'logging of Python, with who wrote it': (line, second) =>
    `${iso(second).slice(0, 19).replace('T', ' ')},123 - gpu.monitor - INFO - ${line}`,
  'logging of Python, as it is': (line) => `INFO:root:${line}`,
  'logging in brackets': (line, second) => `[${iso(second).slice(0, 19).replace('T', ' ')}] [INFO] ${line}`,
  loguru: (line, second) => `${iso(second).slice(0, 19).replace('T', ' ')}.123 | INFO     | __main__:main:12 - ${line}`,
  'docker compose logs --timestamps': (line, second) =>
    `gpumon-1  | ${iso(second).replace('.000Z', '.123456789Z')} ${line}`,
  'kubectl logs --prefix --timestamps': (line, second) =>
    `[pod/gpu-logger-x7k2p/main] ${iso(second).replace('.000Z', '.123456789Z')} ${line}`,
  'the file of a container in Docker, written anew by Python': (line, second) =>
    `{"log": ${JSON.stringify(`${line}\n`)}, "stream": "stdout", "time": "${iso(second)}"}`,
  'the file of a container in Docker, its keys in another order': (line, second) =>
    JSON.stringify({ time: iso(second), stream: 'stdout', log: `${line}\n` }),
  'the file of a container in Kubernetes, in pieces': (line, second) =>
    ['P', 'P', 'F']
      .map((piece, at) => `${iso(second)} stdout ${piece} ${line.slice(9 * at, at === 2 ? undefined : 9 * at + 9)}`)
      .join('\n'),
  'cat -n': (line, second) => `${String(second + 1).padStart(6)}\t${line}`,
  'a quotation': (line) => `> ${line}`,
  'a block of Markdown': (line) => `    ${line}`,
};

const LOGS = join(import.meta.dirname, '../../../testdata/logs');
const CSV = ['timestamp, index, name, utilization.gpu [%], memory.used [MiB]'];
for (let second = 0; second < 12; second++) {
  CSV.push(`2026/01/01 08:00:${String(second).padStart(2, '0')}.000, 0, NVIDIA A30, ${second} %, ${100 + second} MiB`);
}

/** Kinds of logs by name, as lines. Those without times of their own take the times in front of their lines. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  csv: CSV,
  'csv without header': CSV.slice(1),
  dmon: readFileSync(join(LOGS, 'dmon/h100-590-dmon-load.txt'), 'utf8').trimEnd().split('\n'),
  table: readFileSync(join(LOGS, 'table/l40s-580.txt'), 'utf8').trimEnd().split('\n'),
  'rocm-smi': readFileSync(join(LOGS, 'rocm/rocm33-vram-na.txt'), 'utf8').trimEnd().split('\n'),
  '-q': readFileSync(join(LOGS, 'smi-q/a10-535-q.txt'), 'utf8').trimEnd().split('\n'),
};

describe.each(Object.entries(WRAPPINGS))('what %s puts in front of every line is no part of it', (_, wrap) => {
  test.each(Object.entries(KINDS))('of a log of kind %s', (_, lines) => {
    const plain = decode(`${lines.join('\n')}\n`);
    const wrapped = decode(`${lines.map(wrap).join('\n')}\n`);
    for (const metric of ['utilization_ratio', 'memory_used_bytes', 'temperature_celsius', 'power_watts'] as const) {
      expect(readingsOf(wrapped, metric)).toEqual(readingsOf(plain, metric));
    }
    expect(wrapped.devices.map(({ name }) => name)).toEqual(plain.devices.map(({ name }) => name));
    expect(wrapped.rows).toBe(plain.rows);
  });
});

test('a log without times has those that stand in front of its lines', () => {
  const rows = ['# gpu   pwr  gtemp     sm', '# Idx     W      C      %'];
  const stamped = rows.map((line) => WRAPPINGS['the journal']?.(line, 0));
  for (let second = 0; second < 3; second++) {
    for (const gpu of [0, 1])
      stamped.push(WRAPPINGS['the journal']?.(`    ${gpu}    ${50 + gpu}     40     ${second}`, 5 * second));
  }
  const log = decode(`${stamped.join('\n')}\n`);
  expect(log.ticks.map(({ at }) => at - START)).toEqual([0, 5000, 10_000]);
  expect(readingsOf(log, 'utilization_ratio')).toEqual([0, 0, 0.01, 0.01, 0.02, 0.02]);
});

describe('pieces of a line in the log of a container', () => {
  const stamp = `${iso(0).replace('.000Z', '.123456789Z')}`;
  const piece = (stream: string, kind: string, text: string): string => `${stamp} ${stream} ${kind} ${text}`;
  const rows = CSV.flatMap((line) => [
    piece('stdout', 'P', line.slice(0, 12)),
    piece('stderr', 'F', 'warning: slow'),
    piece('stdout', 'F', line.slice(12)),
  ]);

  test('of two streams are told apart', () => {
    const log = decode(`${rows.join('\n')}\n`);
    expect(readingsOf(log, 'utilization_ratio')).toEqual(
      readingsOf(decode(`${CSV.join('\n')}\n`), 'utilization_ratio'),
    );
    expect(log.skipped).toEqual({ 'stray-text': CSV.length });
  });

  test('without the last one are no row', () => {
    const log = decode(`${rows.slice(0, -1).join('\n')}\n`);
    expect(readingsOf(log, 'utilization_ratio')).toHaveLength(CSV.length - 2);
    expect(log.skipped).toEqual({ 'stray-text': CSV.length + 1 });
  });

  test('come from Docker without a line end', () => {
    const long = `${CSV[3]}${' '.repeat(20_000)}`;
    const record = (log: string): string => JSON.stringify({ log, stream: 'stdout', time: iso(0) });
    const lines = CSV.map((line) => record(`${line}\n`));
    lines.splice(3, 1, record(long.slice(0, 16_384)), record(`${long.slice(16_384)}\n`));
    const log = decode(`${lines.join('\n')}\n`);
    expect(log.rows).toBe(CSV.length - 1);
    expect(log.skipped).toEqual({});
  });
});

describe('a number and a colon in front of a line', () => {
  test('may be a time of day', () => {
    const rows = [8, 9, 10, 11].map((hour) => `${String(hour).padStart(2, '0')}:00:00, 0, NVIDIA A30, ${hour} %`);
    const log = decode(`time, index, name, utilization.gpu [%]\n${rows.join('\n')}\n`);
    expect(readingsOf(log, 'utilization_ratio')).toEqual([0.08, 0.09, 0.1, 0.11]);
    expect(decode(`${rows.join('\n')}\n`).skipped).toEqual({});
  });
});

describe('what is not known stands before the time of every row', () => {
  const plain = decode(`${CSV.join('\n')}\n`);
  test.each([
    ['a name', () => 'gpu monitor > '],
    ['a name with a time of its own', (at: number) => `trainer[17] (${iso(at).slice(11, 19)},500) => `],
  ])('%s', (_, front) => {
    const log = decode(`${CSV.map((line, at) => front(at) + line).join('\n')}\n`);
    expect(readingsOf(log, 'utilization_ratio')).toEqual(readingsOf(plain, 'utilization_ratio'));
    expect(log.ticks.map(({ at }) => at)).toEqual(plain.ticks.map(({ at }) => at));
    expect(log.devices).toHaveLength(1);
  });

  test('a cell of the record stays', () => {
    const rows = CSV.map((line) => line.replace(/^([^,]*), ([^,]*)/, '$2, $1'));
    const log = decode(`${rows.join('\n')}\n`);
    expect(log.devices.map(({ index, name }) => [index, name])).toEqual([[0, 'NVIDIA A30']]);
    expect(log.rows).toBe(12);
  });
});

test('a header with something in front of it that hides what it is is no GPU', () => {
  const [header = '', ...rows] = CSV;
  const lines = [`7:${header}`, ...rows.map((row, at) => `${(at * 7) % 5}:${row}`)];
  const log = decode(`${lines.join('\n')}\n`);
  expect(log.devices.map(({ name }) => name)).toEqual(['NVIDIA A30']);
  expect(readingsOf(log, 'utilization_ratio')).toHaveLength(12);
});

test('lines that nothing was put in front of, among others, are read or counted', () => {
  const lines = CSV.map((line, second) => (second === 5 ? line : WRAPPINGS['ts']?.(line, second)));
  lines.splice(7, 0, 'Connection to node17 closed.');
  const log = decode(`${lines.join('\n')}\n`);
  expect(log.rows).toBe(12);
  expect(log.skipped).toEqual({ 'stray-text': 1 });
});
