import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Device } from '../../model/device.ts';
import { ReadingSet } from '../../model/reading-set.ts';
import { cardFilter, cardsOf, longBusId, shownUuid, unmatched } from './cards.ts';
import { wholeMiB } from './cell.ts';
import { readPciPlace } from './pci-place.ts';

function device(index: number, more: Partial<Device> = {}): Device {
  return {
    uuid: `GPU-${index}${index}`,
    vendor: 'nvidia',
    name: 'card',
    index,
    pciBusId: `00000000:0${index + 2}:00.0`,
    minor: index,
    serial: `165${index}`,
    driverVersion: '590.48.01',
    ...more,
  };
}

function cards(...devices: Device[]) {
  const views = devices.map((each) => ({
    device: each,
    state: 'ok' as const,
    readings: new ReadingSet(),
    processes: [],
    at: 0,
  }));
  return cardsOf(views, () => null);
}

test('-i takes indexes, serial numbers, UUIDs and loose bus ids', () => {
  const all = cards(device(0), device(1));
  const check = (list: string | null, want: number[]) =>
    expect(all.filter(cardFilter(list)).map(({ view }) => view.device.index)).toEqual(want);
  check(null, [0, 1]);
  check('1', [1]);
  check('1650, 1', [0, 1]);
  check('gpu-11', [1]);
  check('00000000:02:00.0', [0]);
  check('0:2:0.0', [0]);
  check('03:00', [1]);
  check('0000:03:00.1', []);
  check('2', []);
  check('', []);
  expect(unmatched('0,7,0:9:0.0', all)).toEqual(['7', '0:9:0.0']);
});

test('instances belong to their card, and one without its card stands for itself', () => {
  const mig = { parent: 'GPU-00', gpuInstance: 1, computeInstance: 0, profile: null };
  const found = cards(
    device(0),
    device(0, { uuid: 'MIG-a', mig }),
    device(1, { uuid: 'MIG-b', mig: { ...mig, parent: 'GPU-gone' } }),
  );
  expect(found.map(({ view, instances }) => [view.device.uuid, instances.length])).toEqual([
    ['GPU-00', 1],
    ['MIG-b', 0],
  ]);
});

test('ids are printed in the long form, and a UUID that was made up from a position is not one', () => {
  expect(longBusId('0000:0c:00.0')).toBe('00000000:0C:00.0');
  expect(longBusId('00000000:0C:1F.1')).toBe('00000000:0C:1F.1');
  expect(longBusId(null)).toBe(null);
  const check = (uuid: string, want: string | null, vendor: 'nvidia' | 'amd' = 'nvidia') =>
    expect(shownUuid(device(0, { uuid, uuidIsDerived: true, vendor })), `${vendor} ${uuid}`).toBe(want);
  check('log-0', null);
  check('GPU-index-2', null);
  check('GPU-pci-00000000:03:00.0', null);
  // GPUs of other makers have none of their own, and scripts need something to tell them apart.
  check('GPU-pci-00000000:03:00.0', 'GPU-pci-00000000:03:00.0', 'amd');
  expect(shownUuid(device(0))).toBe('GPU-00');
});

test('memory is cut off by older drivers and rounded up by newer ones', () => {
  const bytes = 1.25 * 2 ** 20;
  expect(wholeMiB(bytes, device(0, { driverVersion: '535.154.05' }))).toBe('1');
  expect(wholeMiB(bytes, device(0))).toBe('2');
  expect(wholeMiB(2 ** 30, device(0))).toBe('1024');
  expect(wholeMiB(bytes, device(0, { vendor: 'amd', driverVersion: '6.8.0' }))).toBe('2');
});

let sys: string;
beforeAll(() => {
  sys = mkdtempSync(join(tmpdir(), 'gpulse-sys-'));
  const folder = join(sys, 'bus/pci/devices/0000:0c:00.0');
  mkdirSync(folder, { recursive: true });
  const files = {
    vendor: '0x10de',
    device: '0x2330',
    subsystem_vendor: '0x10de',
    subsystem_device: '0x16c1',
    class: '0x030200',
    numa_node: '-1',
    local_cpulist: '0-19,40-59',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), `${text}\n`);
});
afterAll(() => rmSync(sys, { recursive: true }));

test('the kernel tells the place of a card', () => {
  const place = {
    deviceId: '0x233010DE',
    subsystemId: '0x16C110DE',
    baseClass: '0x3',
    subClass: '0x2',
    cpus: '0-19,40-59',
    memoryNode: null,
  };
  expect(readPciPlace('00000000:0C:00.0', sys)).toEqual(place);
  expect(readPciPlace('0000:0c:00.0', sys)).toEqual(place);
  expect(readPciPlace('00000000:0D:00.0', sys)).toBe(null);
  expect(readPciPlace('../../etc', sys)).toBe(null);
  expect(readPciPlace(null, sys)).toBe(null);
});
