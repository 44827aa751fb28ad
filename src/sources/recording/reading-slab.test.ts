import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CATALOGUE } from '../../model/catalogue.ts';
import { ReadingSet } from '../../model/reading-set.ts';
import { giveBack, ReadingSlab } from './reading-slab.ts';

const slot = fc.nat(CATALOGUE.length - 1);

test('a set that was given back says nothing, whatever was in it', () => {
  fc.assert(
    fc.property(fc.option(fc.array(slot)), fc.array(slot), fc.array(slot), (slots, values, absences) => {
      const set = new ReadingSlab(slots).take();
      expect(set.slots).toEqual(slots);
      for (const filled of values) set.setValue(filled, 7);
      for (const filled of absences) set.setAbsent(filled, 'error');
      giveBack(set);
      const next = new ReadingSlab().take();
      expect(next).toBe(set);
      expect(next).toEqual(new ReadingSet());
      giveBack(next);
    }),
  );
});
