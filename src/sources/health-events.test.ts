import { expect, test } from 'vitest';
import { slotOf } from '../model/catalogue.ts';
import { ReadingSet } from '../model/reading-set.ts';
import { HealthEvents } from './health-events.ts';

const POWER = slotOf('power_watts');
const ERRORS = slotOf('ecc_uncorrected_volatile_total');

test('errors are news whether or not the source tells which slots it fills, and after one that fills others', () => {
  const [others, all] = [[POWER], [POWER, ERRORS]];
  const found: unknown[] = [];
  const health = new HealthEvents();
  const compare = (errors: number | null, slots: readonly number[] | null): void => {
    const readings = new ReadingSet();
    if (errors !== null) readings.setValue(ERRORS, errors);
    readings.slots = slots;
    health.compare(readings, (kind, severity, params) => found.push([kind, severity, params]));
  };
  compare(1, all);
  compare(null, others);
  compare(null, others);
  compare(3, all);
  compare(7, null);
  expect(found).toEqual([
    ['ecc-uncorrected', 'critical', { count: 2 }],
    ['ecc-uncorrected', 'critical', { count: 4 }],
  ]);
});
