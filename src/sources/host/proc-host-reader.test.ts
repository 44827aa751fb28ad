import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../model/catalogue.ts';
import { ABSENCE_REASONS } from '../../model/reading.ts';
import { HostTree } from './host-tree.ts';
import { ProcHostReader } from './proc-host-reader.ts';

let host: HostTree;

beforeEach(() => {
  host = new HostTree();
});

afterEach(() => host.remove());

const GIB = 2 ** 30;

describe('CPU', () => {
  const IDS = ['host_cpu_ratio', 'host_iowait_ratio'] as const;
  const stat = (cpus: readonly string[], rest = '') => host.write('proc/stat', `${cpus.join('\n')}\n${rest}`);

  test('is busy for the share of time that is neither idle nor waiting; guests are not counted twice', () => {
    stat(['cpu  100 0 100 800 0 0 0 0 0 0', 'cpu0 100 0 100 800 0 0 0 0 0 0']);
    expect(host.read(IDS)).toEqual(['not-collected', 'not-collected']);
    stat(['cpu  130 5 110 830 15 2 3 5 30 5', 'cpu0 130 5 110 830 15 2 3 5 30 5']);
    expect(host.read(IDS)).toEqual([0.55, 0.15]);
  });

  test('is given per core in the order of the kernel, whatever the numbers', () => {
    stat(['cpu 0 0 0 0', 'cpu0 0 0 0 0', 'cpu2 0 0 0 0', 'cpu10 0 0 0 0']);
    expect(host.cpus()).toEqual([]);
    stat(['cpu 150 0 0 150', 'cpu0 100 0 0 0', 'cpu2 50 0 0 50', 'cpu10 0 0 0 100']);
    expect(host.cpus()).toEqual([1, 0.5, 0]);
    stat(['cpu 250 0 0 250', 'cpu0 200 0 0 0', 'cpu10 0 0 0 200']);
    expect(host.cpus()).toEqual([]);
    stat(['cpu 250 0 0 350', 'cpu0 200 0 0 100', 'cpu10 100 0 0 200']);
    expect(host.cpus()).toEqual([0, 1]);
  });

  test('stays between 0 and 1 when counters fall back', () => {
    stat(['cpu 100 0 0 1000 500']);
    host.read(IDS);
    stat(['cpu 110 0 0 1100 490']);
    expect(host.read(IDS)).toEqual([0.1, 0]);
    stat(['cpu 110 0 0 1100 490']);
    expect(host.read(IDS)).toEqual(['not-collected', 'not-collected']);
    stat(['cpu 1 0 0 1 1']);
    expect(host.read(IDS)).toEqual(['not-collected', 'not-collected']);
  });

  test('has hundreds of cores and a line of interrupts longer than any buffer', () => {
    const lines = (busy: number) =>
      ['cpu', ...Array.from({ length: 512 }, (_, cpu) => `cpu${cpu}`)].map((name) => `${name} ${busy} 0 0 0`);
    stat(lines(0), `intr ${'0 '.repeat(200_000)}\nctxt 1000\nprocs_blocked 7\n`);
    host.cpus();
    stat(lines(100), `intr ${'0 '.repeat(200_000)}\nctxt 3000\nprocs_blocked 7\n`);
    const rest = ['host_context_switches_per_second', 'host_processes_blocked', 'host_cpu_ratio'] as const;
    expect(host.read(rest, 2)).toEqual([1000, 7, 1]);
    stat(lines(200));
    expect(host.cpus()).toEqual(Array.from({ length: 512 }, () => 1));
    expect(host.read(rest)).toEqual(['not-supported', 'not-supported', 'not-collected']);
  });
});

test('memory is what can still be had, in bytes; a kernel that does not say so has its free and cached memory', () => {
  const ids = ['host_memory_total_bytes', 'host_memory_available_bytes', 'host_memory_used_bytes'] as const;
  const swap = ['host_swap_total_bytes', 'host_swap_used_bytes'] as const;
  host.write(
    'proc/meminfo',
    'MemTotal:       16777216 kB\nMemFree:         1048576 kB\nMemAvailable:    8388608 kB\nBuffers: 0 kB\nCached: 1 kB\nSwapCached: 99 kB\nSwapTotal: 4194304 kB\nSwapFree: 1048576 kB\n',
  );
  expect(host.read(ids)).toEqual([16 * GIB, 8 * GIB, 8 * GIB]);
  expect(host.read(swap)).toEqual([4 * GIB, 3 * GIB]);
  host.write('proc/meminfo', 'MemTotal: 4194304 kB\nMemFree: 1048576 kB\nBuffers: 524288 kB\nCached: 524288 kB\n');
  expect(host.read(ids)).toEqual([4 * GIB, 2 * GIB, 2 * GIB]);
  expect(host.read(swap)).toEqual(['not-supported', 'not-supported']);
});

