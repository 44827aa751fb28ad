import type { Clock } from '../../model/clock.ts';
import { isMute } from '../../model/core-readings.ts';
import type { Device, DeviceState } from '../../model/device.ts';
import { type AppError, toAppError } from '../../model/errors.ts';
import type { Notice, Source } from '../../model/ports.ts';
import { type AbsenceReason, isPresent } from '../../model/reading.ts';
import type { ReadingSet } from '../../model/reading-set.ts';
import type { Tick } from '../../model/tick.ts';
import { type DriverFacts, readDriverFacts } from './driver-facts.ts';
import { LIBRARY_FOLDERS, SONAME } from './library-places.ts';
import { type NvmlOptions, openNvml } from './nvml-source.ts';

/** A GPU as it was found. */
export interface DiagnosedDevice {
  readonly device: Device;
  readonly state: DeviceState;
  readonly isReadable: boolean;
  /** Where nothing can be read: why. */
  readonly absence: AbsenceReason | null;
  /** Null where it was not sampled. */
  readonly readings: ReadingSet | null;
}

/** Where nothing can be read, every slot says why. */
const ANY_SLOT = 0;

/** What `doctor` tells about the way from this process to the NVIDIA GPUs. */
export interface NvmlDiagnosis {
  /** Why no GPU can be sampled; null where at least one can. */
  readonly reason: AppError | null;
  /** The file that was loaded; null where that failed. */
  readonly library: string | null;
  /** Where it was looked for, in this order. */
  readonly places: readonly string[];
  readonly machine: DriverFacts;
  readonly devices: readonly DiagnosedDevice[];
  /** What the source says of itself, such as a GPU on which a call hangs. */
  readonly notices: readonly Notice[];
}

/** Opens the driver, reads one tick, closes it, and reports what was found on the way. */
export async function diagnoseNvml(options: NvmlOptions): Promise<NvmlDiagnosis> {
  const { library, root = '/', clock } = options;
  const machine = await readDriverFacts(root);
  const places = library === undefined ? [`${SONAME} (ld.so)`, ...LIBRARY_FOLDERS] : [library];
  const probe = await openNvml(options);
  if (!probe.ok) return { reason: probe.reason, library: null, places, machine, devices: [], notices: [] };
  const { source } = probe;
  try {
    const { tick, reason } = await sampleOnce(source, clock);
    const samples = new Map(tick?.devices.map((sample) => [sample.device.uuid, sample]));
    const devices = source.devices().map((device) => {
      const sample = samples.get(device.uuid);
      const absence = sample?.readings.at(ANY_SLOT);
      return {
        device,
        state: sample?.state ?? 'stale',
        isReadable: sample?.readings.isReadable() === true && !isMute(sample.readings),
        absence: absence === undefined || isPresent(absence) ? null : absence.absent,
        readings: sample?.readings ?? null,
      };
    });
    return { reason, library: source.library, places, machine, devices, notices: source.notices() };
  } finally {
    await source.close();
  }
}

/** GPUs that cannot be sampled are listed all the same. */
async function sampleOnce(source: Source, clock: Clock): Promise<{ tick: Tick | null; reason: AppError | null }> {
  try {
    return { tick: await source.sample(clock.now()), reason: null };
  } catch (error) {
    return { tick: null, reason: toAppError(error) };
  }
}
