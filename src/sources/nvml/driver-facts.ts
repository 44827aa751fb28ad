import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What this machine shows of an NVIDIA driver without calling it. */
export interface DriverFacts {
  /** Version of the loaded kernel driver, or null where none is loaded. */
  readonly kernelDriver: string | null;
  /** Names in `/dev`: `nvidiactl`, `nvidia0`, under WSL `dxg`. */
  readonly deviceNodes: readonly string[];
  readonly isContainer: boolean;
  readonly isWsl: boolean;
}

/** Reads the facts below a root folder; whatever cannot be read counts as not there. */
export async function readDriverFacts(root: string): Promise<DriverFacts> {
  const [version, kernel, cgroup, mounts, nodes, atRoot, run] = await Promise.all([
    readText(join(root, 'proc/driver/nvidia/version')),
    readText(join(root, 'proc/version')),
    readText(join(root, 'proc/1/cgroup')),
    readText(join(root, 'proc/self/mountinfo')),
    list(join(root, 'dev')),
    list(root),
    list(join(root, 'run')),
  ]);
  const deviceNodes = nodes.filter((name) => /^(nvidia(ctl|-uvm|\d+)|dxg)$/.test(name)).sort();
  return {
    kernelDriver: /\s(\d+\.\d+(\.\d+)*)\s/.exec(version)?.[1] ?? null,
    deviceNodes,
    isContainer:
      atRoot.includes('.dockerenv') ||
      run.includes('.containerenv') ||
      /docker|containerd|kubepods|libpod|lxc/.test(cgroup) ||
      /^\S+ \S+ \S+ \S+ \/ .*overlay.*(docker|containerd|containers|crio)/m.test(mounts),
    isWsl: /microsoft/i.test(kernel) || deviceNodes.includes('dxg'),
  };
}

async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}

async function list(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}
