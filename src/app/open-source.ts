import type { MetricId } from '../model/catalogue.ts';
import type { Clock } from '../model/clock.ts';
import type { Device } from '../model/device.ts';
import { AppError } from '../model/errors.ts';
import type { Probe } from '../model/ports.ts';
import type { Millis } from '../model/reading.ts';

export interface SourceOptions {
  /** `auto`, `nvml`, `nvidia-smi`, `nvidia-smi:ssh:HOST`, `amdgpu`, `intel`, `simulate:SCENARIO[,option=value…]` or `replay:FILE`. */
  readonly spec: string;
  /** Path of the NVML library, where it is not in a usual place. */
  readonly nvmlLibrary: string | null;
  /** IANA zone of the times in a recording that carry none; null for the zone of this host. */
  readonly timeZone: string | null;
  readonly clock: Clock;
  /** Milliseconds between ticks, for a source that samples at a pace of its own. */
  readonly intervalMs?: number;
  /** Milliseconds for which a driver that is slow to start is waited for; from then on its ticks say so. */
  readonly probeMs?: number;
  /** Devices that were there before the source was let go of: one that is missing now is lost, not forgotten. */
  readonly known?: readonly Device[];
  /** False where nobody keeps a history: a simulation then starts now, and what is to happen happens soon. */
  readonly simulatePast?: boolean;
  /** True where the process may be ended should the driver hang: it is then ready in half the time. */
  readonly isDeadlined?: boolean;
  /** All that will be looked at; a source that reads more may leave the rest out. */
  readonly only?: readonly MetricId[];
}

/**
 * What a `--source` argument asks for, told apart without opening anything. `device` is every GPU of this machine, or all
 * that NVIDIA's driver has; `smi` what the tool nvidia-smi prints, here or on another machine; `drm` is what one graphics driver of the kernel has.
 */
export type SourceSpec =
  | { readonly kind: 'device' }
  | { readonly kind: 'drm'; readonly driver: 'amdgpu' | 'intel' }
  | { readonly kind: 'smi'; readonly remote: string | null }
  | { readonly kind: 'simulate'; readonly scenario: string }
  | { readonly kind: 'replay'; readonly path: string };

const BY_SSH = 'ssh:';

/** Reads a `--source` argument; throws UNKNOWN_SOURCE for a word that is none. */
export function parseSource(spec: string): SourceSpec {
  const colon = spec.indexOf(':');
  const [kind, rest] = colon < 0 ? [spec, ''] : [spec.slice(0, colon), spec.slice(colon + 1)];
  if (colon < 0 && (kind === 'auto' || kind === 'nvml')) return { kind: 'device' };
  if (colon < 0 && (kind === 'amdgpu' || kind === 'intel')) return { kind: 'drm', driver: kind };
  if (kind === 'nvidia-smi' && (colon < 0 || rest.startsWith(BY_SSH))) {
    return { kind: 'smi', remote: colon < 0 ? null : rest.slice(BY_SSH.length) };
  }
  if (kind === 'simulate' && rest !== '') return { kind: 'simulate', scenario: rest };
  if (kind === 'replay' && rest !== '') return { kind: 'replay', path: rest };
  throw new AppError('UNKNOWN_SOURCE', { name: spec });
}

/**
 * Opens a source. A machine without a GPU is a refused probe, not an exception; what the user got wrong (an unknown
 * scenario, a file that is not there) throws an AppError.
 */
export async function openSource(options: SourceOptions): Promise<Probe> {
  const {
    spec,
    nvmlLibrary,
    timeZone,
    clock,
    probeMs,
    known = [],
    intervalMs,
    simulatePast = true,
    isDeadlined = false,
    only,
  } = options;
  const parsed = parseSource(spec);
  // Each source is loaded only when it is asked for: `stat` must start fast, and a replay needs no driver binding.
  if (parsed.kind === 'device') {
    const openNvml = async (): Promise<Probe> => {
      const nvml = await import('../sources/nvml/nvml-source.ts');
      return nvml.openNvml({
        clock,
        isDeadlined,
        ...(only === undefined ? {} : { only }),
        known: known.filter(({ vendor, mig }) => vendor === 'nvidia' && mig === undefined),
        ...(nvmlLibrary === null ? {} : { library: nvmlLibrary }),
        ...(probeMs === undefined ? {} : { probeMs }),
      });
    };
    if (spec === 'nvml') return openNvml();
    const { openMachine } = await import('./open-machine.ts');
    return openMachine({ clock, openNvml });
  }
  if (parsed.kind === 'drm') {
    const { openDriver } = await import('./open-machine.ts');
    return openDriver(parsed.driver, clock);
  }
  if (parsed.kind === 'smi') {
    const { openSmi } = await import('../sources/nvidia-smi/smi-source.ts');
    return openSmi({
      clock,
      remote: parsed.remote,
      ...(intervalMs === undefined ? {} : { intervalMs }),
      ...(probeMs === undefined ? {} : { probeMs }),
    });
  }
  if (parsed.kind === 'simulate') {
    const { openSimulator } = await import('../sources/simulator/simulator-source.ts');
    return { ok: true, source: openSimulator(simulatePast ? parsed.scenario : withoutPast(parsed.scenario)) };
  }
  const { openRecording } = await import('../sources/recording/recording-source.ts');
  return { ok: true, source: await openRecording({ path: parsed.path, ...(timeZone === null ? {} : { timeZone }) }) };
}

/** The other machine that a `--source` argument is about; null for this one. */
export function remoteHost(spec: string): string | null {
  const parsed = parseSource(spec);
  return parsed.kind === 'smi' ? parsed.remote : null;
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
