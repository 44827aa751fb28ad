import { AppError } from '../../model/errors.ts';
import type { Text } from '../../model/i18n/text.ts';
import type { Source } from '../../model/ports.ts';
import type { Scenario, SimulationSpec } from './scenario.ts';
import { ScenarioSource } from './scenario-source.ts';
import { ALL_SCENARIOS } from './scenarios/all.ts';

/** Names and one-line descriptions of all scenarios, for `--help` and the docs. */
export const SCENARIOS: readonly { readonly name: string; readonly summary: Text }[] = ALL_SCENARIOS;

const MAX_GPUS = 256;
const MAX_SEED = 2 ** 32 - 1;
const MAX_HISTORY_MS = 7 * 86_400_000;
const DEFAULT_HISTORY_MS = 3 * 3_600_000;

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** What each option takes, in the words of the error message. */
const EXPECTED = {
  gpus: `1–${MAX_GPUS}`,
  seed: `0–${MAX_SEED}`,
  history: '0, 90s, 45m, 3h … 7d',
  at: '0, 90s, 45m, 3h …',
} as const;

/**
 * A machine that does not exist. `spec` is the part behind `simulate:`, such as `thermal-throttle,gpus=8,seed=1`.
 * Throws AppError UNKNOWN_SCENARIO or BAD_OPTION.
 */
export function openSimulator(spec: string): Source {
  return new ScenarioSource(parseSimulation(spec));
}

/**
 * Parses `SCENARIO[,gpus=N][,seed=N][,history=DURATION][,at=DURATION]`; of an option given twice the last one counts.
 * Throws UNKNOWN_SCENARIO, or BAD_OPTION with what is expected.
 */
export function parseSimulation(spec: string): SimulationSpec {
  const [name = '', ...options] = spec.split(',').map((part) => part.trim());
  const scenario = ALL_SCENARIOS.find((candidate) => candidate.name === name);
  if (scenario === undefined) {
    const known = ALL_SCENARIOS.map((candidate) => candidate.name).join(', ');
    throw new AppError('UNKNOWN_SCENARIO', { name, known });
  }
  const values = new Map(options.map((option) => splitOption(scenario, option)));
  const historyMs = duration('history', values.get('history'), MAX_HISTORY_MS) ?? DEFAULT_HISTORY_MS;
  const at = duration('at', values.get('at'), Number.MAX_SAFE_INTEGER);
  return {
    scenario,
    gpus: whole('gpus', values.get('gpus'), 1, MAX_GPUS) ?? 8,
    seed: whole('seed', values.get('seed'), 0, MAX_SEED) ?? 1,
    historyMs,
    incidentMs: at ?? scenario.incident?.(historyMs) ?? Number.POSITIVE_INFINITY,
  };
}

function splitOption(scenario: Scenario, option: string): [string, string] {
  const [key = '', value = ''] = option.split(/=(.*)/s);
  const known = Object.keys(EXPECTED).filter((name) => name !== 'at' || scenario.incident !== undefined);
  if (!known.includes(key)) {
    const expected = known.map((name) => `${name}=`).join(', ');
    throw new AppError('BAD_OPTION', { option: `simulate:${scenario.name}`, value: option, expected });
  }
  return [key, value];
}

function whole(key: 'gpus' | 'seed', text: string | undefined, min: number, max: number): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) throw badValue(key, text);
  return value;
}

function duration(key: 'history' | 'at', text: string | undefined, max: number): number | undefined {
  if (text === undefined) return undefined;
  const match = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/.exec(text === '0' ? '0s' : text);
  const value = match === null ? Number.NaN : Math.round(Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS]);
  if (!(value <= max)) throw badValue(key, text);
  return value;
}

function badValue(key: keyof typeof EXPECTED, value: string): AppError {
  return new AppError('BAD_OPTION', { option: key, value, expected: EXPECTED[key] });
}