test('load and uptime', () => {
  host.write('proc/loadavg', '0.52 12.07 128.00 3/1234 5678\n').write('proc/uptime', '11936.78 23000.10\n');
  const ids = ['host_load_1m', 'host_load_5m', 'host_load_15m', 'host_uptime_seconds'] as const;
  expect(host.read(ids)).toEqual([0.52, 12.07, 128, 11_936.78]);
});

test('pressure', () => {
  const ids = [
    'host_pressure_cpu_some_ratio',
    'host_pressure_cpu_some_seconds_total',
    'host_pressure_io_some_ratio',
    'host_pressure_io_full_ratio',
    'host_pressure_io_full_seconds_total',
    'host_pressure_memory_some_ratio',
  ] as const;
  host
    .write('proc/pressure/cpu', 'some avg10=1.50 avg60=0.10 avg300=0.00 total=2500000\n')
    .write(
      'proc/pressure/io',
      'some avg10=25.00 avg60=0 avg300=0 total=10\nfull avg10=12.50 avg60=0 avg300=0 total=1000000',
    );
  expect(host.read(ids)).toEqual([0.015, 2.5, 0.25, 0.125, 1, 'not-supported']);
});

describe('disks', () => {
  const IDS = ['host_disk_read_bytes_per_second', 'host_disk_write_bytes_per_second', 'host_disk_busy_ratio'] as const;
  const line = (name: string, read: number, written: number, busyMs: number) =>
    `   8       0 ${name} 10 0 ${read} 5 20 0 ${written} 5 -1 ${busyMs} 77 0 0 0 0 0 0\n`;
  const stats = (...rows: [string, number, number, number][]) =>
    host.write('proc/diskstats', rows.map((row) => line(...row)).join(''));

  test('are counted once: no partitions, loops, memory or layers over other disks', () => {
    const names = ['sda', 'sda1', 'nvme0n1', 'nvme0n1p1', 'loop0', 'zram0', 'dm-0', 'md127', 'sr0', 'bcache0', 'odd'];
    for (const name of ['sda', 'nvme0n1', 'loop0', 'zram0', 'dm-0', 'md127', 'sr0', 'bcache0', 'odd'])
      host.folder(`sys/block/${name}/slaves`);
    host.folder('sys/block/odd/slaves/sda');
    const rows = (n: number) => names.map((name): [string, number, number, number] => [name, n, 2 * n, n]);
    stats(...rows(0));
    expect(host.read(IDS)).toEqual(['not-collected', 'not-collected', 'not-collected']);
    stats(...rows(500));
    expect(host.read(IDS, 2)).toEqual([256_000, 512_000, 0.25]);
  });

  test('are told from partitions by name where the kernel does not show them', () => {
    const names = [
      'sda',
      'sda1',
      'sda12',
      'nvme1n1',
      'nvme1n1p2',
      'mmcblk0',
      'mmcblk0p1',
      'mmcblk0boot0',
      'vdb',
      'vdb1',
    ];
    const rows = (n: number) => names.map((name): [string, number, number, number] => [name, n, 0, 0]);
    stats(...rows(0));
    host.read(IDS);
    stats(...rows(1));
    expect(host.read(IDS)).toEqual([4 * 512, 0, 0]);
  });

  test('that come, go and are exchanged give no impossible rates', () => {
    host.folder('sys/block/sda').folder('sys/block/sdb');
    stats(['sda', 1000, 0, 0]);
    host.read(IDS);
    stats(['sdb', 1e12, 1e12, 5000], ['sda', 1002, 0, 0]);
    expect(host.read(IDS)).toEqual([1024, 0, 0]);
    stats(['sdb', 1e12, 1e12, 9000]);
    expect(host.read(IDS)).toEqual([0, 0, 1]);
    stats(['sdb', 5, 5, 0]);
    expect(host.read(IDS)).toEqual(['not-collected', 'not-collected', 'not-collected']);
    stats(['sdb', 7, 5, 0], ['sda', 2000, 0, 0]);
    expect(host.read(IDS)).toEqual([1024, 0, 0]);
    stats(['loop0', 1, 1, 1]);
    expect(host.read(IDS)).toEqual(['not-found', 'not-found', 'not-found']);
  });
});

