import { AppError } from '../../model/errors.ts';
import { LANGUAGES } from '../../model/i18n/text.ts';
import type { SourceFlags } from '../options.ts';
import { badValue, conflict } from './failure.ts';
import type { Given, OptionSpec } from './words.ts';

/** Options of gpulse, in every mode. */
export const OWN_OPTIONS = {
  source: { names: ['--source'], value: 'required' },
  host: { names: ['--host', '--server'], value: 'required' },
  remote: { names: ['--remote'], value: 'required' },
  nvmlLibrary: { names: ['--nvml-library'], value: 'required' },
  timeZone: { names: ['--time-zone'], value: 'required' },
  lang: { names: ['--lang'], value: 'required' },
  help: { names: ['-h', '--help'], value: 'none' },
} as const satisfies Record<string, OptionSpec>;

/** Milliseconds of a text in units of so many; throws a SmiFailure for what is no time. */
export function intervalMs(option: string, text: string, unitMs: number): number {
  const value = Number(text) * unitMs;
  if (!/^\d+(?:\.\d+)?$/.test(text) || value < 1 || value > 2 ** 31 - 1) {
    throw badValue(option, text, unitMs === 1 ? '1, 2, 3, …' : '1, 0.5, …');
  }
  return Math.round(value);
}

/** Address of the gpulse that is asked instead of a source; null for none. Throws a SmiFailure where both were given. */
export function hostOf({ host, source, remote, nvmlLibrary }: Given<keyof typeof OWN_OPTIONS>): string | null {
  if (host === undefined) return null;
  if (source !== undefined) throw conflict('--host', '--source');
  if (remote !== undefined) throw conflict('--host', '--remote');
  if (nvmlLibrary !== undefined) throw conflict('--host', '--nvml-library');
  return host;
}

/** The source that was asked for. Throws BAD_OPTION for a language that gpulse does not speak. */
export function sourceFlags(given: Given<keyof typeof OWN_OPTIONS>): SourceFlags {
  const { lang } = given;
  if (lang !== undefined && !LANGUAGES.some((known) => known === lang)) {
    throw new AppError('BAD_OPTION', { option: '--lang', value: lang, expected: LANGUAGES.join(', ') });
  }
  const { source = 'auto', remote, nvmlLibrary, timeZone } = given;
  return {
    source,
    ...(remote !== undefined && { remote }),
    ...(nvmlLibrary !== undefined && { nvmlLibrary }),
    ...(timeZone !== undefined && { timeZone }),
  };
}
