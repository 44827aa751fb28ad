import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { AppError, toAppError } from '../../model/errors.ts';
import { FakeDriver, HAS_FAKE_DRIVER } from '../../sources/nvml/fake-driver.ts';
import { DISPLAYS } from './report/node.ts';
import { log, replay, run } from './test-run.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gpulse-smi-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function recorded(name: string): string {
  return readFileSync(log(name), 'utf8');
}

/** The value of every line of a report by the titles above it. */
function valuesOf(report: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  const above: string[] = [];
  for (const line of report.split('\n')) {
    const [, indent = '', title = '', value] = /^( *)(\S.*?)\s*(?: : (.*))?$/.exec(line) ?? [];
    if (title === '') continue;
    const level = indent.length / 4;
    above.splice(level, above.length, title);
    if (value !== undefined) values.set(above.join('/'), value);
  }
  return values;
}

describe('the table', () => {
  test('of a recent driver is the same to the last column', async () => {
    const { out } = await replay('table/l40s-580.txt');
    expect(out).toBe(recorded('table/l40s-580.txt'));
  });

  test.each(['h200mig-590-table-load.txt', 'win-610-wddm-table.txt'])(
    '%s differs only in what is not read',
    async (name) => {
      const bare = (text: string): string =>
        text
          .replaceAll(/\| .. {6}0 \| {2}\d {3}0 {4}\d {4}0 {4}\d \|/g, '| N/A     0 |N/A N/A  N/A  N/A  N/A |')
          .replaceAll(/(\d {4}(?:C\+G| {2}C) {3})(.{32})/g, (_whole, head: string, path: string) => {
            const program = path.trimEnd().replace(/.*[\\/]/, '');
            return head + program.padEnd(32);
          });
      const { out } = await replay(`table/${name}`);
      expect(out).toBe(bare(recorded(`table/${name}`)));
    },
  );

  test('comes once for each of a log in a loop, and in 91 columns', async () => {
    const { out } = await replay('table/l40s-550-appended.log', '-l', '1');
    const lines = out.split('\n').filter((line) => /^[|+]/.test(line));
    expect(out.match(/NVIDIA-SMI 550\.54\.15/g)).toHaveLength(33);
    expect(new Set(lines.map(({ length }) => length))).toEqual(new Set([91]));
  });

  test('is read again by replay', async () => {
    const { out } = await replay('table/mag-545-a100-8gpu.log');
    const file = join(folder, 'table.txt');
    writeFileSync(file, out);
    expect((await replay(file)).out).toBe(out);
  });
});

describe('the report', () => {
  test.each(['smi-q/win-591-q-idle.txt', 'smi-q/a10-535-q.txt', 'smi-q/rtx4090x8-535-154-q0.txt'])(
    '%s has no value that was not there',
    async (name) => {
      const { out } = await replay(name, '-q');
      const said = new Map([...valuesOf(recorded(name))].map(([path, value]) => [path.toLowerCase(), value]));
      const wrong = [...valuesOf(out)].filter(([path, value]) => {
        const there = said.get(path.toLowerCase());
        const isName = path.endsWith('/Name');
        return value !== 'N/A' && !isName && path !== 'Attached GPUs' && there !== value;
      });
      expect(wrong).toEqual([]);
      expect(valuesOf(out).size).toBeGreaterThan(80);
    },
  );

  test('has its colons where they are in the newest releases', async () => {
    const { out } = await replay('smi-q/win-591-q-idle.txt', '-q');
    const columns = out.split('\n').flatMap((line) => (line.includes(' : ') ? [line.indexOf(' : ') + 2] : []));
    expect([...new Set(columns)]).toEqual([56, 43]);
  });

  test('of some sections leaves the others out', async () => {
    const { out } = await replay('smi-q/a10-535-q.txt', '-q', '-d', 'TEMPERATURE,ECC');
    const groups = [...out.matchAll(/^ {4}(\S.*)$/gm)].map((match) => match[1]);
    expect(groups).toEqual(['ECC Mode', 'ECC Errors', 'Temperature']);
  });

  test('of any section that nvidia-smi knows has something in it, and only that', async () => {
    for (const display of DISPLAYS) {
      const { out } = await replay('smi-q/a10-535-q.txt', '-q', '-d', display);
      expect([display, out.match(/^ {4}\S/gm)?.length ?? 0]).not.toEqual([display, 0]);
    }
    const { out } = await replay('smi-q/a10-535-q.txt', '-q', '-d', 'reset_status,GSP_FIRMWARE_VERSION');
    const lines = [...out.matchAll(/^ +(\S.*?)(?: +: (.*))?$/gm)].map(([, name, value]) => [name, value]);
    expect(lines).toEqual([
      ['GPU Reset Status', undefined],
      ['Reset Required', 'N/A'],
      ['Drain and Reset Recommended', 'N/A'],
      ['GPU Recovery Action', 'N/A'],
      ['GSP Firmware Version', 'N/A'],
    ]);
    const whole = await replay('smi-q/a10-535-q.txt', '-q');
    expect(whole.out).not.toMatch(/GPU Reset Status|Supported Clocks|Supported GPU Target Temp/);
  });

  test.each(['a100-sxm4-v12.xml', 'rtx-4090-driver-535.xml'])('%s is told the same in XML', async (name) => {
    const leaves = (text: string): string[] =>
      [...text.matchAll(/<(\w+)>([^<\n]+?)\s*<\/\1>/g)].flatMap(([, tag, value]) =>
        /^(?:process_name|timestamp|attached_gpus|gpu_recovery_action)$/.test(tag!) || value === 'N/A'
          ? []
          : [`${tag} ${value}`],
      );
    const { out } = await replay(`smi-xml/${name}`, '-q', '-x');
    const said = new Set(leaves(recorded(`smi-xml/${name}`)));
    expect(leaves(out).filter((leaf) => !said.has(leaf) && leaf !== 'mig_devices None')).toEqual([]);
    expect(leaves(out).length).toBeGreaterThan(70);
  });

  test.each(['-q', '-q -x'])('%s is read again by replay', async (words) => {
    const { out } = await replay('smi-xml/a100-sxm4-v12.xml', ...words.split(' '));
    const file = join(folder, 'report.txt');
    writeFileSync(file, out);
    expect((await replay(file, ...words.split(' '))).out).toBe(out);
  });
});

