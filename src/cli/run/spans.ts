import { AppError } from '../../model/errors.ts';

const TIMES: Readonly<Record<string, number>> = {
  ms: 1,
  '': 1000,
  s: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const LONGEST_MS = 366 * 86_400_000;

/** Milliseconds of `90s`, `1h30m` or a plain number of seconds, above 0 unless `least` is; throws BAD_OPTION. */
export function parseSpan(option: string, value: string, least = 1): number {
  const parts = [...value.trim().matchAll(/(\d+(?:\.\d+)?)\s*(ms|min|s|m|h|d|)/gy)];
  const isWhole = parts.map(([text]) => text).join('') === value.trim() && parts.length > 0;
  const ms = parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * TIMES[unit ?? '']!, 0);
  if (isWhole && ms >= least && ms <= LONGEST_MS) return ms;
  throw new AppError('BAD_OPTION', { option, value, expected: '90s, 30m, 1h30m, 2d, …' });
}

const SIZES: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  k: 1e3,
  kb: 1e3,
  kib: 2 ** 10,
  m: 1e6,
  mb: 1e6,
  mib: 2 ** 20,
  g: 1e9,
  gb: 1e9,
  gib: 2 ** 30,
  t: 1e12,
  tb: 1e12,
  tib: 2 ** 40,
};

/** Bytes of `100MB`, `40GiB` or a plain number of bytes, above 0 unless `least` is; throws BAD_OPTION. */
export function parseSize(option: string, value: string, least = 1): number {
  const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(value.trim()) ?? [];
  const bytes = Number(amount) * (SIZES[unit.toLowerCase()] ?? Number.NaN);
  if (amount !== '' && bytes >= least) return Math.round(bytes);
  throw new AppError('BAD_OPTION', { option, value, expected: '500MB, 40GiB, …' });
}
