import { existsSync } from 'node:fs';
import type { Clock } from '../model/clock.ts';
import type { AppError } from '../model/errors.ts';
import type { Probe, Source } from '../model/ports.ts';
import { CombinedSource, type MissingSource } from '../sources/combined-source.ts';
import { findOnBus } from '../sources/drm/probe.ts';

/** The drivers of which the GPUs of a machine are read, in the order of their indexes. */
const DRIVERS = ['nvml', 'amdgpu', 'intel'] as const;
type Driver = (typeof DRIVERS)[number];

export interface MachineOptions {
  readonly clock: Clock;
  readonly openNvml: () => Promise<Probe>;
  /** Root below which `/sys`, `/proc` and `/dev` are looked at; empty for this machine. */
  readonly root?: string;
}

/** Opens the GPUs that one kernel driver shows in sysfs. */
export async function openDriver(driver: 'amdgpu' | 'intel', clock: Clock, root = ''): Promise<Probe> {
  if (driver === 'amdgpu') {
    const { openAmdgpu } = await import('../sources/amdgpu/amdgpu-source.ts');
    return openAmdgpu({ clock, root });
  }
  const { openIntel } = await import('../sources/intel/intel-source.ts');
  return openIntel({ clock, root });
}

/**
 * Opens every GPU of this machine, whoever made it, as one source. What cannot be opened though its hardware is there is
 * tried again while the others are read. Where nothing can be opened, the probe is refused with the most telling cause.
 */
export async function openMachine(options: MachineOptions): Promise<Probe> {
  const { clock, openNvml, root = '' } = options;
  const open: Readonly<Record<Driver, () => Promise<Probe>>> = {
    nvml: openNvml,
    amdgpu: () => openDriver('amdgpu', clock, root),
    intel: () => openDriver('intel', clock, root),
  };
  const probes = await Promise.all(DRIVERS.map(async (driver) => ({ driver, probe: await open[driver]() })));
  const sources = probes.flatMap(({ probe }): Source[] => (probe.ok ? [probe.source] : []));
  const refused = probes.flatMap(({ driver, probe }) => (probe.ok ? [] : [{ driver, reason: probe.reason }]));
  const missing = refused
    .filter(({ driver, reason }) => isHardwareThere(driver, reason, root))
    .map(({ driver, reason }): MissingSource => {
      return { name: driver, reason, isFirst: driver === 'nvml', isRemark: isNobodysFault(reason), open: open[driver] };
    });
  const [only] = sources;
  if (only === undefined) return { ok: false, reason: mostTelling(refused, missing) };
  if (sources.length === 1 && missing.length === 0) return { ok: true, source: only };
  return { ok: true, source: new CombinedSource({ sources, missing, clock }) };
}

const NVIDIA_VENDOR_ID = '0x10de';

/** A driver that only fails because nothing is there for it is not missed, and not worth another attempt. */
function isHardwareThere(driver: Driver, reason: AppError, root: string): boolean {
  if (driver !== 'nvml') return reason.code !== 'DRM_NO_GPU';
  const traces = ['/proc/driver/nvidia/version', '/dev/nvidiactl', '/dev/dxg'];
  return traces.some((path) => existsSync(root + path)) || findOnBus(`${root}/sys`, NVIDIA_VENDOR_ID, /^0x03/) !== null;
}

/** A card that is left to another driver, or without one, may be so on purpose. */
function isNobodysFault({ code }: AppError): boolean {
  return code === 'DRM_DRIVER_NOT_BOUND' || code === 'NVML_LIBRARY_NOT_FOUND';
}

/** What NVIDIA's driver says, unless only another maker's GPU is there. */
function mostTelling(
  refused: readonly { driver: Driver; reason: AppError }[],
  missing: readonly MissingSource[],
): AppError {
  const other = missing.find(({ isFirst }) => !isFirst);
  const isNvidiaThere = missing.some(({ isFirst }) => isFirst);
  return other !== undefined && !isNvidiaThere ? other.reason : refused[0]!.reason;
}
