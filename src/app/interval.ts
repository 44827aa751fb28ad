import { AppError } from '../model/errors.ts';

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

/** How far apart readings may be. */
const SAMPLING = { min: 100, max: 3_600_000, expected: '100ms … 1h (1s, 500ms)' };

/** Milliseconds of `500ms`, `1s`, `2m`, `1h` or a plain number of seconds; throws BAD_OPTION naming `option`. */
export function parseInterval(option: string, value: string, { min, max, expected } = SAMPLING): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(value);
  const ms = match === null ? Number.NaN : Number(match[1]) * UNITS[(match[2] ?? 's') as keyof typeof UNITS];
  if (!(ms >= min && ms <= max)) throw new AppError('BAD_OPTION', { option, value, expected });
  return ms;
}
