import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../model/clock.ts';
import { AppError } from '../../model/errors.ts';
import type { Tick } from '../../model/tick.ts';
import { sourceContract } from '../source.contract.ts';
import { DrmSource } from './drm-source.ts';
import { FakeTree } from './fake-tree.ts';

const WORKER = new URL('./fake-worker.ts', import.meta.url);
const HANG_MS = 150;

let tree: FakeTree;
let source: DrmSource;

beforeEach(() => {
  tree = new FakeTree();
  source = new DrmSource('fake', WORKER, { clock: systemClock, root: tree.root, hangMs: HANG_MS });
});

afterEach(async () => {
  for (const number of [0, 1, 2, 3]) tree.remove(`${deviceOf(number)}/hang`);
  await source.close();
  tree.dispose();
});

function deviceOf(number: number): string {
  return `sys/devices/pci0000:00/0000:0${number + 1}:00.0`;
}

/** Adds a card whose link in the class folder points at its device, as the kernel has it. */
function addCard(number: number, facts: { id?: string; busy?: string } = {}): void {
  const device = deviceOf(number);
  tree.write(`${device}/vendor`, '0xfake');
  tree.write(`${device}/unique_id`, facts.id ?? `id-${number}`);
  tree.write(`${device}/busy`, facts.busy ?? `${10 * number + 10}`);
  tree.write(`${device}/uevent`, `DRIVER=fake\nPCI_SLOT_NAME=0000:0${number + 1}:00.0`);
  tree.link(`${device}/drm/card${number}/device`, '../..');
  tree.link(`sys/class/drm/card${number}`, `../../../${device}/drm/card${number}`);
}

function removeCard(number: number): void {
  tree.remove(`sys/class/drm/card${number}`);
  tree.remove(deviceOf(number));
}

function seen(tick: Tick | null): string[] {
  return (tick?.devices ?? []).map(({ device, state, readings }) => {
    const busy = readings.get('utilization_ratio');
    return `${device.index} ${device.uuid} ${state} ${typeof busy === 'number' ? busy : busy.absent}`;
  });
}

async function look(): Promise<string[]> {
  return seen(await source.sample(1));
}

sourceContract('a graphics driver', async () => {
  addCard(0);
  await source.open();
  return source;
});

describe('cards that come and go', () => {
  test('are numbered in PCI order, and keep their number', async () => {
    addCard(1);
    addCard(0);
    await source.open();
    expect(source.devices().map(({ index, uuid }) => `${index} ${uuid}`)).toEqual(['0 GPU-id-0', '1 GPU-id-1']);
    addCard(3);
    addCard(2);
    expect(await look()).toEqual(['0 GPU-id-0 ok 0.1', '1 GPU-id-1 ok 0.2', '2 GPU-id-2 ok 0.3', '3 GPU-id-3 ok 0.4']);
  });

  test('a card that is gone stays listed as lost, and is known again when it is back', async () => {
    addCard(0);
    addCard(1);
    await source.open();
    removeCard(0);
    expect(await look()).toEqual(['0 GPU-id-0 lost gpu-lost', '1 GPU-id-1 ok 0.2']);
    addCard(0, { busy: '77' });
    expect(await look()).toEqual(['0 GPU-id-0 ok 0.77', '1 GPU-id-1 ok 0.2']);
  });

  test('a card whose device alone is gone is lost as well', async () => {
    addCard(0);
    await source.open();
    tree.remove(deviceOf(0));
    expect(await look()).toEqual(['0 GPU-id-0 lost gpu-lost']);
  });

  test('another card under the same name is another device', async () => {
    addCard(0);
    await source.open();
    removeCard(0);
    addCard(1);
    tree.link('sys/class/drm/card0', `../../../${deviceOf(1)}/drm/card1`);
    tree.remove('sys/class/drm/card1');
    expect(await look()).toEqual(['0 GPU-id-0 lost gpu-lost', '1 GPU-id-1 ok 0.2']);
  });

  test('two cards with one identity are two devices', async () => {
    addCard(0, { id: 'twin' });
    addCard(1, { id: 'twin' });
    await source.open();
    expect(await look()).toEqual(['0 GPU-twin ok 0.1', '1 GPU-twin@0000:02:00.0 ok 0.2']);
  });

  test('a card of plain folders, without links, is a card', async () => {
    tree.write('sys/class/drm/card0/device/vendor', '0xfake');
    tree.write('sys/class/drm/card0/device/unique_id', 'plain');
    tree.write('sys/class/drm/card0/device/busy', '5');
    await source.open();
    expect(await look()).toEqual(['0 GPU-plain ok 0.05']);
    tree.remove('sys/class/drm/card0');
    expect(await look()).toEqual(['0 GPU-plain lost gpu-lost']);
  });
});

