import type { SourceFlags } from '../options.ts';
import { badCombination } from './failure.ts';
import type { Given, OptionSpec } from './words.ts';

/** Options of gpulse, in every mode. */
export const OWN_OPTIONS = {
  source: { names: ['--source'], value: 'required' },
  remote: { names: ['--remote'], value: 'required' },
  nvmlLibrary: { names: ['--nvml-library'], value: 'required' },
  timeZone: { names: ['--time-zone'], value: 'required' },
  lang: { names: ['--lang'], value: 'required' },
  help: { names: ['-h', '--help'], value: 'none' },
} as const satisfies Record<string, OptionSpec>;

/** Milliseconds of a text in units of so many; throws a SmiFailure for what is no time. */
export function intervalMs(text: string, unitMs: number): number {
  const value = Number(text) * unitMs;
  if (!/^\d+(?:\.\d+)?$/.test(text) || value < 1 || value > 2 ** 31 - 1) throw badCombination();
  return Math.round(value);
}

export function sourceFlags(given: Given<keyof typeof OWN_OPTIONS>): SourceFlags {
  const { source = 'auto', remote, nvmlLibrary, timeZone } = given;
  return {
    source,
    ...(remote !== undefined && { remote }),
    ...(nvmlLibrary !== undefined && { nvmlLibrary }),
    ...(timeZone !== undefined && { timeZone }),
  };
}