describe('network', () => {
  const IDS = ['host_network_rx_bytes_per_second', 'host_network_tx_bytes_per_second'] as const;
  const HEAD =
    'Inter-|   Receive                                                |  Transmit\n face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs\n';
  const dev = (...rows: [string, number, number][]) =>
    host.write(
      'proc/net/dev',
      HEAD + rows.map(([name, rx, tx]) => `${name.padStart(6)}:${rx}  1 0 0 0 0 0 0 ${tx} 2 0 0 0 0 0 0\n`).join(''),
    );

  test('is that of the cards: no bridges, bonds, veths, virtual functions of a card or fast paths of another', () => {
    const names = ['lo', 'eno1', 'eno1v0', 'docker0', 'veth12ab', 'bond0', 'wlan0', 'eno1.100', 'eth0', 'enP1'];
    for (const name of names) host.folder(`sys/class/net/${name}`);
    for (const name of ['eno1', 'eno1v0', 'wlan0', 'eth0', 'enP1']) host.folder(`sys/class/net/${name}/device`);
    host.folder('sys/class/net/eno1v0/device/physfn').link('sys/class/net/enP1/master', '../eth0');
    host.link('sys/class/net/eno1/master', '../bond0');
    const rows = (n: number) => names.map((name): [string, number, number] => [name, n, 3 * n]);
    dev(...rows(0));
    expect(host.read(IDS)).toEqual(['not-collected', 'not-collected']);
    dev(...rows(1000));
    expect(host.read(IDS, 0.5)).toEqual([6000, 18_000]);
  });

  test('in a container is that of its own interface', () => {
    for (const name of ['lo', 'eth0', 'tunl0']) host.folder(`sys/class/net/${name}`);
    dev(['lo', 0, 0], ['eth0', 0, 0], ['tunl0', 0, 0]);
    host.read(IDS);
    dev(['lo', 9, 9], ['eth0', 5, 7], ['tunl0', 9, 9]);
    expect(host.read(IDS)).toEqual([5, 7]);
    dev(['lo', 9, 9]);
    expect(host.read(IDS)).toEqual(['not-found', 'not-found']);
  });

  test('of an interface whose counters start again is left out once', () => {
    dev(['eth0', 1e9, 1e9]);
    host.read(IDS);
    dev(['eth0', 10, 10]);
    expect(host.read(IDS)).toEqual(['not-collected', 'not-collected']);
    dev(['eth0', 20, 30]);
    expect(host.read(IDS)).toEqual([10, 20]);
  });
});

describe('limits of a container', () => {
  const IDS = ['host_memory_limit_bytes', 'host_cpu_limit_cores'] as const;

  beforeEach(() => {
    host.write('proc/meminfo', 'MemTotal: 16777216 kB\nMemAvailable: 1 kB\n');
  });

  test('are those of the narrowest group on the way up', () => {
    host
      .write('proc/self/cgroup', '0::/a/b\n')
      .write('sys/fs/cgroup/a/b/memory.max', 'max\n')
      .write('sys/fs/cgroup/a/memory.max', '1073741824\n')
      .write('sys/fs/cgroup/a/b/cpu.max', '150000 100000\n')
      .write('sys/fs/cgroup/a/cpu.max', 'max 100000\n');
    expect(host.read(IDS)).toEqual([GIB, 1.5]);
  });

  test('are found in the root of the container itself, and with version 1', () => {
    host
      .write('proc/self/cgroup', '0::/\n')
      .write('sys/fs/cgroup/memory.max', '2147483648\n')
      .write('sys/fs/cgroup/cpu.max', '50000 100000\n');
    expect(host.read(IDS)).toEqual([2 * GIB, 0.5]);
    host.delete('sys/fs/cgroup');
    const other = new HostTree()
      .write('proc/self/cgroup', '5:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n')
      .write('sys/fs/cgroup/memory/memory.limit_in_bytes', '1073741824\n')
      .write('sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us', '200000\n')
      .write('sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us', '100000\n');
    expect(other.read(IDS)).toEqual([GIB, 2]);
    other.remove();
  });

  test('are absent where there are none, or they are no narrower than the machine', () => {
    expect(host.read(IDS)).toEqual(['not-found', 'not-found']);
    const other = new HostTree()
      .write('proc/meminfo', 'MemTotal: 1024 kB\n')
      .write('proc/self/cgroup', '5:memory:/x\n4:cpu:/x\n0::/y\n')
      .write('sys/fs/cgroup/memory/x/memory.limit_in_bytes', '9223372036854771712\n')
      .write('sys/fs/cgroup/cpu/x/cpu.cfs_quota_us', '-1\n')
      .write('sys/fs/cgroup/cpu/x/cpu.cfs_period_us', '100000\n')
      .write('sys/fs/cgroup/y/memory.max', '2147483648\n');
    expect(other.read(IDS)).toEqual(['not-found', 'not-found']);
    other.remove();
  });
});

