import { toAppError } from '../model/errors.ts';
import { usualPlaces } from '../owners/places.ts';
import type { NvmlDiagnosis } from '../sources/nvml/diagnosis.ts';
import { defaultDataDirectory } from './config.ts';
import { examineBus } from './doctor-bus.ts';
import { type Check, failed, said } from './doctor-check.ts';
import { examineDevices } from './doctor-devices.ts';
import { examineDriver } from './doctor-driver.ts';
import { examineClock, examineDataDirectory } from './doctor-host.ts';
import { takeSnapshot } from './one-shot.ts';
import { openDriver } from './open-machine.ts';
import { parseSource, type SourceOptions } from './open-source.ts';

/** Root below which `/proc`, `/sys` and `/dev` are looked at: that of this machine. */
const HERE = '';

/** Looks at everything that decides whether gpulse sees the GPUs of a source. Never throws. */
export async function examine(options: SourceOptions, root = HERE): Promise<readonly Check[]> {
  const node = said('node', 'ok', 'doctor.node', { version: process.versions.node });
  return [
    node,
    ...(await examineSource(options, root)),
    ...(await examineHostOwners(options)),
    ...examineDataDirectory(defaultDataDirectory(process.env)),
  ];
}

async function examineSource(options: SourceOptions, root: string): Promise<Check[]> {
  try {
    const { kind } = parseSource(options.spec);
    if (kind !== 'device') return await examineSnapshot(options, root);
    return await examineMachine(options, root);
  } catch (error) {
    return [failed(toAppError(error))];
  }
}

/** What the machine shows comes first: without a driver it explains the fault that ends the list. */
async function examineMachine(options: SourceOptions, root: string): Promise<Check[]> {
  const { clock, nvmlLibrary, spec } = options;
  const { diagnoseNvml } = await import('../sources/nvml/diagnosis.ts');
  const found = await diagnoseNvml({
    clock,
    ...(nvmlLibrary === null ? {} : { library: nvmlLibrary }),
    ...(root === HERE ? {} : { root }),
  });
  const { kernelDriver, deviceNodes, isContainer } = found.machine;
  const others = spec === 'auto' ? await examineOtherMakers(options, root) : [];
  // Who has GPUs of another maker, and no trace of NVIDIA's driver, does not miss it.
  const isNvidiaMissed = found.reason === null || kernelDriver !== null || deviceNodes.length > 0;
  const own = others.length > 0 && !isNvidiaMissed ? [] : await examineNvidia(found, options, root);
  return [...own, ...others, ...examineClock(isContainer, root)];
}

async function examineNvidia(found: NvmlDiagnosis, { clock }: SourceOptions, root: string): Promise<Check[]> {
  const { reason, machine, devices, notices } = found;
  const { examineKernelLog } = await import('./doctor-kernel-log.ts');
  const isLoaded = machine.kernelDriver !== null || devices.length > 0;
  const log = isLoaded
    ? await examineKernelLog({ clock, devices: devices.map(({ device }) => device), path: `${root}/dev/kmsg` })
    : [];
  return [
    ...examineDriver(found, { env: process.env, root }),
    ...(reason === null || devices.length > 0 ? examineDevices(devices, 'nvml', notices) : []),
    ...notices.map(({ key, params }) => said(key, 'warning', key, params)),
    ...examineBus(devices, machine.isContainer, root),
    ...log,
    ...(reason === null ? [] : [failed(reason)]),
  ];
}

async function examineSnapshot(options: SourceOptions, root: string): Promise<Check[]> {
  const { source, origin, snapshot } = await takeSnapshot(options);
  const note = origin === 'simulated' ? [said('simulated', 'warning', 'cli.simulated')] : [];
  const found = snapshot.devices.map((view) => ({ ...view, isReadable: view.readings.isReadable(), absence: null }));
  const clock = origin === 'live' && !source.includes('ssh:') ? examineClock(false, root) : [];
  return [...note, ...examineDevices(found, source), ...clock];
}

/** The GPUs of other makers than NVIDIA, if there are any. */
async function examineOtherMakers({ clock }: SourceOptions, root: string): Promise<Check[]> {
  const checks: Check[] = [];
  for (const driver of ['amdgpu', 'intel'] as const) {
    const probe = await openDriver(driver, clock, root);
    if (!probe.ok) {
      if (probe.reason.code !== 'DRM_NO_GPU') checks.push(failed(probe.reason));
      continue;
    }
    try {
      const tick = await probe.source.sample(clock.now());
      const found = (tick?.devices ?? []).map((view) => ({
        ...view,
        isReadable: view.readings.isReadable(),
        absence: null,
      }));
      checks.push(...examineDevices(found, driver));
    } catch (error) {
      checks.push(failed(toAppError(error)));
    } finally {
      await probe.source.close();
    }
  }
  return checks;
}

/** Whom processes work for can only be told for those of this machine. */
async function examineHostOwners({ spec }: SourceOptions): Promise<Check[]> {
  try {
    if (parseSource(spec).kind !== 'device') return [];
    const { examineOwners } = await import('../owners/examine.ts');
    const checks = await examineOwners(usualPlaces(process.env));
    return checks.map(({ id, level, key, params, remedy }) => said(id, level, key, params, remedy));
  } catch {
    // A source that is none is a fault already.
    return [];
  }
}
