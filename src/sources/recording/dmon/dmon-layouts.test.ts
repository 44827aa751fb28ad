import { describe, expect, test } from 'vitest';
import type { MetricId } from '../../../model/catalogue.ts';
import { ANCHOR, decode, readingsOf, shapeOf } from '../decode-text.ts';

const MIB = 2 ** 20;
const T0 = Date.UTC(2024, 5, 11, 15, 3, 10);

const HEAD = `# gpu   pwr  gtemp  mtemp     sm    mem    enc    dec   mclk   pclk
# Idx     W      C      C      %      %      %      %    MHz    MHz
`;
const row = (gpu: number, watts: number) =>
  `    ${gpu}    ${watts}     45      -      7      3    100      0   7500   2055\n`;

/** Per tick the values of a metric. */
function values(log: string, id: MetricId = 'power_watts') {
  const { ticks } = decode(log);
  return ticks.map((tick) => readingsOf({ ticks: [tick] }, id));
}

describe('columns', () => {
  test.each([
    ['what it prints by itself', '', 'power_watts', 97],
    ['the old temperature', '# gpu   pwr  temp\n# Idx     W     C\n    0    97    45\n', 'temperature_celsius', 45],
    [
      'memory',
      '# gpu    fb  bar1   ccpm\n# Idx    MB    MB     MB\n    0 20328     5      0\n',
      'memory_used_bytes',
      20328 * MIB,
    ],
    [
      'BAR1',
      '# gpu    fb  bar1   ccpm\n# Idx    MB    MB     MB\n    0 20328     5      0\n',
      'bar1_used_bytes',
      5 * MIB,
    ],
    ['traffic', '# gpu rxpci txpci\n# Idx  MB/s  MB/s\n    0   422    42\n', 'pcie_rx_bytes_per_second', 422e6],
    [
      'errors',
      '# gpu sbecc dbecc   pci\n# Idx  errs  errs  errs\n    0     4     -     2\n',
      'ecc_corrected_aggregate_total',
      4,
    ],
    ['replays', '# gpu sbecc dbecc   pci\n# Idx  errs  errs  errs\n    0     4     -     2\n', 'pcie_replay_total', 2],
    [
      'new engines',
      '# gpu    sm   mem   enc   dec   jpg   ofa\n# Idx     %     %     %     %     %     %\n    0     1     2     3     4     5     6\n',
      'ofa_utilization_ratio',
      0.06,
    ],
    ['any order', '#  sm gpu\n#   % Idx\n   55   0\n', 'utilization_ratio', 0.55],
    ['marks escaped in an issue', '\\# gpu   pwr\n\\# Idx     W\n    0    97\n', 'power_watts', 97],
    ['CSV', '# gpu, pwr, gtemp, mtemp, sm\n# Idx, W, C, C, %\n0, 97, 45, -, 7\n', 'power_watts', 97],
    ['CSV without units', '#gpu, pwr, gtemp, mtemp, sm\n0, 97, 45, -, 7\n', 'utilization_ratio', 0.07],
    ['activity', '# gpu  gract  smocc\n# Idx  GPM:%  GPM:%\n    0   98.5   61.2\n', 'sm_occupancy_ratio', 0.612],
  ] as const)('%s', (_name, log, id, want) => {
    expect(values(log === '' ? HEAD + row(0, 97) : log, id)).toEqual([[want]]);
  });

  test('a dash is something the card does not report, or the first difference of two samples', () => {
    expect(values(HEAD + row(0, 97), 'memory_temperature_celsius')).toEqual([['not-supported']]);
    const first = '# gpu  gract\n# Idx  GPM:%\n    0      -\n    0     12\n';
    expect(values(first, 'graphics_engine_active_ratio')).toEqual([['not-collected'], [0.12]]);
  });

  test('columns without a metric are named', () => {
    const { notices } = decode('# gpu   pwr pviol tviol nonsense\n    0    97     0     0        1\n');
    expect(notices).toContainEqual({
      key: 'notice.columns-without-metric',
      params: { columns: 'nonsense' },
    });
  });

  test('another header in between changes the columns', () => {
    const log = `${HEAD}${row(0, 97)}# gpu    sm   pwr\n# Idx     %     W\n    0     7    98\n`;
    expect(values(log)).toEqual([[97], [98]]);
    expect(values(log, 'memory_clock_hertz')).toEqual([[7.5e9], ['not-collected']]);
  });

  test('values that cannot be', () => {
    expect(values('# gpu    sm   pwr\n    0   101    x9\n', 'utilization_ratio')).toEqual([['error']]);
    expect(decode('# gpu    sm   pwr\n    0   101    x9\n').faults).toEqual({
      'impossible-values': 1,
      'unreadable-cells': 1,
    });
  });

  test('rows of MIG instances are not those of their card', () => {
    const log = '# gpu   mig    sm\n# Idx   Idx     %\n    0     -     5\n    0     0    50\n    0     1    60\n';
    expect(decode(log)).toMatchObject({ rows: 1, skipped: { 'unknown-device': 2 } });
  });
});

