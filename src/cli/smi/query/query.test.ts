import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { FakeDriver, HAS_FAKE_DRIVER } from '../../../sources/nvml/fake-driver.ts';
import { log, replay, run } from '../test-run.ts';
import { isUnread } from './gpu-values.ts';
import { QUERIES } from './query.ts';

/** Fields that gpulse reads of a card itself, and not of its logs. */
const NOT_IN_LOGS = /^pci\.(baseClass|subClass|device_id|sub_device_id)$|^(vbios_version|inforom\.img|compute_cap)$/;

function rowsOf(text: string): string[][] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(', '));
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gpulse-smi-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('a recorded --query-gpu is printed as it was', () => {
  test.each([
    ['h100-590-all-fields-load.csv', 141],
    ['h100mig-590-all-fields-idle.csv', 141],
    ['l40s-595-all-fields-load.csv', 142],
  ])('%s, cell by cell', async (name, least) => {
    const [titles = [], values = []] = rowsOf(readFileSync(log(`csv/${name}`), 'utf8'));
    const fields = titles.map((title) => title.split(' ')[0]!);
    const { out, exit } = await replay(`csv/${name}`, `--query-gpu=${fields.join()}`, '--format=csv');
    const [printedTitles = [], printed = []] = rowsOf(out);
    expect(exit).toBe(0);
    expect(printedTitles).toEqual(titles);
    const known = fields.flatMap((field, i) => (isUnread(field) || NOT_IN_LOGS.test(field) ? [] : [i]));
    expect(known.map((i) => `${fields[i]}: ${printed[i]}`)).toEqual(known.map((i) => `${fields[i]}: ${values[i]}`));
    expect(known.length).toBe(least);
    const invented = fields.filter((field, i) => isUnread(field) && /\d/.test(printed[i] ?? ''));
    expect(invented).toEqual([]);
  });

  test('every row of a loop, and the last state without one', async () => {
    const words = ['--query-gpu=timestamp,temperature.gpu', '--format=csv,noheader,nounits'];
    const all = await replay('csv/rtx2070-gap180s.csv', ...words, '-l');
    const last = await replay('csv/rtx2070-gap180s.csv', ...words);
    expect(rowsOf(all.out).length).toBe(232);
    expect(all.out.endsWith(last.out)).toBe(true);
    expect(rowsOf(last.out)).toHaveLength(1);
  });

  test('with an unknown error as one', async () => {
    const { out } = await replay(
      'csv/loop-unknown-error.csv',
      '--query-gpu=index,utilization.gpu',
      '--format=csv,noheader',
    );
    expect(out).toBe('0, [Unknown Error]\n');
  });

  test('names of a missing value follow its field', async () => {
    const words = '--query-gpu=temperature.memory,fabric.state,fan.speed,platform.chassis_serial_number,display_mode';
    const { out } = await replay('csv/l40s-595-all-fields-load.csv', words, '--format=csv,noheader');
    expect(out).toBe('N/A, N/A, [N/A], , [Requested functionality has been deprecated]\n');
  });
});

describe('processes', () => {
  test('are printed as recorded, their programs without folders', async () => {
    const name = 'csv/h100mig-590-compute-apps.csv';
    const fields = QUERIES['compute-apps'].all.map((field) => field.name).join();
    const { out } = await replay(name, `--query-compute-apps=${fields}`, '--format=csv');
    expect(out).toBe(readFileSync(log(name), 'utf8').replaceAll(/ (?:\/root\/tools\/|\.\/)(\w+),/g, ' $1,'));
  });

  test('without one there is only the header', async () => {
    const { out, exit } = await replay('table/l40s-550-appended.log', '--query-compute-apps=pid,name', '--format=csv');
    expect([out, exit]).toEqual(['pid, process_name\n', 0]);
  });
});

