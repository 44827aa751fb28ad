import { expect, test } from 'vitest';
import type { Capabilities } from '../app/capabilities.ts';
import { DEVICE_METRICS, type MetricId, slotOf } from '../model/catalogue.ts';
import { translator } from '../model/i18n/messages.ts';
import type { Lang } from '../model/i18n/text.ts';
import { ManualClock } from '../model/manual-clock.ts';
import { ReadingSet } from '../model/reading-set.ts';
import { testDevice, testSample } from '../model/scripted-source.ts';
import { capabilityJson, capabilityText } from './capability-text.ts';
import type { Context } from './context.ts';

function context(lang: Lang): Context {
  return { lang, t: translator(lang), clock: new ManualClock(), print: () => {}, warn: () => {}, color: false };
}

function readings(values: Partial<Record<MetricId, number>>): ReadingSet {
  const set = ReadingSet.allAbsent('not-supported');
  for (const [id, value] of Object.entries(values)) set.setValue(slotOf(id as MetricId), value);
  return set;
}

const MIG = { parent: 'GPU-0', gpuInstance: 5, computeInstance: 0, profile: '1g.10gb' };

const FOUND: Capabilities = {
  source: 'nvml',
  devices: [
    { ...testSample(testDevice(0), { readings: readings({ power_watts: 235.4, mig_mode: 1 }) }), at: 1 },
    {
      ...testSample(testDevice(0, { uuid: 'MIG-5', mig: MIG }), { readings: readings({ memory_used_bytes: 2 ** 30 }) }),
      at: 1,
    },
  ],
  notices: [],
  failure: null,
};

test('every metric has its line, below its topic, with a value or a reason for each device', () => {
  const lines = capabilityText(FOUND, 200, context('en')).split('\n');
  expect(lines.filter((line) => line.startsWith('  ')).length).toBe(DEVICE_METRICS.length + 1);
  const line = (label: string) =>
    lines
      .find((each) => each.trimStart().startsWith(`${label}  `))
      ?.trim()
      .split(/ {2,}/);
  expect(line('Power')).toEqual(['Power', '235 W', 'not supported']);
  expect(line('MIG mode')).toEqual(['MIG mode', 'on', 'not supported']);
  expect(line('Memory used')).toEqual(['Memory used', 'not supported', '1.00 GiB']);
  expect(lines).toContain('Temperature and power');
  expect(lines.find((each) => each.trim().startsWith('GPU 0  '))?.trim()).toMatch(/^GPU 0 +GPU 0:5$/);
});

test('it reads Chinese too', () => {
  expect(capabilityText(FOUND, 200, context('zh'))).toMatch(/温度与功耗\n(.*\n)* {2}功耗 +235 W +不支持/);
});

test('for programs every metric has a value or a reason', () => {
  const { gpus } = JSON.parse(capabilityJson(FOUND));
  expect(gpus).toMatchObject([
    { uuid: testDevice(0).uuid, mig: null },
    { uuid: 'MIG-5', mig: MIG },
  ]);
  const find = (id: string) => gpus[0].metrics.find((metric: { id: string }) => metric.id === id);
  expect(gpus[0].metrics).toHaveLength(DEVICE_METRICS.length);
  expect(find('power_watts')).toEqual({
    id: 'power_watts',
    topic: 'thermal',
    unit: 'watts',
    value: 235.4,
    absent: null,
  });
  expect(find('fan_speed_ratio')).toMatchObject({ value: null, absent: 'not-supported' });
});
