import { expect, test } from 'vitest';
import { CATALOGUE } from './catalogue.ts';
import { TOPICS, topicOf } from './metric-topics.ts';

test('every metric has a topic, and every topic a metric', () => {
  const known = Map.groupBy(CATALOGUE, ({ id }) => topicOf(id));
  expect([...known.keys()].sort()).toEqual([...TOPICS].sort());
  // A new file of metrics that has no topic yet would end among the modes.
  expect(known.get('modes')?.map(({ unit }) => unit)).toEqual(known.get('modes')?.map(() => 'state'));
  expect(known.get('host')?.every(({ scope }) => scope === 'host')).toBe(true);
});

test('a metric is found where people look for it', () => {
  const check = (id: string, topic: string) => expect(topicOf(id), id).toBe(topic);
  check('utilization_ratio', 'utilisation');
  check('sm_active_ratio', 'activity');
  check('power_watts', 'thermal');
  check('power_peak_watts', 'peaks');
  check('clock_event_reasons', 'clocks');
  check('fabric_state', 'nvlink');
  check('recovery_action', 'modes');
  check('host_cpu_ratio', 'host');
});
