import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A process of a {@link TestProcfs}; what is left out has a default. */
export interface TestProcess {
  readonly comm?: string;
  /** Clock ticks since boot. */
  readonly start?: number;
  readonly argv?: readonly string[];
  readonly uid?: number;
  readonly cgroup?: string;
  /** Ticks of user and system time. */
  readonly cpu?: readonly [number, number];
  readonly pages?: number;
}

/** A procfs for tests, in a folder: booted at 1700000000, in the host's namespaces. */
export class TestProcfs {
  readonly root: string;
  readonly passwd: string;

  constructor(root: string) {
    this.root = root;
    this.passwd = join(root, 'passwd');
    mkdirSync(join(root, 'self/ns'), { recursive: true });
    this.enterNamespace('pid', 4_026_531_836);
    this.enterNamespace('cgroup', 4_026_531_835);
    writeFileSync(this.passwd, 'root:x:0:0::/root:/bin/sh\nzhang:x:1000:1000::/home/zhang:/bin/sh\n');
    writeFileSync(join(root, 'self/stat'), '1 (x) S\n');
    this.bootAt(1_700_000_000);
    this.add(1, { comm: 'systemd', uid: 0 });
  }

  enterNamespace(kind: 'pid' | 'cgroup', inode: number): void {
    const link = join(this.root, 'self/ns', kind);
    rmSync(link, { force: true });
    symlinkSync(`${kind}:[${inode}]`, link);
  }

  bootAt(seconds: number): void {
    writeFileSync(join(this.root, 'stat'), `cpu 1 2 3\nbtime ${seconds}\nprocesses 1\n`);
  }

  /** Adds a process, or changes it. */
  add(pid: number, process: TestProcess = {}): void {
    const {
      comm = 'python3',
      start = 100,
      argv = ['python3'],
      uid = 1000,
      cgroup = '0::/\n',
      cpu = [0, 0],
      pages = 10,
    } = process;
    const folder = join(this.root, String(pid));
    const fields = ['S', ...Array<number>(10).fill(0), ...cpu, ...Array<number>(6).fill(0), start, 0, pages];
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'stat'), `${pid} (${comm}) ${fields.join(' ')} 18446744073709551615 1 1\n`);
    writeFileSync(join(folder, 'cmdline'), argv.map((word) => `${word}\0`).join(''));
    writeFileSync(join(folder, 'status'), `Name:\tx\nUid:\t${uid}\t0\t0\t0\nGid:\t0\t0\t0\t0\n`);
    writeFileSync(join(folder, 'cgroup'), cgroup);
  }

  remove(pid: number): void {
    rmSync(join(this.root, String(pid)), { recursive: true });
  }
}
