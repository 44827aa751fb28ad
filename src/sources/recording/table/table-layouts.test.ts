import { describe, expect, test } from 'vitest';
import { type MetricId, metric } from '../../../model/catalogue.ts';
import type { DeviceSample } from '../../../model/tick.ts';
import { decode, shapeOf } from '../decode-text.ts';

const MIB = 2 ** 20;

const SHORT: readonly (readonly [MetricId, number])[] = [
  ['fan_speed_ratio', 0.01],
  ['temperature_celsius', 1],
  ['performance_state', 1],
  ['power_watts', 1],
  ['power_limit_watts', 1],
  ['memory_used_bytes', MIB],
  ['memory_total_bytes', MIB],
  ['utilization_ratio', 0.01],
  ['ecc_uncorrected_volatile_total', 1],
];

/** Fan, temperature, state, power, limit, used, total, utilisation and errors as the table shows them. */
function short({ readings }: DeviceSample): string {
  const text = ([id, unit]: readonly [MetricId, number]) => {
    const reading = readings.get(id);
    return typeof reading === 'number' ? String(Math.round((reading / unit) * 100) / 100) : reading.absent;
  };
  return SHORT.map(text).join(' ');
}

function pids({ processes }: DeviceSample): string {
  return 'absent' in processes
    ? processes.absent
    : processes
        .map(({ pid, kind, name, memoryBytes }) => {
          const memory = typeof memoryBytes === 'number' ? memoryBytes / MIB : memoryBytes.absent;
          return `${pid} ${kind} ${name} ${memory}`;
        })
        .join(', ');
}

/** One line per device: who it is, its readings, its processes. */
function shown(log: string): string[] {
  const { ticks } = decode(log);
  return ticks.flatMap(({ devices }) =>
    devices.map((sample) => {
      const { device, state } = sample;
      return [`${device.index} ${device.name}`, state === 'ok' ? short(sample) : state, pids(sample)].join(' | ');
    }),
  );
}

/** A table of the years from 2019 on, of 79 columns, with the rows that differ. */
function narrow(rows: string, processes = ''): string {
  return `Wed Feb  5 14:07:58 2025       
+-----------------------------------------------------------------------------+
| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |
|-------------------------------+----------------------+----------------------+
| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |
| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |
|                               |                      |               MIG M. |
|===============================+======================+======================|
${rows}
+-------------------------------+----------------------+----------------------+
${processes}`;
}

const BOX = (rows: string) => `
+-----------------------------------------------------------------------------+
| Processes:                                                                  |
|  GPU   GI   CI        PID   Type   Process name                  GPU Memory |
|        ID   ID                                                   Usage      |
|=============================================================================|
${rows}
+-----------------------------------------------------------------------------+
`;

