import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ManualClock } from '../model/manual-clock.ts';
import { startApp } from './serve.ts';

test('who scrapes at every tick gets a page that was made half a second before', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gpulse-ahead-'));
  const clock = new ManualClock();
  const app = await startApp(
    {
      ...{ host: '127.0.0.1', port: 0, basePath: '', allowAnonymous: false, allowedHosts: [], keep: null },
      ...{ data: folder, intervalMs: 1000, source: 'simulate:healthy-training,gpus=2', speed: 1, timeZone: null },
      ...{ demoWithoutGpu: false, nvmlLibrary: null },
    },
    clock,
  );
  try {
    const ages: number[] = [];
    for (let i = 0; i < 6; i++) {
      await clock.advance(600);
      const page = await (await fetch(new URL('metrics', app.url))).text();
      ages.push(Number(/^gpulse_data_age_seconds (\S+)$/m.exec(page)?.[1]));
      await clock.advance(400);
    }
    expect(ages).toEqual([0.6, 0.6, 0.6, 0.1, 0.1, 0.1]);
  } finally {
    await app.close();
    rmSync(folder, { recursive: true });
  }
});
