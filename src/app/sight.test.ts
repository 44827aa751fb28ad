import { expect, test } from 'vitest';
import { ADMINISTRATOR, type Viewer } from '../model/ports.ts';
import { testDevice, testSample } from '../model/scripted-source.ts';
import { seenBy } from './sight.ts';

const process = {
  pid: 1,
  kind: 'compute',
  memoryBytes: 1,
  name: 'python',
  user: 'li',
  command: 'python -p s3cret',
} as const;
const snapshot = {
  sequence: 1,
  at: 1,
  devices: [{ ...testSample(testDevice(0), { processes: [process] }), at: 1 }],
};

test('only the administrator sees command lines', () => {
  expect(seenBy(ADMINISTRATOR, snapshot)).toBe(snapshot);
  const seen = seenBy({ kind: 'tenant' } as unknown as Viewer, snapshot);
  expect(JSON.stringify(seen)).not.toContain('s3cret');
  expect(seen.devices[0]?.processes).toEqual([{ ...process, command: null }]);
});
