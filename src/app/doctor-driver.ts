import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NvmlDiagnosis } from '../sources/nvml/diagnosis.ts';
import { type Check, said } from './doctor-check.ts';

export interface DriverOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Root below which `/proc`, `/sys` and `/dev` are looked at; empty for this machine. */
  readonly root: string;
  /** Opens a device file for reading and closes it again; throws what the system says. */
  readonly tryOpen?: (path: string) => void;
}

/** What the machine shows of NVIDIA's driver, its device files, and the container or WSL around this process. */
export function examineDriver({ library, machine }: NvmlDiagnosis, options: DriverOptions): Check[] {
  const { kernelDriver, deviceNodes, isContainer, isWsl } = machine;
  const checks: Check[] = [];
  if (isContainer) checks.push(said('container', 'ok', 'doctor.container'), ...examineCapabilities(options));
  if (isWsl) checks.push(...examineWsl(options));
  // WSL has neither: its driver is that of Windows.
  if (kernelDriver !== null) checks.push(said('driver', 'ok', 'doctor.driver', { version: kernelDriver }));
  else if (!isWsl) checks.push(said('driver', 'warning', 'doctor.no-driver'));
  if (deviceNodes.length > 0) checks.push(said('nodes', 'ok', 'doctor.nodes', { names: deviceNodes.join(' ') }));
  else if (!isWsl) checks.push(said('nodes', 'warning', 'doctor.no-nodes'));
  if (!isWsl) checks.push(...examineNodes(deviceNodes, isContainer, options));
  if (library !== null) checks.push(said('library', 'ok', 'doctor.library', { path: library }));
  return checks;
}

/** NVIDIA's container runtime brings in the management library only where it is asked for. */
function examineCapabilities({ env }: DriverOptions): Check[] {
  const asked = env['NVIDIA_DRIVER_CAPABILITIES'];
  if (asked === undefined || asked === '') return [];
  const words = asked.split(',').map((word) => word.trim());
  if (words.includes('utility') || words.includes('all')) return [];
  return [said('utility', 'fault', 'doctor.no-utility', { value: asked }, 'doctor.no-utility-remedy')];
}

const WSL_LIBRARY = 'usr/lib/wsl/lib/libnvidia-ml.so.1';

function examineWsl({ root }: DriverOptions): Check[] {
  const checks = [said('wsl', 'ok', 'doctor.wsl')];
  if (!existsSync(join(root, '/dev/dxg'))) {
    checks.push(said('wsl-dxg', 'fault', 'doctor.wsl-no-dxg', {}, 'doctor.wsl-no-dxg-remedy'));
  }
  if (!existsSync(join(root, '/', WSL_LIBRARY))) {
    checks.push(
      said(
        'wsl-library',
        'warning',
        'doctor.wsl-no-library',
        { path: `/${WSL_LIBRARY}` },
        'doctor.wsl-no-library-remedy',
      ),
    );
  }
  return checks;
}

const CONTROL = 'nvidiactl';

/** The control file is opened, which tells what its permissions do not: a container may have it and not be let in. */
function examineNodes(nodes: readonly string[], isContainer: boolean, options: DriverOptions): Check[] {
  const missing = isContainer ? [] : missingNodes(nodes, options.root);
  const checks =
    missing.length === 0 || nodes.length === 0
      ? []
      : [
          said(
            'nodes-missing',
            'fault',
            'doctor.nodes-missing',
            { names: missing.join(' ') },
            'doctor.nodes-missing-remedy',
          ),
        ];
  if (!nodes.includes(CONTROL)) return checks;
  try {
    (options.tryOpen ?? openAndClose)(join(options.root, '/dev', CONTROL));
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const path = `/dev/${CONTROL}`;
    if (code === 'EPERM' && isContainer) {
      checks.push(said('nodes-revoked', 'fault', 'doctor.nodes-revoked', { path }, 'doctor.nodes-revoked-remedy'));
    } else if (code === 'EPERM' || code === 'EACCES') {
      checks.push(said('nodes-denied', 'fault', 'doctor.nodes-denied', { path }, 'doctor.nodes-denied-remedy'));
    } else if (code === 'ENXIO' || code === 'ENODEV') {
      checks.push(said('nodes-stale', 'fault', 'doctor.nodes-stale', { path }, 'doctor.nodes-stale-remedy'));
    }
  }
  return checks;
}

/** Device files that the cards of the kernel driver should have. */
function missingNodes(nodes: readonly string[], root: string): readonly string[] {
  const folder = join(root, '/proc/driver/nvidia/gpus');
  try {
    const minors = readdirSync(folder).map((slot) =>
      /^Device Minor:\s*(\d+)/m.exec(readFileSync(join(folder, slot, 'information'), 'utf8')),
    );
    const wanted = minors.flatMap((found) => (found === null ? [] : [`nvidia${found[1]}`]));
    return wanted.filter((name) => !nodes.includes(name)).map((name) => `/dev/${name}`);
  } catch {
    return [];
  }
}

function openAndClose(path: string): void {
  closeSync(openSync(path, 'r'));
}
