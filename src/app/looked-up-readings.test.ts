import { expect, test } from 'vitest';
import { DEVICE_METRICS, slotOf } from '../model/catalogue.ts';
import { ReadingSet } from '../model/reading-set.ts';
import { apiReadings } from '../server/wire/api-readings.ts';
import { lookedUpReadings } from './looked-up-readings.ts';

test('what is looked up is what the API writes, metric by metric', () => {
  const set = new ReadingSet();
  for (const [i, { slot }] of DEVICE_METRICS.entries()) if (i % 3 === 0) set.setValue(slot, i);
  set.setValue(slotOf('power_watts'), 0);
  set.setAbsent(slotOf('temperature_celsius'), 'no-permission');
  const written = apiReadings(set, null);
  const { readings, absent } = lookedUpReadings(set);
  for (const { id } of DEVICE_METRICS) {
    expect([id, readings[id], absent[id]]).toEqual([id, written.readings[id], written.absent[id]]);
  }
});