test('a host of which nothing can be read has every value absent with a reason, and none of a device', () => {
  const { readings, cpuRatios } = new ProcHostReader('/nonexistent', 0).read(0);
  expect(cpuRatios).toHaveLength(0);
  for (const { id, slot, scope } of CATALOGUE) {
    const reading = readings.at(slot);
    expect(typeof reading === 'number' ? reading : ABSENCE_REASONS.includes(reading.absent), id).toBe(true);
    if (scope !== 'host') expect(reading, id).toEqual({ absent: 'not-collected' });
  }
});

test('this machine has believable values', () => {
  const reader = new ProcHostReader();
  reader.read(0);
  const { readings, cpuRatios } = reader.read(1000);
  expect(readings.get('host_memory_total_bytes')).toBeGreaterThan(2 ** 26);
  expect(readings.get('host_uptime_seconds')).toBeGreaterThan(0);
  for (const ratio of cpuRatios) expect(ratio).toBeLessThanOrEqual(1);
});

test('whatever the files hold, values are finite numbers in their range or absent', () => {
  const file = fc.oneof(
    fc.string({ maxLength: 200 }),
    fc
      .array(
        fc.constantFrom(
          'cpu',
          ' ',
          '\n',
          '9',
          '-',
          '.',
          ':',
          'sda',
          'eth0',
          'some avg10=',
          'total=',
          'MemTotal:',
          '1e5',
          'x',
        ),
        { maxLength: 60 },
      )
      .map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(
      fc.array(file, { minLength: 9, maxLength: 9 }),
      fc.array(file, { minLength: 9, maxLength: 9 }),
      (first, second) => {
        const paths = [
          'stat',
          'meminfo',
          'loadavg',
          'uptime',
          'diskstats',
          'net/dev',
          'pressure/cpu',
          'pressure/memory',
          'pressure/io',
        ];
        const reader = new ProcHostReader(host.root, 0);
        for (const [round, texts] of [first, second].entries()) {
          for (const [i, path] of paths.entries()) host.write(`proc/${path}`, texts[i] ?? '');
          const { readings } = reader.read(round * 1000);
          for (const { id, slot, scope, unit } of CATALOGUE) {
            const reading = readings.at(slot);
            if (scope !== 'host' || typeof reading !== 'number') continue;
            expect(reading >= 0 && Number.isFinite(reading), `${id} ${reading}`).toBe(true);
            if (unit === 'ratio') expect(reading, id).toBeLessThanOrEqual(1);
          }
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('what says little more every second is read every three, not all of it at once, and stays in between', () => {
  const root = host.root;
  host.write('proc/loadavg', '1.00 1.00 1.00 1/100 5\n');
  const reader = new ProcHostReader(root);
  const load = (second: number): unknown => reader.read(second * 1000).readings.get('host_load_1m');
  expect(load(0)).toBe(1);
  host.write('proc/loadavg', '9.00 1.00 1.00 1/100 5\n');
  const seen = [1, 2, 3, 4].map(load);
  expect(seen[0]).toBe(9);
  host.write('proc/loadavg', '5.00 1.00 1.00 1/100 5\n');
  expect([5, 6, 7, 8].map(load)).toContain(5);
});
