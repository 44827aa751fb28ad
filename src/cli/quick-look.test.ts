import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { announceServer } from '../app/local-server.ts';
import { isQuickLook } from './quick-look.ts';

test('a thread for the driver is only started where the driver is going to be read', () => {
  const check = (line: string, want: boolean) =>
    expect(isQuickLook(line === '' ? [] : line.split(' '), {}), line).toBe(want);
  check('smi', true);
  check('smi -L', true);
  check('smi dmon -c 1 --source nvml', true);
  check('stat --no-server -c', true);
  check('stat --nvml-library /a.so', true);
  check('stat --source=nvml', true);
  for (const line of ['', 'serve', 'report a.csv', 'watch', '--lang zh', 'help stat']) check(line, false);
  for (const line of ['stat --help', 'smi -h', 'smi --help-query-gpu', 'smi --host http://a', 'smi --host=http://a']) {
    check(line, false);
  }
  for (const line of ['stat --server http://a', 'stat --remote ssh:a', 'stat --source simulate:demo'])
    check(line, false);
  check('smi --source=replay:a.csv', false);
  check('smi --source', false);
});

test('a server that can be asked spares the thread', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gpulse-quick-'));
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const withdraw = announceServer(`http://127.0.0.1:${port}/`, { RUNTIME_DIRECTORY: join(folder, 'gpulse') });
  expect(isQuickLook(['stat'], { XDG_RUNTIME_DIR: folder })).toBe(false);
  expect(isQuickLook(['smi'], { XDG_RUNTIME_DIR: folder })).toBe(true);
  withdraw();
  server.close();
  rmSync(folder, { recursive: true });
});
