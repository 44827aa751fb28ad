import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type MetricId, slotOf } from '../src/model/catalogue.ts';
import type { Device } from '../src/model/device.ts';
import type { Owner } from '../src/model/owner.ts';
import type { GpuProcess } from '../src/model/process.ts';
import type { DeviceView } from '../src/model/reader.ts';
import { type AbsenceReason, absent } from '../src/model/reading.ts';
import { ReadingSet } from '../src/model/reading-set.ts';
import { testDevice, testSample } from '../src/model/scripted-source.ts';
import { TestServer } from '../src/server/test-server.ts';
import { DASHBOARD } from './dashboard-build.ts';
import { CHROMIUM, TestBrowser } from './test-browser.ts';

const GIB = 2 ** 30;
const OWNER: Owner = {
  container: {
    id: 'b15a5bdedd2e'.padEnd(64, '0'),
    runtime: 'containerd',
    name: 'main',
    image: 'pytorch:2',
    labels: {},
  },
  pod: { uid: 'fd52ef25-a87d-11e9', namespace: 'ml', name: 'train-0', container: 'main' },
  job: null,
  unit: null,
};

const TRAINING: GpuProcess = {
  pid: 4711,
  kind: 'compute',
  memoryBytes: 30 * GIB,
  name: 'python',
  user: 'root',
  smRatio: 0.8,
  cpuRatio: 2.5,
  hostMemoryBytes: 12 * GIB,
  startedAt: 1_000_000,
  command: 'python train.py --lr 3e-4',
  owner: OWNER,
};

type Values = Partial<Record<MetricId, number>>;

function view(device: Device, values: Values, more: Partial<DeviceView> = {}, reason: AbsenceReason = 'not-supported') {
  const readings = ReadingSet.allAbsent(reason);
  for (const [id, value] of Object.entries(values)) readings.setValue(slotOf(id as MetricId), value);
  return { ...testSample(device, { readings }), at: 0, ...more };
}

function instance(gpuInstance: number, used: number, processes: readonly GpuProcess[]): DeviceView {
  const mig = { parent: 'GPU-0', gpuInstance, computeInstance: 0, profile: '3g.40gb' };
  const device = testDevice(0, { uuid: `MIG-${gpuInstance}`, name: 'NVIDIA H100 MIG 3g.40gb', mig });
  return view(device, { memory_used_bytes: used * GIB, memory_total_bytes: 40 * GIB }, { processes }, 'mig');
}

const CARD = testDevice(0, {
  uuid: 'GPU-0',
  name: 'NVIDIA H100 80GB HBM3',
  pciBusId: '00000000:10:00.0',
  facts: { architecture: 'Hopper', vbios: '96.00.A5' },
});

const NVLINKS = [
  { link: 0, isActive: true, peerBusId: '00000000:11:00.0', crcErrors: 3, replayErrors: 0, recoveryErrors: 0 },
  { link: 1, isActive: false, peerBusId: null, crcErrors: absent('error'), replayErrors: 0, recoveryErrors: 0 },
];

/** A card that is cut into two instances, one that runs a pod, and one that this user may not read. */
const DEVICES: readonly DeviceView[] = [
  view(
    CARD,
    { memory_used_bytes: 31 * GIB, memory_total_bytes: 80 * GIB, temperature_celsius: 50, mig_mode: 1 },
    { details: { fans: [0.45, absent('error')], links: NVLINKS } },
  ),
  instance(1, 30, [TRAINING]),
  instance(2, 0.1, []),
  view(
    testDevice(1, { uuid: 'GPU-1', name: 'NVIDIA H100 80GB HBM3', pciBusId: '00000000:11:00.0' }),
    { utilization_ratio: 0.9, memory_used_bytes: 60 * GIB, memory_total_bytes: 80 * GIB },
    { processes: [{ ...TRAINING, pid: 4712, user: 'li', owner: null }] },
  ),
  view(testDevice(2, { uuid: 'GPU-2' }), {}, { state: 'stale', processes: absent('no-permission') }, 'no-permission'),
];

