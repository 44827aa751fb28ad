import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Device } from '../../model/device.ts';
import { testDevice } from '../../model/scripted-source.ts';
import { isDevice, parseDeviceId } from './device-ids.ts';

const A = 'GPU-0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0';
const B = 'GPU-11111111-2222-3333-4444-555555555555';
const SLICE = 'MIG-aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee';

const card = testDevice(0, { uuid: A, minor: 3, pciBusId: '00000000:65:00.0' });
const other = testDevice(1, { uuid: B, minor: 4, pciBusId: '00000001:65:00.0' });
const slice = testDevice(0, {
  uuid: SLICE,
  minor: null,
  pciBusId: '00000000:65:00.0',
  mig: { parent: A, gpuInstance: 5, computeInstance: 0, profile: '3g.40gb' },
});
const amd = testDevice(2, { uuid: 'amd-1', vendor: 'amd', minor: 3, pciBusId: '0000:c3:00.0' });
const devices: readonly [string, Device][] = [
  ['card', card],
  ['other', other],
  ['slice', slice],
  ['amd', amd],
];

/** Names of the devices an id stands for. */
function meant(id: string): string {
  const key = parseDeviceId(id);
  return devices
    .filter(([, device]) => isDevice(key, device, device.mig === undefined ? undefined : card))
    .map(([name]) => name)
    .join();
}

describe('an id of a device plugin', () => {
  test.each([
    [A, 'card'],
    [A.toUpperCase(), 'card'],
    [`${A}::0`, 'card'],
    [`${A}::15`, 'card'],
    [`${A}-3`, 'card'],
    [`${A}_3`, 'card'],
    [`${A}/vgpu2`, 'card'],
    [` ${B} `, 'other'],
    ['nvidia3', 'card'],
    ['nvidia4', 'other'],
    ['nvidia0', ''],
    ['nvidia3/vgpu1', 'card'],
    ['nvidia3/gi5', 'slice'],
    ['nvidia3/gi5/vgpu0', 'slice'],
    ['nvidia3/gi4', ''],
    ['nvidia4/gi5', ''],
    [SLICE, 'slice'],
    [`${SLICE}::2`, 'slice'],
    [`MIG-${A}/5/0`, 'slice'],
    [`MIG-${A}/5/0::1`, 'slice'],
    [`MIG-${A}/5/1`, ''],
    [`MIG-${A}/4/0`, ''],
    [`MIG-${B}/5/0`, ''],
    [`nvidia.com/gpu=${A}`, 'card'],
    ['0000:65:00.0', 'card'],
    ['00000000:65:00.0', 'card'],
    ['65:00.0', 'card'],
    ['0001:65:00.0', 'other'],
    ['0000:C3:00.0', 'amd'],
    ['amd-1', 'amd'],
    ['0000:65:00.1', ''],
    ['0', ''],
    ['3', ''],
    ['', ''],
    ['nvidia', ''],
    ['nvidiactl', ''],
    ['gpu-3', ''],
    [A.slice(0, -1), ''],
    [`${A}0`, ''],
    [`X${A}`, ''],
  ])('%j is %s', (id, want) => expect(meant(id)).toBe(want));

  test('is read without throwing, whatever it is, and stands for no device by chance', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), (id) => {
        expect(meant(id)).toBe('');
      }),
    );
  });
});