describe('cards that sleep', () => {
  test('are not read, and are read again once they are awake', async () => {
    addCard(0);
    // Reading anything but the status would block.
    tree.write(`${deviceOf(0)}/power/runtime_status`, 'suspended');
    tree.write(`${deviceOf(0)}/hang`, '');
    await source.open();
    expect(await look()).toEqual(['0 GPU-id-0 asleep asleep']);
    tree.remove(`${deviceOf(0)}/hang`);
    tree.write(`${deviceOf(0)}/power/runtime_status`, 'suspending');
    expect(await look()).toEqual(['0 GPU-id-0 asleep asleep']);
    for (const status of ['active', 'unsupported', 'error', '']) {
      tree.write(`${deviceOf(0)}/power/runtime_status`, status);
      expect(await look()).toEqual(['0 GPU-id-0 ok 0.1']);
    }
  });
});

describe('files', () => {
  test.each<[string, readonly (readonly [string, number | string])[]]>([
    [
      'that hold a number',
      [
        ['100', 1],
        ['0', 0],
        ['+7', 0.07],
        [' 12 ', 0.12],
        ['12.5', 0.125],
      ],
    ],
    [
      'that hold one no card can have',
      [
        ['101', 'error'],
        ['-1', 'error'],
        ['18446744073709551615', 'error'],
      ],
    ],
    [
      'that hold something else',
      ['', 'garbage', '12 %', '1e3', '0x10', 'NaN', '\0\0', '1\n2'].map((text) => [text, 'error']),
    ],
  ])('%s', async (_, cases) => {
    addCard(0);
    await source.open();
    for (const [busy, want] of cases) {
      tree.write(`${deviceOf(0)}/busy`, busy);
      expect(await look(), JSON.stringify(busy)).toEqual([`0 GPU-id-0 ok ${want}`]);
    }
  });

  test('that are folders, or links that lead nowhere', async () => {
    addCard(0);
    await source.open();
    const file = `${deviceOf(0)}/busy`;
    tree.remove(file);
    tree.link(file, 'busy');
    expect(await look()).toEqual(['0 GPU-id-0 ok error']);
    tree.remove(file);
    tree.write(`${file}/x`, '');
    expect(await look()).toEqual(['0 GPU-id-0 ok error']);
    tree.remove(file);
    expect(await look()).toEqual(['0 GPU-id-0 ok not-supported']);
  });
});

describe('a card that hangs', () => {
  test('is left out while the others are read, and read again after it has returned', async () => {
    for (const number of [0, 1, 2]) addCard(number);
    await source.open();
    tree.write(`${deviceOf(1)}/hang`, '');
    expect(await look()).toEqual(['0 GPU-id-0 ok 0.1', '2 GPU-id-2 ok 0.3']);
    expect(await look()).toEqual(['0 GPU-id-0 ok 0.1', '2 GPU-id-2 ok 0.3']);
    expect(source.devices().length).toBe(3);
    expect(source.notices()).toEqual([
      { key: 'notice.gpu-hangs', params: { index: 1, call: 'fake', seconds: expect.any(Number) } },
    ]);
  });

  test('from the very first read does not hide the others', async () => {
    addCard(0);
    addCard(1);
    tree.write(`${deviceOf(0)}/hang`, '');
    await source.open();
    expect(await look()).toEqual(['1 GPU-id-1 ok 0.2']);
  });

  test('as the only one leaves ticks without it, in no more time than it takes to notice', async () => {
    addCard(0);
    await source.open();
    tree.write(`${deviceOf(0)}/hang`, '');
    const before = performance.now();
    expect(await look()).toEqual([]);
    expect(await look()).toEqual([]);
    expect(performance.now() - before).toBeLessThan(10 * HANG_MS + 2000);
  });

  test('does not keep the source from closing', async () => {
    addCard(0);
    await source.open();
    tree.write(`${deviceOf(0)}/hang`, '');
    const tick = source.sample(1);
    await source.close();
    expect(await tick).toBeNull();
  });
});

test('a worker that cannot be started is an error, not a crash', async () => {
  const other = new DrmSource('fake', new URL('./no-such-worker.ts', import.meta.url), {
    clock: systemClock,
    root: tree.root,
  });
  await expect(other.open()).rejects.toBeInstanceOf(AppError);
  await other.close();
});
