import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MESSAGES } from '../model/i18n/messages.ts';
import { fill } from '../model/i18n/text.ts';
import { examineOwners, type OwnerCheck } from './examine.ts';
import type { OwnerPlaces } from './places.ts';
import { TestKubelet } from './pods/test-kubelet.ts';
import { TestProcfs } from './process/test-procfs.ts';

let folder: string;
let proc: TestProcfs;
let places: OwnerPlaces;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gpulse-examine-'));
  proc = new TestProcfs(join(folder, 'proc'));
  const engines = [{ engine: 'docker', socket: join(folder, 'docker.sock') }] as const;
  places = { proc: proc.root, passwd: proc.passwd, engines, kubelets: [join(folder, 'kubelet.sock')], logs: folder };
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Level and sentence of each check. */
function said(checks: readonly OwnerCheck[]): string[] {
  return checks.map(({ level, key, params }) => `${level}: ${fill(MESSAGES[key].en, params).replaceAll(folder, '')}`);
}

test('a host without containers has nothing to be mended', async () => {
  expect(said(await examineOwners(places))).toEqual(['ok: processes of the host are visible']);
});

test('a pid namespace of its own outweighs the rest', async () => {
  proc.enterNamespace('pid', 4_026_532_222);
  proc.enterNamespace('cgroup', 4_026_532_333);
  const [check, ...others] = await examineOwners(places);
  expect(check).toMatchObject({
    level: 'warning',
    key: 'doctor.owners-pid-namespace',
    remedy: 'doctor.owners-pid-namespace-remedy',
  });
  expect(others).toEqual([]);
});

test('hidden processes and a cgroup namespace are lacks with remedies', async () => {
  proc.remove(1);
  proc.enterNamespace('cgroup', 4_026_532_333);
  const checks = await examineOwners(places);
  expect(checks.map(({ key, level, remedy }) => [key, level, remedy === `${key}-remedy`])).toEqual([
    ['doctor.owners-hidden-processes', 'warning', true],
    ['doctor.owners-cgroup-namespace', 'warning', true],
  ]);
});

test('an engine that answers is named, one that does not is a lack', async () => {
  const engine = createServer((_request, response) => response.writeHead(404).end());
  await new Promise<void>((resolve) => engine.listen(join(folder, 'docker.sock'), resolve));
  expect(said(await examineOwners(places))).toContain('ok: containers are named by /docker.sock');
  engine.close();
  writeFileSync(join(folder, 'docker.sock'), '');
  const check = (await examineOwners(places)).at(-1);
  expect(check).toMatchObject({ level: 'warning', key: 'doctor.owners-engine-failed' });
  expect(check?.params['detail']).toContain('ECONNREFUSED');
});

test('an engine that may not be used is a lack', () => {
  writeFileSync(join(folder, 'docker.sock'), '');
  chmodSync(folder, 0o755);
  chmodSync(join(folder, 'docker.sock'), 0o600);
  expect(examineAsAnotherUser()).toContain('doctor.owners-engine-refused');
});

/** Root may use every socket, so that another user has to look. */
function examineAsAnotherUser(): string {
  const script = `import('${import.meta.dirname}/examine.ts').then(async ({ examineOwners }) =>
    console.log((await examineOwners(${JSON.stringify(places)})).map(({ key }) => key).join()))`;
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  if (process.getuid?.() !== 0) chmodSync(join(folder, 'docker.sock'), 0o000);
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8', cwd: '/', ...user });
  return stdout + stderr;
}

test('a kubelet that answers tells how much it has given', async () => {
  const kubelet = await TestKubelet.start(join(folder, 'kubelet.sock'));
  kubelet.containers = [{ pod: 'a', devices: { 'nvidia.com/gpu': ['GPU-1'] } }, { pod: 'b' }];
  const checks = said(await examineOwners(places));
  kubelet.stop();
  expect(checks.at(-1)).toBe('ok: the kubelet tells which pods have which GPUs; containers with devices: 1');
});

test('a socket behind which no kubelet is any more is a lack', async () => {
  writeFileSync(join(folder, 'kubelet.sock'), '');
  const check = (await examineOwners(places)).at(-1);
  expect(check).toMatchObject({ level: 'warning', key: 'doctor.owners-kubelet-failed' });
  expect(check?.params['detail']).toMatch(/UNAVAILABLE|DEADLINE/);
});