describe('monitors', () => {
  test.each(['dmon/h100-590-dmon-load.txt', 'dmon/win-591-dmon-load.txt'])('%s is the same', async (name) => {
    expect((await runMode('dmon', name)).out).toBe(recorded(name));
  });

  test('pmon is the same', async () => {
    expect((await runMode('pmon', 'pmon/rtx4080s-595-pmon-load.txt')).out).toBe(
      recorded('pmon/rtx4080s-595-pmon-load.txt'),
    );
  });

  test('repeat their titles as often', async () => {
    const titles = (text: string): number[] =>
      text.split('\n').flatMap((line, i) => (line.startsWith('# gpu') ? [i] : []));
    const { out } = await runMode('dmon', 'dmon/gtx-ABB-long.log');
    expect(titles(out)).toEqual(titles(recorded('dmon/gtx-ABB-long.log')));
  });

  test('choose their columns, stamps and number of rows', async () => {
    const { out } = await runMode('dmon', 'dmon/h100-590-dmon-load.txt', '-s', 'mt', '-c', '1', '-o', 'DT');
    const [names = '', units = '', row = '', ...others] = out.split('\n');
    expect(names).toBe('#Date       Time        gpu     fb   bar1   ccpm  rxpci  txpci ');
    expect(units).toBe('#YYYYMMDD   HH:MM:SS    Idx     MB     MB     MB   MB/s   MB/s ');
    expect(row).toMatch(/^ \d{8} {3}\d\d:\d\d:\d\d {6}0 {6}- {6}- {6}- {6}- {6}- $/);
    expect(others).toEqual(['']);
  });

  test('print CSV', async () => {
    const { out } = await runMode('dmon', 'dmon/h100-590-dmon-load.txt', '-s', 'p', '-c', '2', '--format', 'csv');
    expect(out).toBe('#gpu, pwr, gtemp, mtemp\n#Idx, W, C, C\n 0, 631, 63, 57\n 0, 634, 63, 58\n');
  });

  function runMode(mode: string, name: string, ...words: string[]) {
    return run(mode, '--source', `replay:${log(name)}`, '--time-zone', 'UTC', ...words);
  }
});

