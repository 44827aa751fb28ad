import type { Clock } from '../model/clock.ts';
import { AppError } from '../model/errors.ts';
import type { Probe } from '../model/ports.ts';
import type { Millis } from '../model/reading.ts';

export interface SourceOptions {
  /** `auto`, `nvml`, `simulate:SCENARIO[,option=value…]` or `replay:FILE`. */
  readonly spec: string;
  /** Path of the NVML library, where it is not in a usual place. */
  readonly nvmlLibrary: string | null;
  /** IANA zone of the times in a recording that carry none; null for the zone of this host. */
  readonly timeZone: string | null;
  readonly clock: Clock;
  /** False where nobody keeps a history: a simulation then starts now, and what is to happen happens soon. */
  readonly simulatePast?: boolean;
}

/** What a `--source` argument asks for, told apart without opening anything. */
export type SourceSpec =
  | { readonly kind: 'device' }
  | { readonly kind: 'simulate'; readonly scenario: string }
  | { readonly kind: 'replay'; readonly path: string };

/** Reads a `--source` argument; throws UNKNOWN_SOURCE for a word that is none. */
export function parseSource(spec: string): SourceSpec {
  const colon = spec.indexOf(':');
  const [kind, rest] = colon < 0 ? [spec, ''] : [spec.slice(0, colon), spec.slice(colon + 1)];
  if (colon < 0 && (kind === 'auto' || kind === 'nvml')) return { kind: 'device' };
  if (kind === 'simulate' && rest !== '') return { kind: 'simulate', scenario: rest };
  if (kind === 'replay' && rest !== '') return { kind: 'replay', path: rest };
  throw new AppError('UNKNOWN_SOURCE', { name: spec });
}

/**
 * Opens a source. A machine without a GPU is a refused probe, not an exception; what the user got wrong (an unknown
 * scenario, a file that is not there) throws an AppError.
 */
export async function openSource(options: SourceOptions): Promise<Probe> {
  const { spec, nvmlLibrary, timeZone, clock, simulatePast = true } = options;
  const parsed = parseSource(spec);
  // Each source is loaded only when it is asked for: `stat` must start fast, and a replay needs no driver binding.
  if (parsed.kind === 'device') {
    const { openNvml } = await import('../sources/nvml/nvml-source.ts');
    return openNvml({ clock, ...(nvmlLibrary === null ? {} : { library: nvmlLibrary }) });
  }
  if (parsed.kind === 'simulate') {
    const { openSimulator } = await import('../sources/simulator/simulator-source.ts');
    return { ok: true, source: openSimulator(simulatePast ? parsed.scenario : withoutPast(parsed.scenario)) };
  }
  const { openRecording } = await import('../sources/recording/recording-source.ts');
  return { ok: true, source: await openRecording({ path: parsed.path, ...(timeZone === null ? {} : { timeZone }) }) };
}

/** A later option wins, so that a history the user asked for stays. */
function withoutPast(scenario: string): string {
  const [name, ...options] = scenario.split(',');
  return [name, 'history=0', ...options].join(',');
}

/** How far back a simulation is to be computed before it goes on live, in milliseconds; 0 for every other source. */
export async function simulatedHistoryMs(spec: string): Promise<Millis> {
  const parsed = parseSource(spec);
  if (parsed.kind !== 'simulate') return 0;
  const { parseSimulation } = await import('../sources/simulator/simulator-source.ts');
  return parseSimulation(parsed.scenario).historyMs;
}