describe('samples', () => {
  test('a GPU that comes again, or one before it, is of the next sample', () => {
    const log = HEAD + row(0, 1) + row(1, 2) + row(0, 3) + row(1, 4) + row(1, 5) + row(0, 6);
    expect(values(log)).toEqual([[1, 2], [3, 4], [5], [6]]);
    expect(decode(log).ticks.map(({ at }) => at - ANCHOR)).toEqual([0, 1000, 2000, 3000]);
    expect(decode(log).notices.map(({ key }) => key)).toContain('notice.times-assumed');
  });

  test('headers are repeated in the midst of a sample', () => {
    expect(values(HEAD + row(0, 1) + HEAD + row(1, 2) + row(0, 3))).toEqual([[1, 2], [3]]);
  });

  const dated = (second: number, gpu: number, watts: number) =>
    ` 20240611   15:03:${second}      ${gpu}    ${watts}    35     -     0     0     0     0  4006  1506\n`;
  const DATED = `#Date       Time        gpu   pwr gtemp mtemp    sm   mem   enc   dec  mclk  pclk
#YYYYMMDD   HH:MM:SS    Idx     W     C     C     %     %     %     %   MHz   MHz
`;

  test('with date and time', () => {
    const log = DATED + dated(10, 0, 1) + dated(11, 1, 2) + dated(15, 0, 3) + dated(15, 1, 4) + dated(25, 1, 5);
    expect(values(log)).toEqual([[1, 2], [3, 4], [5]]);
    expect(decode(log).ticks.map(({ at }) => at - T0)).toEqual([0, 5000, 15_000]);
    expect(decode(log).notices.map(({ key }) => key)).toEqual(['notice.times-local']);
    expect(decode(log, { zone: 'Asia/Shanghai' }).ticks[0]?.at).toBe(T0 - 8 * 3_600_000);
  });

  test('with a time only: the day is that on which the log began, and midnight passes', () => {
    const log = `#Time        gpu   pwr
#HH:MM:SS    Idx     W
 23:59:58      0    10
 23:59:59      0    11
 00:00:00      0    12
`;
    const { ticks, notices } = decode(log);
    expect(ticks.map(({ at }) => at - ANCHOR)).toEqual([86_398_000, 86_399_000, 86_400_000]);
    expect(notices).toContainEqual({ key: 'notice.date-assumed', params: { date: '2026-01-01' } });
  });

  test('a monitor that was started again', () => {
    const rows = (hour: number) =>
      [0, 1, 2].map((second) => ` 20240611   ${hour}:03:1${second}      0    97\n`).join('');
    const head = '#Date       Time        gpu   pwr\n';
    expect(decode(head + rows(10) + head + rows(11)).restarts).toBe(1);
    expect(decode(head + rows(10) + head).restarts).toBe(0);
  });
});