describe.skipIf(CHROMIUM === null)('in a browser, what GPUs consist of', () => {
  let browser: TestBrowser;
  let server: TestServer;

  beforeAll(async () => {
    browser = await TestBrowser.launch();
    server = await TestServer.start({ webRoot: DASHBOARD, now: Date.now() });
    server.reader.publish(
      server.clock.now(),
      DEVICES.map((device) => ({ ...device, at: server.clock.now() })),
    );
    server.reader.joined = [{ from: 'GPU-0', to: 'GPU-1', level: 'NV18', canPeerRead: false }];
    server.reader.statusPatch = { source: { lastTickAt: server.clock.now() } };
  });

  afterEach(() => browser.closePages());

  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  const open = (path?: string): Promise<Page> => browser.open(server, path);

  test('MIG instances stand below their card, and are not counted as GPUs', async () => {
    const page = await open();
    const rows = page.locator('tr.row');
    await expect.poll(() => rows.count()).toBe(5);
    const card = page.locator('tr.row', { hasText: '2 MIG instances' });
    await card.waitFor();
    const parts = page.locator('tr.row-part');
    expect(await parts.count()).toBe(2);
    expect(await parts.first().textContent()).toContain('MIG 3g.40gb GI 1');
    expect(await parts.first().textContent()).toContain('30.0 / 40.0 GiB');
    const counts = await page.locator('.verdict-count strong').allTextContents();
    expect(counts.reduce((sum, count) => sum + Number(count), 0)).toBe(3);
    await parts.nth(1).locator('.row-link').click();
    await page.waitForURL(/\/gpu\/MIG-2/);
    await page.getByRole('link', { name: 'cut out of GPU 0' }).first().click();
    await page.waitForURL(/\/gpu\/GPU-0/);
    browser.expectNoFaults(server);
  });

  test('rows name whom processes work for, and why a GPU is not well', async () => {
    const page = await open();
    const part = page.locator('tr.row-part').first();
    await expect.poll(() => part.locator('.chip').textContent()).toBe('ml/train-0pythonPod · root');
    expect(await page.locator('tr.row-stale .state').textContent()).toBe('staleno permission');
    await page.keyboard.press('/');
    await page.locator('input:focus').waitFor();
    await page.keyboard.type('ml/train-0');
    await expect.poll(() => page.locator('tr.row').count()).toBe(2);
  });

  test('the page of a GPU has its facts, parts and readings by topic, and folds away what is absent', async () => {
    const page = await open('gpu/0');
    await page.getByText('Hopper').waitFor();
    const ports = page.getByRole('region', { name: 'NVLink ports' });
    await expect.poll(() => ports.getByRole('row').nth(1).textContent()).toBe('0upGPU 1300');
    expect(await ports.locator('.missing').first().getAttribute('title')).toBe('read error');
    await page.getByText('Fan 2').waitFor();
    // What metrics are called comes with an answer of its own.
    const topics = () => page.locator('.readings caption').allTextContents();
    await expect.poll(topics).toEqual(['Memory', 'Temperature and power', 'Modes']);
    expect(await page.locator('.readings tr', { hasText: 'MIG mode' }).textContent()).toBe('MIG modeon');
    const absentOnes = page.locator('.absent-readings');
    expect(await absentOnes.getByText('SM clock', { exact: true }).isVisible()).toBe(false);
    await absentOnes.getByText(/^Not reported \(\d+\)$/).click();
    await absentOnes.getByText('SM clock', { exact: true }).waitFor();
    browser.expectNoFaults(server);
  });

  test('a process unfolds to its command line and owner', async () => {
    const page = await open('gpu/MIG-1');
    const table = page.getByRole('region', { name: 'Processes now' });
    const row = table.getByRole('row').nth(1);
    await expect.poll(() => row.textContent()).toMatch(/^python4711rootPod ml\/train-030\.0 GiB80%250%12\.0 GiB/);
    expect(await page.getByText('python train.py').count()).toBe(0);
    await page.getByRole('button', { name: 'Details of process 4711' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('python train.py --lr 3e-4').waitFor();
    await page.getByText('pytorch:2').waitFor();
    browser.expectNoFaults(server);
  });

  test('the capabilities can be filtered, by the names of other tools too', async () => {
    const page = await open('about');
    const metrics = () => page.locator('.capabilities tbody tr:not(.topic)').count();
    await expect.poll(metrics).toBeGreaterThan(100);
    await page.getByLabel('Filter metrics').fill('memory.used');
    await expect.poll(metrics).toBe(1);
    expect(await page.locator('.capabilities tbody tr:not(.topic)').textContent()).toContain('Memory used');
    await page.getByLabel('Filter metrics').fill('pcie replay');
    await page.getByText(/^Reported by no GPU \(\d+\)$/).waitFor();
    await page.locator('.capabilities').getByText('PCIe replays').waitFor();
    await page.getByLabel('Filter metrics').fill('no such metric');
    await page.getByText('No metric matches this filter.').waitFor();
    browser.expectNoFaults(server);
  });

  test('a matrix tells how the GPUs are joined', async () => {
    const page = await open('about');
    const matrix = page.getByRole('region', { name: 'How the GPUs are joined' });
    expect(await matrix.getByRole('row').nth(1).textContent()).toBe('GPU 0NV18*–');
    await page.getByText('NVLink, by the number of links').waitFor();
  });

  test('GPUs are released after a question, and taken up again', async () => {
    const page = await open('about');
    await page.getByRole('button', { name: 'Release …' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(server.reader.asked).toEqual([]);
    await page.getByRole('button', { name: 'Release …' }).click();
    await page.getByLabel('15 min').check();
    server.reader.statusPatch = { source: { state: 'released', releasedUntil: Date.UTC(2030, 0, 1, 12, 30) } };
    await page.getByRole('button', { name: 'Release now' }).click();
    await page.getByText('Released until 12:30:00.').waitFor();
    server.reader.statusPatch = {};
    await page.getByRole('button', { name: 'Resume now' }).click();
    await page.getByRole('button', { name: 'Release …' }).waitFor();
    expect(server.reader.asked).toEqual(['release 900000', 'resume']);
    browser.expectNoFaults(server);
  });

  test('on a phone nothing is wider than the screen', async () => {
    for (const path of ['', 'gpu/0', 'gpu/MIG-1', 'about']) {
      const page = await open(path);
      await page.setViewportSize({ width: 360, height: 740 });
      await page.locator('.row-part, .list, .capabilities').first().waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(360);
    }
  });
});
