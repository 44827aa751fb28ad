import { expect, test } from 'vitest';
import { isOnRootBus, longBusId, parseGeneration, slotOfFolder } from './pci.ts';

test.each([
  ['2.5 GT/s PCIe', 1],
  ['5.0 GT/s PCIe', 2],
  ['5 GT/s', 2],
  ['8.0 GT/s PCIe', 3],
  ['16.0 GT/s PCIe', 4],
  ['32.0 GT/s PCIe', 5],
  ['64.0 GT/s PCIe', 6],
  ['Unknown', null],
  ['Unknown speed', null],
  ['3.0 GT/s', null],
  ['', null],
])('a speed of %j is generation %s', (text, want) => {
  const generation = parseGeneration(text);
  expect(typeof generation === 'number' ? generation : null).toBe(want);
});

test.each([
  ['/sys/devices/pci0000:00/0000:00:02.0', '0000:00:02.0', true],
  ['/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0', '0000:01:00.0', false],
  ['/sys/devices/pci10001:00/10001:00:01.0', '10001:00:01.0', true],
  ['/sys/devices/platform/amdgpu_xcp_0', null, false],
])('%s', (path, slot, root) => {
  expect(slotOfFolder(path)).toBe(slot);
  expect(isOnRootBus(path)).toBe(root);
});

test('a bus id is written as every other source writes it', () => {
  expect(longBusId('0000:c4:00.0')).toBe('00000000:C4:00.0');
  expect(longBusId('10001:01:00.0')).toBe('00010001:01:00.0');
});
