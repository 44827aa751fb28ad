import { describe, expect, test } from 'vitest';
import type { GpuProcess } from '../../../model/process.ts';
import { isPresent, type Reading } from '../../../model/reading.ts';
import { ANCHOR, decode } from '../decode-text.ts';

const MIB = 2 ** 20;

const HEAD = `# gpu         pid   type     sm    mem    enc    dec    jpg    ofa    command 
# Idx           #    C/G      %      %      %      %      %      %    name 
`;
const row = (gpu: number, pid: number, name = 'python') =>
  `    ${gpu}     ${pid}     C     40      3      -      0      -      -    ${name}   \n`;

const short = (reading: Reading | undefined) => (reading === undefined || !isPresent(reading) ? '-' : reading);

/** Per tick and GPU: pid, kind, use and name. */
function shown(log: string, text = (process: GpuProcess) => `${process.pid} ${process.name}`) {
  return decode(log).ticks.map(({ devices }) =>
    devices.map(({ device, processes }) =>
      'absent' in processes ? processes.absent : `${device.index}: ${processes.map(text).join(', ')}`,
    ),
  );
}

const use = ({ pid, kind, memoryBytes, smRatio, memoryRatio, encoderRatio, decoderRatio }: GpuProcess) =>
  [
    pid,
    kind,
    isPresent(memoryBytes) ? memoryBytes / MIB : memoryBytes.absent,
    ...[smRatio, memoryRatio, encoderRatio, decoderRatio].map(short),
  ].join(' ');

describe('columns', () => {
  test.each([
    [
      'before 550',
      '# gpu        pid  type    sm   mem   enc   dec   command\n    0       1234     C    40     3     5     6   python         \n',
      '1234 compute not-collected 0.4 0.03 0.05 0.06',
    ],
    [
      'with memory in front',
      '# gpu        pid  type    fb    sm   mem   enc   dec   command\n    0       1234     G  1635    40     3     -     -   Xorg         \n',
      '1234 graphics 1635 0.4 0.03 - -',
    ],
    [
      'memory only',
      '# gpu        pid  type    fb  ccpm   command\n    0       1234   C+G  1635     0   chrome\n',
      '1234 compute+graphics 1635 - - - -',
    ],
    [
      'memory not told',
      '# gpu        pid  type    fb   command\n    0       1234   C+G     -   dwm.exe\n',
      '1234 compute+graphics not-supported - - - -',
    ],
    [
      'a client of MPS',
      '# gpu        pid  type    sm   command\n    0       1234   M+C    12   a.out\n',
      '1234 compute not-collected 0.12 - - -',
    ],
    [
      'CSV',
      '# gpu, pid, type, sm, mem, enc, dec, command\n0, 1234, C, 40, 3, -, -, python\n',
      '1234 compute not-collected 0.4 0.03 - -',
    ],
  ])('%s', (_name, log, want) => {
    expect(shown(log, use)).toEqual([[`0: ${want}`]]);
  });

  test('names with blanks and commas', () => {
    expect(shown(HEAD + row(0, 1, 'NVIDIA Share.exe') + row(0, 2, 'a  b'))).toEqual([
      ['0: 1 NVIDIA Share.exe, 2 a  b'],
    ]);
    const csv = '# gpu, pid, type, sm, command\n0, 7, C, 5, a, b\n';
    expect(shown(csv)).toEqual([['0: 7 a, b']]);
  });

  test('a GPU on which nothing runs has an empty list', () => {
    const idle = '    1          -      -      -      -      -      -      -      -    -              \n';
    expect(shown(HEAD + row(0, 1) + idle)).toEqual([['0: 1 python', '1: ']]);
  });

  test('use above the whole is an error, not a use', () => {
    const log = '# gpu        pid  type    sm   command\n    0       1234     C   980   python\n';
    expect(decode(log).ticks[0]?.devices[0]).toMatchObject({ processes: [{ smRatio: { absent: 'error' } }] });
  });
});

describe('samples', () => {
  test('a process or GPU that comes again is of the next sample', () => {
    const log = HEAD + row(0, 1) + row(0, 2) + row(1, 1) + row(0, 1) + row(1, 1) + row(1, 3) + HEAD + row(0, 2);
    expect(shown(log)).toEqual([
      ['0: 1 python, 2 python', '1: 1 python'],
      ['0: 1 python', '1: 1 python, 3 python'],
      ['0: 2 python'],
    ]);
    expect(decode(log)).toMatchObject({ rows: 7 });
    expect(decode(log).ticks.map(({ at }) => at - ANCHOR)).toEqual([0, 1000, 2000]);
  });

  test('with date and time, one process after the other', () => {
    const log = `#Date       Time        gpu        pid  type    sm   command
#YYYYMMDD   HH:MM:SS    Idx          #   C/G     %   name
 20240611   15:03:10      0       1111     C    40   python
 20240611   15:03:11      0       2222     C    40   python
 20240611   15:03:12      0       2222     C    40   python
 20240611   15:03:12      1       3333     C    40   python
`;
    expect(shown(log)).toEqual([['0: 1111 python'], ['0: 2222 python'], ['0: 2222 python', '1: 3333 python']]);
    expect(decode(log).ticks[1]?.at).toBe(Date.UTC(2024, 5, 11, 15, 3, 11));
  });

  test('a file that ends within a sample does not show processes as ended', () => {
    const log = HEAD + row(0, 1) + row(0, 2) + row(0, 1) + row(0, 2);
    expect(shown(log.slice(0, -3))).toEqual([['0: 1 python, 2 python']]);
    expect(decode(log.slice(0, -3)).skipped).toEqual({ truncated: 2 });
    expect(shown(log)).toHaveLength(2);
  });

  test.each([
    ['line ends of Windows', (log: string) => log.replaceAll('\n', '\r\n')],
    ['other lines', (log: string) => log.replaceAll('\n', '\nloss 0.25 after 3 epochs\n')],
  ])('%s', (_name, change) => {
    expect(shown(change(HEAD + row(0, 1) + row(1, 2)))).toEqual([['0: 1 python', '1: 2 python']]);
  });
});
