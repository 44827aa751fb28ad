import { memo } from 'react';
import { quantity } from '../../../src/model/format.ts';
import type { Unit } from '../../../src/model/metrics/entry.ts';
import { useLang } from '../state/app-context.ts';

/** A number with its unit set smaller beside it. */
export const Figure = memo(function Figure({ value, unit }: { value: number; unit: Unit }) {
  const { figure, unit: word } = quantity(value, unit, useLang());
  return (
    <span className="figure">
      {figure}
      {word !== '' && word !== '%' && ' '}
      {word !== '' && <span className={word === '%' ? 'unit unit-close' : 'unit'}>{word}</span>}
    </span>
  );
});