describe.skipIf(!HAS_FAKE_DRIVER)('a driver', () => {
  let driver: FakeDriver | null = null;
  afterEach(() => {
    driver?.dispose();
    driver = null;
  });

  function ask(script: string, ...words: string[]) {
    driver = new FakeDriver({ script });
    return run(...words, '--source', 'nvml', '--nvml-library', driver.library);
  }

  const GIB = 2 ** 30;
  const CUT = `gpus 2\ngpu 0 mig on\nmig 0 1 0 3 ${40 * GIB} ${7 * GIB}\nprocess 0 pid 100 memory 1048576000 kind compute instance 1 compute-instance 0`;

  test('with MIG lists its instances below their card', async () => {
    const { out } = await ask(CUT, '-L');
    expect(out).toBe(
      'GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-fa4e0000-0000-4000-8000-000000000000)\n' +
        '  MIG 3g.40gb     Device  0: (UUID: MIG-fa4e0000-0000-4000-8000-000000000001)\n' +
        'GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-fa4e0000-0000-4000-8000-000000000001)\n',
    );
  });

  test('with MIG tells where a process runs', async () => {
    const { out } = await ask(CUT);
    expect(out).toContain('|    0    1    0              100      C   ');
    expect(out).toContain('|  0    1   0   0  |            7168MiB / 40960MiB    |');
  });

  test('tells how its cards are joined', async () => {
    const { out } = await ask('gpus 2', 'topo', '-m');
    const rows = out.split('\n').slice(0, 3);
    expect(rows[0]).toBe('\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID');
    expect(rows.slice(1).map((row) => row.split('\t').slice(0, 3))).toEqual([
      ['GPU0', ' X ', 'NV18'],
      ['GPU1', 'NV18', ' X '],
    ]);
    expect(out.slice(out.indexOf('Legend:'))).toBe(
      [
        'Legend:',
        '',
        '  X    = Self',
        '  SYS  = Connection traversing PCIe as well as the SMP interconnect between NUMA nodes (e.g., QPI/UPI)',
        '  NODE = Connection traversing PCIe as well as the interconnect between PCIe Host Bridges within a NUMA node',
        '  PHB  = Connection traversing PCIe as well as a PCIe Host Bridge (typically the CPU)',
        '  PXB  = Connection traversing multiple PCIe bridges (without traversing the PCIe Host Bridge)',
        '  PIX  = Connection traversing at most a single PCIe bridge',
        '  NV#  = Connection traversing a bonded set of # NVLinks',
        '',
      ].join('\n'),
    );
  });

  test('of which a GPU is lost ends every mode with its exit code', async () => {
    const script = 'gpus 2\ngpu 1 lost on';
    for (const words of [['topo', '-m'], ['-L'], ['-q'], ['dmon', '-c', '1'], ['pmon', '-c', '1'], []]) {
      const { exit } = await ask(script, ...words);
      expect(exit, words.join(' ')).toBe(15);
      driver?.dispose();
    }
    const one = await ask(script, 'topo', '-m', '-i', '0');
    expect(one.exit).toBe(0);
    driver?.dispose();
    const { exit, err } = await ask('gpus 2', 'topo', '-m', '-i', '0,9');
    expect([exit, err]).toEqual([6, expect.stringContaining('there is no GPU "9"')]);
  });

  test('of which a GPU is not there that was asked for prints the others and fails', async () => {
    const { out, err, exit } = await ask('gpus 2', '-L', '-i', '1,9');
    expect(out).toMatch(/^GPU 1: .*\n$/);
    expect(err).toContain('there is no GPU "9"');
    expect(exit).toBe(6);
  });

  test('writes to a file', async () => {
    const file = join(folder, 'list.txt');
    const { out } = await ask('gpus 1', '-L', '-f', file);
    expect(out).toBe('');
    expect(readFileSync(file, 'utf8')).toMatch(/^GPU 0: .*\n$/);
  });

  test('tells its versions', async () => {
    const { out } = await ask('gpus 1', '--version');
    expect(out).toMatch(/^NVIDIA-SMI version {2}: 570\.86\.10\nNVML version {8}: 570\.86\n/);
  });
});

test('a file that cannot be written is refused', async () => {
  const failure = await replay('csv/t4-epoch-float.csv', '-L', '-f', '/nowhere/a.txt').catch(toAppError);
  expect(failure).toBeInstanceOf(AppError);
  const error = failure as AppError;
  expect(error.code).toBe('FILE_UNWRITABLE');
  expect(error.text('en')).toBe('/nowhere/a.txt cannot be written: no such file or directory');
  expect(error.text('zh')).toBe('无法写入 /nowhere/a.txt：没有该文件或目录');
  expect(error.hint('zh')).toContain('目录 /nowhere 存在');
});

test('none of what was asked for is "No devices were found"', async () => {
  await expect(replay('csv/t4-epoch-float.csv', '-L', '-i', '5')).rejects.toMatchObject({
    message: 'No devices were found',
    exit: 6,
  });
});