describe('tables of other years and other cards', () => {
  test('304 of 2012: memory in per cent and MB, no mode, processes without a type', () => {
    const log = `Tue Jan 15 12:00:00 2013       
+------------------------------------------------------+                       
| NVIDIA-SMI 4.304.54   Driver Version: 304.54         |                       
|-------------------------------+----------------------+----------------------+
| GPU  Name                     | Bus-Id        Disp.  | Volatile Uncorr. ECC |
| Fan  Temp  Perf  Pwr:Usage/Cap| Memory-Usage         | GPU-Util  Compute M. |
|===============================+======================+======================|
|   0  Tesla K20m               | 0000:02:00.0     Off |                    0 |
| N/A   32C    P0    50W / 225W |   0%   11MB / 4799MB |      0%      Default |
+-------------------------------+----------------------+----------------------+
|   1  GeForce GTX 680          | 0000:03:00.0     N/A |                  N/A |
| 30%   33C  N/A     N/A /  N/A |   2%   45MB / 2047MB |     N/A      Default |
+-------------------------------+----------------------+----------------------+
                                                                               
+-----------------------------------------------------------------------------+
| Compute processes:                                               GPU Memory |
|  GPU       PID  Process name                                     Usage      |
|=============================================================================|
|    0     12345  ./a.out                                               56MB  |
|    1            Not Supported                                               |
+-----------------------------------------------------------------------------+
`;
    expect(shown(log)).toEqual([
      '0 Tesla K20m | not-supported 32 0 50 225 11 4799 0 0 | 12345 compute a.out 56',
      '1 GeForce GTX 680 | 30 33 not-supported not-supported not-supported 45 2047 not-supported not-supported | not-supported',
    ]);
    expect(decode(log).devices[0]).toMatchObject({ driverVersion: '304.54', pciBusId: '00000000:02:00.0' });
  });

  test('331: nothing runs', () => {
    const log = `+------------------------------------------------------+                       
| NVIDIA-SMI 331.62     Driver Version: 331.62         |                       
|-------------------------------+----------------------+----------------------+
| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |
| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |
|===============================+======================+======================|
|   0  Tesla M2090         On   | 0000:09:00.0     Off |                    2 |
| N/A   N/A    P12    29W / 225W |     10MiB /  5375MiB |      0%   E. Process |
+-------------------------------+----------------------+----------------------+

+-----------------------------------------------------------------------------+
| Compute processes:                                               GPU Memory |
|  GPU       PID  Process name                                     Usage      |
|=============================================================================|
|  No running compute processes found                                         |
+-----------------------------------------------------------------------------+
`;
    expect(shown(log)).toEqual(['0 Tesla M2090 | not-supported not-supported 12 29 225 10 5375 0 2 | ']);
    expect(decode(log).ticks[0]?.devices[0]?.readings.get('compute_mode')).toBe(3);
  });

  test('418 on a laptop', () => {
    const log = narrow(
      `|   0  GeForce MX150       Off  | 00000000:01:00.0 Off |                  N/A |
| N/A   47C    P0    N/A /  N/A |     18MiB /  2002MiB |      3%      Default |`,
      BOX('|    0   N/A  N/A      1467      G   /usr/lib/xorg/Xorg                  4MiB |'),
    );
    expect(shown(log)).toEqual([
      '0 GeForce MX150 | not-supported 47 0 not-supported not-supported 18 2002 3 not-supported | 1467 graphics Xorg 4',
    ]);
  });

  test('450 with MIG on one of two cards', () => {
    const log = narrow(
      `|   0  A100-SXM4-40GB      Off  | 00000000:36:00.0 Off |                    0 |
| N/A   29C    P0    62W / 400W |      0MiB / 40537MiB |      6%      Default |
|                               |                      |             Disabled |
+-------------------------------+----------------------+----------------------+
|   1  A100-SXM4-40GB      Off  | 00000000:41:00.0 Off |                   On |
| N/A   31C    P0    50W / 400W |     13MiB / 40537MiB |     N/A      Default |
|                               |                      |             Enabled* |`,
      `
+-----------------------------------------------------------------------------+
| MIG devices:                                                                |
+------------------+----------------------+-----------+-----------------------+
| GPU  GI  CI  MIG |         Memory-Usage |        Vol|         Shared        |
|      ID  ID  Dev |           BAR1-Usage | SM     Unc| CE  ENC  DEC  OFA  JPG|
|                  |                      |        ECC|                       |
|==================+======================+===========+=======================|
|  1    1   0   0  |     11MiB / 20224MiB | 42      3 |  3   0    2    0    0 |
|                  |      0MiB / 32767MiB |           |                       |
+------------------+----------------------+-----------+-----------------------+
|  1    2   0   1  |     11MiB / 20096MiB | 42    N/A |  3   0    2    0    0 |
|                  |      0MiB / 32767MiB |           |                       |
+------------------+----------------------+-----------+-----------------------+
${BOX('|    1    2    0      31211      C   ./nbody                           2011MiB |')}`,
    );
    expect(shown(log)).toEqual([
      '0 A100-SXM4-40GB | not-supported 29 0 62 400 0 40537 6 0 | ',
      '1 A100-SXM4-40GB | not-supported 31 0 50 400 13 40537 mig mig | 31211 compute nbody 2011',
      `1 A100-SXM4-40GB MIG | ${'not-collected '.repeat(5)}11 20224 not-collected not-collected | `,
      '1 A100-SXM4-40GB MIG | ' +
        'not-collected '.repeat(5) +
        '11 20096 not-collected not-collected | 31211 compute nbody 2011',
    ]);
    const errors = decode(log).ticks[0]!.devices.map(({ readings }) =>
      readings.get('ecc_sram_uncorrected_volatile_total'),
    );
    expect(errors.slice(2)).toEqual([3, { absent: 'not-supported' }]);
  });

  test('a card that is lost, and one with broken sensors', () => {
    const log = narrow(`|   0  GeForce GTX 1080    Off  | 00000000:02:00.0 Off |                  N/A |
|ERR!   43C    P2   ERR! / 200W |   7925MiB /  8119MiB |    100%      Default |
|                               |                      |                  N/A |
+-------------------------------+----------------------+----------------------+
|   1  ERR!                ERR! | 00000000:0A:00.0 ERR! |                 ERR! |
|ERR!  ERR! ERR!    ERR! / ERR! |     GPU is lost      | ERR!            ERR! |
|                               |                      |                 ERR! |`);
    expect(shown(log)).toEqual([
      '0 GeForce GTX 1080 | error 43 2 error 200 7925 8119 100 not-supported | not-collected',
      '1 NVIDIA GPU | lost | not-collected',
    ]);
    expect(decode(log).devices[1]?.pciBusId).toBe('00000000:0A:00.0');
  });

  test('a card that nvidia-smi cannot reach is listed as lost', () => {
    const log = `Unable to determine the device handle for GPU1: 0000:0B:00.0: GPU is lost.  Reboot the system to recover this GPU
${narrow(`|   0  Tesla T4            On   | 00000000:00:1E.0 Off |                    0 |
| N/A   43C    P0    26W /  70W |      3MiB / 15109MiB |      0%      Default |`)}`;
    expect(shown(log)).toEqual([
      '0 Tesla T4 | not-supported 43 0 26 70 3 15109 0 0 | not-collected',
      '1 NVIDIA GPU | lost | gpu-lost',
    ]);
  });

  test('a virtual GPU has no sensors', () => {
    const log = narrow(`|   0  GRID T4-8C          On   | 00000000:02:00.0 Off |                  N/A |
| N/A   N/A    P8    N/A /  N/A |    561MiB /  8192MiB |      0%      Default |
|                               |                      |                  N/A |`);
    expect(shown(log)).toEqual([
      '0 GRID T4-8C | not-supported not-supported 8 not-supported not-supported 561 8192 0 not-supported | not-collected',
    ]);
  });

  test('memory that belongs to the host, and a Jetson that has no place on a bus', () => {
    const log = `+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 580.95.05              Driver Version: 580.95.05      CUDA Version: 13.0     |
+-----------------------------------------+------------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |
|                                         |                        |               MIG M. |
|=========================================+========================+======================|
|   0  NVIDIA GB10                    On  |   0000000F:01:00.0 Off |                  N/A |
| N/A   38C    P8              4W /  N/A  | Not Supported          |      0%      Default |
|                                         |                        |                  N/A |
+-----------------------------------------+------------------------+----------------------+
|   1  Orin (nvgpu)                  N/A  | N/A              N/A   |                  N/A |
| N/A   N/A  N/A               N/A /  N/A | Not Supported          |     N/A          N/A |
|                                         |                        |                  N/A |
+-----------------------------------------+------------------------+----------------------+
`;
    expect(shown(log)).toEqual([
      '0 NVIDIA GB10 | not-supported 38 8 4 not-supported not-supported not-supported 0 not-supported | not-collected',
      '1 Orin (nvgpu) | not-supported not-supported not-supported not-supported not-supported not-supported not-supported not-supported not-supported | not-collected',
    ]);
    expect(decode(log).devices.map(({ uuid }) => uuid)).toEqual(['log-0000000F:01:00.0', 'log-1']);
  });

  test('Windows: driver model in place of persistence, processes without memory', () => {
    const log = narrow(
      `|   0  NVIDIA GeForce ... WDDM  | 00000000:01:00.0  On |                  N/A |
|  0%   43C    P8    11W / 170W |    811MiB / 12288MiB |      4%      Default |
|                               |                      |                  N/A |
+-------------------------------+----------------------+----------------------+
|   1  Tesla P100-PCIE... TCC   | 00000000:02:00.0 Off |                    0 |
| N/A   30C    P0    26W / 250W |      8MiB / 16276MiB |      0%      Default |`,
      BOX(`|    0   N/A  N/A      1420    C+G   Insufficient Permissions        N/A      |
|    0   N/A  N/A      5376    C+G   C:\\Windows\\explorer.exe         N/A      |`),
    );
    expect(shown(log)).toEqual([
      '0 NVIDIA GeForce ... | 0 43 8 11 170 811 12288 4 not-supported | 1420 compute+graphics null not-supported, 5376 compute+graphics explorer.exe not-supported',
      '1 Tesla P100-PCIE... | not-supported 30 0 26 250 8 16276 0 0 | ',
    ]);
    const model = metric('driver_model').slot;
    expect(decode(log).ticks[0]!.devices.map(({ readings }) => readings.number(model))).toEqual([0, 1]);
  });

  test('a box without processes and without a word: they cannot be seen from here', () => {
    const row = `|   0  NVIDIA A10          On   | 00000000:07:00.0 Off |                    0 |
|  0%   33C    P0    57W / 150W |  20102MiB / 23028MiB |     97%      Default |`;
    const empty = narrow(row, BOX('|                                                                             |'));
    expect(shown(empty)[0]).toContain('| no-permission');
    expect(
      shown(narrow(row, BOX('|  No running processes found                                                 |')))[0],
    ).toMatch(/ \| $/);
    expect(shown(narrow(row))[0]).toContain('| not-collected');
  });
});

