import type { Device, DeviceState } from '../../model/device.ts';
import type { AppError } from '../../model/errors.ts';
import { type DriverFacts, readDriverFacts } from './driver-facts.ts';
import { LIBRARY_FOLDERS, SONAME } from './library-places.ts';
import { type NvmlOptions, openNvml } from './nvml-source.ts';

/** What `doctor` tells about the way from this process to the NVIDIA GPUs. */
export interface NvmlDiagnosis {
  /** Why no GPU can be sampled; null where at least one can. */
  readonly reason: AppError | null;
  /** The file that was loaded; null where that failed. */
  readonly library: string | null;
  /** Where it was looked for, in this order. */
  readonly places: readonly string[];
  readonly machine: DriverFacts;
  readonly devices: readonly { readonly device: Device; readonly state: DeviceState; readonly isReadable: boolean }[];
}

/** Opens the driver, reads one tick, closes it, and reports what was found on the way. */
export async function diagnoseNvml(options: NvmlOptions): Promise<NvmlDiagnosis> {
  const { library, root = '/', clock } = options;
  const machine = await readDriverFacts(root);
  const places = library === undefined ? [`${SONAME} (ld.so)`, ...LIBRARY_FOLDERS] : [library];
  const probe = await openNvml(options);
  if (!probe.ok) return { reason: probe.reason, library: null, places, machine, devices: [] };
  const { source } = probe;
  try {
    const tick = await source.sample(clock.now());
    const samples = new Map(tick?.devices.map((sample) => [sample.device.uuid, sample]));
    const devices = source.devices().map((device) => {
      const sample = samples.get(device.uuid);
      return { device, state: sample?.state ?? 'stale', isReadable: sample?.readings.isReadable() ?? false };
    });
    return { reason: null, library: source.library, places, machine, devices };
  } finally {
    await source.close();
  }
}
