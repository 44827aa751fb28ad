import { expect, test } from 'vitest';
import { testGpu } from '../../../src/client/test-gpu.ts';
import type { ApiMetric } from '../../../src/model/api-device.ts';
import { splitMetrics } from './split-metrics.ts';

function metric(id: string, values: Partial<ApiMetric> = {}): ApiMetric {
  const words = { label: id.toUpperCase(), help: 'how it is' };
  const kind = { scope: 'device', topic: 'modes', unit: 'ratio', kind: 'gauge' } as const;
  return { id, ...kind, ...words, layer: 'health', cadence: 'fast', ...values };
}

const METRICS = [
  metric('power', { label: '功耗', smi: 'power.draw', dcgm: 'DCGM_FI_DEV_POWER_USAGE' }),
  metric('fan'),
  metric('load', { scope: 'host' }),
];

test('metrics are split by whether any GPU reports them, and found by any of their names', () => {
  const gpus = [testGpu({ readings: { power: null, fan: null } }), testGpu({ readings: { power: 0, fan: null } })];
  const check = (text: string, reported: string, absent: string) => {
    const split = splitMetrics(METRICS, gpus, text);
    expect(
      [split.reported, split.absent].map((list) => list.map(({ id }) => id).join()),
      text,
    ).toEqual([reported, absent]);
  };
  check('', 'power', 'fan');
  check('FAN', '', 'fan');
  check('功耗', 'power', '');
  check('power.draw', 'power', '');
  check('dcgm usage', 'power', '');
  check('dcgm fan', '', '');
  check('load', '', '');
});