describe('tables in the midst of other things', () => {
  const ROW = `|   0  NVIDIA A10          On   | 00000000:07:00.0 Off |                    0 |
|  0%   33C    P0    57W / 150W |  20102MiB / 23028MiB |     97%      Default |`;
  const WANT = '0 NVIDIA A10 | 0 33 0 57 150 20102 23028 97 0 | not-collected';

  test.each([
    ['line ends of Windows', (log: string) => log.replaceAll('\n', '\r\n')],
    ['a prefix of docker compose', (log: string) => log.replaceAll(/^/gm, 'monitor-1  | ')],
    ['a prefix with a time', (log: string) => log.replaceAll(/^/gm, '2025-02-05T14:07:58.123456789Z stdout F ')],
    ['a quotation mark of a mail', (log: string) => log.replaceAll(/^/gm, '> ')],
    [
      'colours of a terminal',
      (log: string) => log.replaceAll(/^/gm, '\u001b[0m').replaceAll('97%', '\u001b[1;31m97%\u001b[0m'),
    ],
    [
      'no frame',
      (log: string) =>
        log
          .replaceAll(/^\|/gm, ' ')
          .replaceAll(/\|$/gm, '')
          .replaceAll(/^\+.*\n/gm, ''),
    ],
    ['other output between the lines', (log: string) => log.replaceAll('\n', '\nepoch 3: loss 0.25 | acc 0.97\n')],
    [
      'the frame of watch',
      (log: string) => log.replace(/^.*\n/, 'Every 2.0s: nvidia-smi    host: Wed Feb  5 14:07:58 2025\n\n'),
    ],
    ['a progress bar before the date', (log: string) => log.replace(/^/, '100%|####| 10/10')],
  ])('%s', (_name, change) => {
    const log = change(narrow(ROW));
    expect(shown(log)).toEqual([WANT]);
    expect(decode(log).ticks[0]?.at).toBe(Date.UTC(2025, 1, 5, 14, 7, 58));
  });

  test('a terminal of 60 columns cuts the last column, of which nothing is believed', () => {
    const cut = narrow(ROW).replaceAll(/^(.{60}).*$/gm, '$1');
    expect(shown(cut)).toEqual([
      '0 NVIDIA A10 | 0 33 0 57 150 20102 23028 not-collected not-collected | not-collected',
    ]);
  });

  test('a list of the cards in front tells their UUIDs and whole names', () => {
    const log = `GPU 0: NVIDIA A10 (UUID: GPU-00000013-0000-4000-8000-000000000013)\n${narrow(ROW)}`;
    const { devices, ticks } = decode(log);
    expect(devices).toHaveLength(1);
    expect(devices[0]).toMatchObject({
      uuid: 'GPU-00000013-0000-4000-8000-000000000013',
      pciBusId: '00000000:07:00.0',
    });
    expect(ticks).toHaveLength(1);
    const short = ROW.replace('NVIDIA A10      ', 'NVIDIA GeForce ...');
    const list = 'GPU 0: NVIDIA GeForce RTX 3090 (UUID: GPU-00000013-0000-4000-8000-000000000013)\n';
    expect(decode(list + narrow(short)).devices[0]?.name).toBe('NVIDIA GeForce RTX 3090');
  });

  test('a table that lost its date among others is left out and counted, a log without dates is not', () => {
    const dated = narrow(ROW);
    const undated = dated.replace(/^.*\n/, '');
    expect(shapeOf(decode(dated + undated + dated.replace(':58', ':59')))).toHaveLength(2);
    expect(decode(dated + undated).skipped).toEqual({ 'no-time': 1 });
    expect(decode(undated + dated)).toMatchObject({ skipped: { 'no-time': 1 }, rows: 1 });
    expect(decode(undated + undated + undated).ticks.map(({ at }) => at - Date.UTC(2026, 0, 1))).toEqual([
      0, 1000, 2000,
    ]);
  });

  test('cards that are asked for one by one are one instant', () => {
    const other = ROW.replace('|   0 ', '|   1 ').replace('07:00.0', '08:00.0');
    const log = [ROW, other, ROW, other]
      .map((row, place) => narrow(row).replace(':58 ', place < 2 ? ':58 ' : ':59 '))
      .join('');
    expect(decode(log).ticks.map(({ devices }) => devices.length)).toEqual([2, 2]);
  });

  test('a card that was replaced is another one', () => {
    const other = ROW.replace('NVIDIA A10 ', 'NVIDIA A40 ').replace('07:00.0', '0B:00.0');
    const log = narrow(ROW) + narrow(other).replace(':58', ':59');
    expect(decode(log).devices.map(({ name }) => name)).toEqual(['NVIDIA A10', 'NVIDIA A40']);
  });
});