describe('in the midst of other things', () => {
  const CLEAN = HEAD + row(0, 97) + row(1, 98) + row(0, 99) + row(1, 100);
  const WANT = [
    [97, 98],
    [99, 100],
  ];

  test.each([
    ['line ends of Windows', (log: string) => log.replaceAll('\n', '\r\n')],
    ['other lines', (log: string) => log.replaceAll('\n', '\nloading data 3 of 5\n')],
    ['blank lines', (log: string) => log.replaceAll('\n', '\n\n')],
    ['text before', (log: string) => `Sampling every second\n${log}`],
  ])('%s', (_name, change) => {
    expect(values(change(CLEAN))).toEqual(WANT);
  });

  test('a list of the cards gives them names and UUIDs', () => {
    const list = `GPU 0: NVIDIA A10 (UUID: GPU-aaaa0001-0000-4000-8000-000000000001)
GPU 1: NVIDIA A10 (UUID: GPU-aaaa0002-0000-4000-8000-000000000001)
`;
    const decoded = decode(list + CLEAN);
    expect(shapeOf(decoded)[0]).toBe(
      'GPU-aaaa0001-0000-4000-8000-000000000001 GPU-aaaa0002-0000-4000-8000-000000000001',
    );
    expect(decoded.devices.map(({ name }) => name)).toEqual(['NVIDIA A10', 'NVIDIA A10']);
    const after = decode(HEAD + row(0, 1) + row(0, 2) + list + row(0, 3));
    expect(after.devices.filter(({ index }) => index === 0)).toHaveLength(1);
    expect(shapeOf(after)).toEqual(['log-0', 'log-0', 'log-0']);
  });

  test('the table in front of it gives them names and places', () => {
    const table = '|   1  NVIDIA A10          On   | 00000000:07:00.0 Off |                    0 |\n';
    expect(decode(table + CLEAN).devices).toMatchObject([
      { index: 0, uuid: 'log-0', name: 'NVIDIA GPU' },
      { index: 1, uuid: 'log-00000000:07:00.0', name: 'NVIDIA A10', pciBusId: '00000000:07:00.0' },
    ]);
  });

  test('CSV of a script with a mark in front of its header is CSV', () => {
    const log = '# timestamp, gpu, util, mem\n2026/01/01 00:00:00.000, 0, 5 %, 10\n';
    expect(decode(log).notices.map(({ key }) => key)).not.toContain('notice.columns-without-metric');
  });

  test('rows with other than the right number of cells are counted', () => {
    const torn = `${HEAD}${row(0, 97)}    0    98     45\n${row(0, 99)}    0    10`;
    expect(values(torn)).toEqual([[97], [99]]);
    expect(decode(torn).skipped).toEqual({ 'wrong-columns': 1, truncated: 1 });
  });

  test('the last cell of a file that does not end with a line end is left out', () => {
    const cut = (HEAD + row(0, 97)).slice(0, -2);
    expect(values(cut, 'sm_clock_hertz')).toEqual([['not-collected']]);
    expect(decode(cut).faults).toEqual({ 'cut-cells': 1 });
  });
});

describe('what held the clocks down', () => {
  const HEADER = '# gpu    pwr  pviol  tviol\n# Idx      W      %   bool\n';
  const seconds = (log: string) => {
    const decoded = decode(log);
    return [
      readingsOf(decoded, 'clock_event_power_cap_seconds_total'),
      readingsOf(decoded, 'clock_event_thermal_seconds_total'),
      decoded.notices.filter(({ key }) => key === 'notice.columns-without-metric'),
    ];
  };

  test('is added up to seconds, a second for each sample without a time', () => {
    const rows = ['50 1', '50 0', '25 1', '0 1'].map((cells) => `    0     72     ${cells.replace(' ', '      ')}`);
    expect(seconds(`${HEADER}${rows.join('\n')}\n`)).toEqual([[0, 0.5, 0.75, 0.75], [0, 0, 1, 2], []]);
  });

  test('is added up by the times of the samples, and not over a pause, for every GPU', () => {
    const header = '#Date       Time        gpu   pviol  tviol\n#YYYYMMDD   HH:MM:SS    Idx       %   bool\n';
    const rows = ['00', '05', '10', '59'].flatMap((second) => [
      ` 20260312   01:00:${second}      0     100      0`,
      ` 20260312   01:00:${second}      1       0      1`,
    ]);
    const [power, thermal] = seconds(`${header}${rows.join('\n')}\n`);
    expect(power).toEqual([0, 0, 5, 0, 10, 0, 17.5, 0]);
    expect(thermal).toEqual([0, 0, 0, 5, 0, 10, 0, 17.5]);
  });

  test('is not supported where `-` stands, and an error where it is no share', () => {
    expect(seconds(`${HEADER}    0     72      -      -\n`).slice(0, 2)).toEqual([
      ['not-supported'],
      ['not-supported'],
    ]);
    expect(seconds(`${HEADER}    0     72    400      7\n`).slice(0, 2)).toEqual([['error'], ['error']]);
  });
});
