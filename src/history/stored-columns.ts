import { CATALOGUE } from '../model/catalogue.ts';
import { SUMMED } from './engine/sum.ts';
import type { Column } from './protocol.ts';

/** The metric catalogue as storage sees it. */
export function storedColumns(): readonly Column[] {
  return CATALOGUE.map(({ id, unit, kind }) => ({
    id,
    summed: unit === 'bits' ? SUMMED.bits : kind === 'counter' ? SUMMED.counter : SUMMED.value,
  }));
}
