import { type Retention, USUAL_RETENTION } from '../history/retention.ts';
import { AppError } from '../model/errors.ts';

/** What can be kept, in the order of the levels of the history; events have no size. */
const KINDS = ['raw', '1m', '5m', '1h', 'events'] as const;

const DAY = 86_400_000;
const AGES: Readonly<Record<string, number>> = { h: DAY / 24, d: DAY, w: 7 * DAY, y: 365 * DAY };
const SIZES: Readonly<Record<string, number>> = { mb: 1e6, gb: 1e9, tb: 1e12 };
const EXPECTED = 'raw|1m|5m|1h|events=AGE[/SIZE], …, such as raw=14d/1GB,1h=5y or raw=all';

interface Limits {
  ageMs: number;
  bytes: number;
}

/**
 * How much of what is kept: `raw=14d/1GB,1m=60d,5m=1y,1h=5y/200MB,events=1y`. What is not named stays as usual; `all` is no
 * limit. Throws BAD_OPTION.
 */
export function parseKeep(text: string): Retention {
  const fault = (value: string) => new AppError('BAD_OPTION', { option: '--keep', value, expected: EXPECTED });
  const limits: Limits[] = [...USUAL_RETENTION.levels, { ageMs: USUAL_RETENTION.eventsMs, bytes: 0 }].map((each) => ({
    ...each,
  }));
  for (const part of text.split(',')) {
    const [name = '', values = ''] = part.trim().split('=');
    const limit = limits[(KINDS as readonly string[]).indexOf(name)];
    if (limit === undefined || values === '') throw fault(part);
    for (const value of values.split('/')) if (!setLimit(limit, value, name === 'events')) throw fault(part);
  }
  return { levels: limits.slice(0, -1), eventsMs: limits.at(-1)!.ageMs };
}

/** Bytes of `500MB`, `1GB` or `2TB`, from 1 MB on; throws BAD_OPTION naming `option`. */
export function parseSize(option: string, value: string): number {
  const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?)([a-z]+)$/i.exec(value) ?? [];
  const bytes = Number(amount) * (SIZES[unit.toLowerCase()] ?? Number.NaN);
  if (!(bytes >= 1e6)) throw new AppError('BAD_OPTION', { option, value, expected: '1MB … (500MB, 2GB)' });
  return Math.round(bytes);
}

/** False where the text is neither an age nor a size. */
function setLimit(limit: Limits, text: string, isEvents: boolean): boolean {
  if (text === 'all') {
    limit.ageMs = Number.POSITIVE_INFINITY;
    limit.bytes = Number.POSITIVE_INFINITY;
    return true;
  }
  const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?)([a-z]+)$/i.exec(text) ?? [];
  const [age, size] = [AGES[unit], SIZES[unit.toLowerCase()]];
  if (!(Number(amount) > 0)) return false;
  if (age !== undefined) limit.ageMs = Number(amount) * age;
  else if (size !== undefined && !isEvents) limit.bytes = Number(amount) * size;
  else return false;
  return true;
}