describe.skipIf(!HAS_FAKE_DRIVER)('a driver', () => {
  const drivers: FakeDriver[] = [];
  afterEach(() => {
    for (const driver of drivers.splice(0)) driver.dispose();
  });

  function query(script: string, ...words: string[]) {
    const driver = new FakeDriver({ script });
    drivers.push(driver);
    return run('--source', 'nvml', '--nvml-library', driver.library, ...words);
  }

  test('is read with the names and units of nvidia-smi', async () => {
    const fields =
      'index,gpu_name,memory.used,utilization.gpu,power.draw,clocks.gr,clocks_throttle_reasons.active,pstate,mig.mode.current,pcie.link.gen.gpucurrent';
    const { out, exit } = await query('gpus 1', `--query-gpu=${fields}`, '--format', 'csv');
    expect(exit).toBe(0);
    expect(out).toBe(
      'index, name, memory.used [MiB], utilization.gpu [%], power.draw [W], clocks.current.graphics [MHz], clocks_event_reasons.active, pstate, mig.mode.current, pcie.link.gen.gpucurrent\n' +
        '0, NVIDIA H100 80GB HBM3, 10240 MiB, 35 %, 235.40 W, 1980 MHz, 0x0000000000000000, P0, Disabled, 5\n',
    );
  });

  test('of which one GPU is lost gives the others, and the exit code of nvidia-smi', async () => {
    const { out, exit } = await query(
      'gpus 2\ngpu 1 lost on',
      '--query-gpu=index,temperature.gpu,clocks_event_reasons.gpu_idle',
      '--format=csv,noheader',
    );
    expect(out).toBe('0, 41, Not Active\n1, [GPU is lost], [GPU is lost]\n');
    expect(exit).toBe(15);
  });

  test('that keeps a value back says so', async () => {
    const { out } = await query(
      'gpus 1\ngpu 0 fail nvmlDeviceGetFanSpeed_v2 4\ngpu 0 fail nvmlDeviceGetFanSpeed 4',
      '--query-gpu=fan.speed',
      '--format=csv,noheader',
    );
    expect(out).toBe('[Insufficient Permissions]\n');
  });

  test('is told from JSON as numbers and nulls', async () => {
    const words = ['--query-gpu=index,uuid,power.draw,pstate,hostname'];
    const { out } = await query('gpus 1', ...words, '--format=ndjson');
    const row = {
      index: 0,
      uuid: 'GPU-fa4e0000-0000-4000-8000-000000000000',
      'power.draw': 235.4,
      pstate: 'P0',
      hostname: null,
    };
    expect(JSON.parse(out)).toEqual(row);
    expect(JSON.parse((await query('gpus 2', ...words, '--format=json')).out)).toHaveLength(2);
  });

  test('prints what replay reads: every field comes back as it was', async () => {
    const fields = QUERIES.gpu.all
      .map(({ name }) => name)
      // Of two fields for the average a log gives one metric.
      .filter((name) => !isUnread(name) && !NOT_IN_LOGS.test(name) && name !== 'power.draw.average');
    const script = 'gpus 2\ngpu 1 mig on\nprocess 0 pid 7 memory 1048576 kind compute';
    const first = await query(script, `--query-gpu=${fields.join()}`, '--format=csv');
    const file = join(folder, 'round.csv');
    writeFileSync(file, first.out);
    // The time was printed in the zone of this host.
    const again = await run('--source', `replay:${file}`, `--query-gpu=${fields.join()}`, '--format=csv');
    expect(rowsOf(again.out)).toEqual(rowsOf(first.out));
    expect(fields.length).toBeGreaterThan(120);
  });
});

describe('a list of fields', () => {
  test('is every field of nvidia-smi, each once', () => {
    const names = QUERIES.gpu.all.flatMap(({ name, aliases }) => [name, ...aliases]);
    expect(QUERIES.gpu.all).toHaveLength(243);
    expect(new Set(names).size).toBe(names.length);
  });

  test('keeps those that only older releases have', async () => {
    const fields = 'reset_status.reset_required,reset_status.drain_and_reset_recommended';
    const { out } = await run('--source', 'simulate:demo', '-i', '0', `--query-gpu=${fields}`, '--format=csv');
    expect(out).toBe('reset_status.reset_required, reset_status.drain_and_reset_recommended\n[N/A], [N/A]\n');
  });

  test('with a name that is none says which', () => {
    expect(() => QUERIES.gpu.choose('name,cuda_version')).toThrow(
      'Field "cuda_version" is not a valid field to query.\n',
    );
    expect(() => QUERIES.gpu.choose('')).toThrow('Field "" is not a valid field to query.');
  });

  test('may have spaces and the same name twice', () => {
    expect(QUERIES.gpu.choose('gpu_name, name ,clocks.mem').map(({ name }) => name)).toEqual([
      'name',
      'name',
      'clocks.current.memory',
    ]);
  });
});

test('--help-query-gpu has the layout from which exporters take the names', async () => {
  const { out } = await run('--help-query-gpu');
  const names = [...out.matchAll(/\n\n"([^"]+)"/g)].map((match) => match[1]);
  expect(names).toEqual(QUERIES.gpu.all.map(({ name }) => name));
  expect(out).toContain('"clocks.current.memory" or "clocks.mem"\n');
});
