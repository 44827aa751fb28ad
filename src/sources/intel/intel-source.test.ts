import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../model/clock.ts';
import type { Source } from '../../model/ports.ts';
import type { DeviceSample } from '../../model/tick.ts';
import { FakeTree } from '../drm/fake-tree.ts';
import { processesOf, readingsOf } from '../drm/readings-of.ts';
import { sourceContract } from '../source.contract.ts';
import { openIntel } from './intel-source.ts';

const trees: FakeTree[] = [];
const opened: Source[] = [];

afterEach(async () => {
  for (const source of opened.splice(0)) await source.close();
  for (const tree of trees.splice(0)) tree.dispose();
});

function plant(...names: string[]): FakeTree {
  const tree = new FakeTree(...names);
  trees.push(tree);
  return tree;
}

async function open(tree: FakeTree): Promise<Source> {
  const probe = await openIntel({ clock: systemClock, root: tree.root });
  if (!probe.ok) throw probe.reason;
  opened.push(probe.source);
  return probe.source;
}

async function look(source: Source): Promise<readonly DeviceSample[]> {
  return (await source.sample(1))?.devices ?? [];
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

sourceContract('intel', () => open(plant('arc-b580-xe')));

const CARD = 'sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/0000:02:01.0/0000:03:00.0';

describe('Arc A770 under i915', () => {
  test('all that its driver tells', async () => {
    const [sample] = await look(await open(plant('arc-a770-i915')));
    expect(sample?.device).toEqual({
      uuid: 'GPU-pci-00000000:03:00.0',
      uuidIsDerived: true,
      vendor: 'intel',
      name: 'Intel GPU 8086:56a0',
      index: 0,
      pciBusId: '00000000:03:00.0',
      minor: null,
      serial: null,
      driverVersion: null,
    });
    expect(readingsOf(sample!)).toEqual({
      // Rates need two looks.
      utilization_ratio: 'not-collected',
      video_utilization_ratio: 'not-collected',
      awake_ratio: 'not-collected',
      power_watts: 'not-collected',
      memory_used_bytes: 3 * 2 ** 30,
      gtt_used_bytes: 2 ** 20,
      power_limit_watts: 190,
      power_limit_default_watts: 190,
      energy_joules_total: 5000,
      fan_speed_rpm: 1020,
      core_voltage_volts: 0.985,
      graphics_clock_hertz: 2_050_000_000,
      graphics_clock_max_hertz: 2_400_000_000,
      clock_event_reasons: 0x4 | 0x10000,
      // The chip itself always says 2.5 GT/s on one lane.
      pcie_link_generation: 4,
      pcie_link_generation_max: 4,
      pcie_link_generation_device_max: 4,
      pcie_link_width: 16,
      pcie_link_width_max: 16,
    });
    expect(processesOf(sample!)).toEqual([
      `3001 compute+graphics ${3 * 2 ** 30} not-collected not-supported not-supported`,
    ]);
  });

  test('power, use and idle time from the growth of counters', async () => {
    const tree = plant('arc-a770-i915');
    const source = await open(tree);
    await look(source);
    const before = performance.now();
    await pause(400);
    const text = 'drm-driver:\ti915\ndrm-client-id:\t12\ndrm-pdev:\t0000:03:00.0\ndrm-total-local0:\t4 GiB\n';
    tree.write(
      'proc/3001/fdinfo/7',
      `${text}drm-engine-render:\t200000000 ns\ndrm-engine-compute:\t1000000000 ns\ndrm-engine-capacity-compute:\t4\n` +
        'drm-engine-video:\t200000000 ns\ndrm-engine-capacity-video:\t2',
    );
    tree.write(`${CARD}/hwmon/hwmon2/energy1_input`, '5080000000');
    tree.write(`${CARD}/drm/card0/gt/gt0/rc6_residency_ms`, '100100');
    const [sample] = await look(source);
    const seconds = (performance.now() - before) / 1000;
    const got = readingsOf(sample!) as Record<string, number>;
    // The worker looks within the span measured here, whose ends are a little further apart.
    expect(got['power_watts']).toBeGreaterThan((80 / seconds) * 0.8);
    expect(got['power_watts']).toBeLessThan(80 / 0.39);
    expect(got['utilization_ratio']).toBeGreaterThan((0.2 / seconds) * 0.8);
    expect(got['utilization_ratio']).toBeLessThan(0.2 / 0.39);
    expect(got['video_utilization_ratio']).toBeCloseTo(got['utilization_ratio']! / 2, 1);
    expect(got['awake_ratio']).toBeGreaterThan(1 - 0.1 / 0.39);
    expect(got['awake_ratio']).toBeLessThan(1);
    expect(got['memory_used_bytes']).toBe(4 * 2 ** 30);
    tree.write(`${CARD}/hwmon/hwmon2/energy1_input`, '0');
    await pause(60);
    expect(readingsOf((await look(source))[0]!)['power_watts']).toBe('not-collected');
  });

  test('nothing follows from its clients for the device where some of them may not be seen', async () => {
    const tree = plant('arc-a770-i915');
    tree.link('proc/self/ns/pid', 'pid:[4026532000]');
    const source = await open(tree);
    const [sample] = await look(source);
    expect(readingsOf(sample!)).toMatchObject({
      utilization_ratio: 'no-permission',
      video_utilization_ratio: 'no-permission',
      memory_used_bytes: 'no-permission',
      gtt_used_bytes: 'no-permission',
      graphics_clock_hertz: 2_050_000_000,
    });
    expect(processesOf(sample!)).toHaveLength(1);
    expect(source.notices()).toEqual([{ key: 'notice.processes-namespace', params: {}, isRemark: true }]);
  });

  test('what is missing or broken takes nothing else along', async () => {
    const tree = plant('arc-a770-i915');
    tree.write(`${CARD}/hwmon/hwmon2/energy1_input`, '');
    tree.write(`${CARD}/hwmon/hwmon2/power1_max`, '0');
    tree.write(`${CARD}/drm/card0/gt/gt0/rps_act_freq_mhz`, '-1');
    tree.remove(`${CARD}/drm/card0/gt/gt0/throttle_reason_status`);
    tree.remove('proc/3001/fdinfo/7');
    const [sample] = await look(await open(tree));
    const got = readingsOf(sample!);
    expect(got).toMatchObject({
      energy_joules_total: 'error',
      power_watts: 'error',
      graphics_clock_hertz: 2_400_000_000,
      clock_event_reasons: 0x4 | 0x10000,
      utilization_ratio: 0,
      memory_used_bytes: 0,
    });
    expect(got).not.toHaveProperty('power_limit_watts');
    expect(processesOf(sample!)).toEqual([]);
  });
});

test('Arc B580 under xe beside a part of the processor that sleeps', async () => {
  const source = await open(plant('arc-b580-xe'));
  const [processor, card] = await look(source);
  expect(processor).toMatchObject({ state: 'asleep', device: { index: 0, pciBusId: '00000000:00:02.0' } });
  expect(processesOf(processor!)).toBe('asleep');
  expect(card).toMatchObject({ state: 'ok', device: { index: 1, name: 'Intel GPU 8086:e20b' } });
  expect(readingsOf(card!)).toMatchObject({
    memory_total_bytes: 12_771_655_680,
    memory_used_bytes: 1536 * 2 ** 20,
    memory_free_bytes: 12_771_655_680 - 1536 * 2 ** 20,
    temperature_celsius: 61,
    memory_temperature_celsius: 70,
    // The whole card where there is a counter for it; its limit is switched off, that of the package is not.
    energy_joules_total: 9000,
    power_limit_watts: 190,
    fan_speed_rpm: 1401,
    graphics_clock_hertz: 2_850_000_000,
    graphics_clock_max_hertz: 2_900_000_000,
    video_clock_hertz: 0,
    video_clock_max_hertz: 1_500_000_000,
    clock_event_reasons: 0,
    pcie_link_generation: 3,
    pcie_link_width: 8,
  });
  expect(processesOf(card!)).toEqual([
    `3100 compute+graphics ${1536 * 2 ** 20} not-collected not-supported not-supported`,
  ]);
});

test('a flag counts where the driver has no file that tells of all of them', async () => {
  const tree = plant('arc-b580-xe');
  const throttle = `${CARD}/tile0/gt0/freq0/throttle`;
  tree.remove(`${throttle}/status`);
  tree.write(`${throttle}/reason_thermal`, '1');
  tree.write(`${throttle}/reason_prochot`, '1');
  const [, card] = await look(await open(tree));
  expect(readingsOf(card!)).toMatchObject({ clock_event_reasons: 0x8 | 0x20 });
  tree.write(`${throttle}/status`, '0');
  const [, calm] = await look(await open(tree));
  expect(readingsOf(calm!)).toMatchObject({ clock_event_reasons: 0 });
});

test('xe counts cycles', async () => {
  const tree = plant('arc-b580-xe');
  const source = await open(tree);
  await look(source);
  await pause(100);
  tree.write(
    'proc/3100/fdinfo/8',
    'drm-driver:\txe\ndrm-client-id:\t5\ndrm-pdev:\t0000:03:00.0\ndrm-resident-vram0:\t1 MiB\n' +
      'drm-cycles-rcs:\t251000\ndrm-total-cycles-rcs:\t2000000\ndrm-cycles-ccs:\t505000\ndrm-total-cycles-ccs:\t2000000\n' +
      'drm-cycles-vcs:\t100000\ndrm-total-cycles-vcs:\t2000000\ndrm-engine-capacity-vcs:\t2',
  );
  const [, card] = await look(source);
  expect(readingsOf(card!)).toMatchObject({ utilization_ratio: 0.5, video_utilization_ratio: 0.05 });
  expect(processesOf(card!)).toEqual([`3100 compute+graphics ${2 ** 20} 0.75 not-supported not-supported`]);
});

test('the graphics part of a processor has no memory of its own, and no link', async () => {
  const [sample] = await look(await open(plant('uhd-770')));
  expect(readingsOf(sample!)).toEqual({
    utilization_ratio: 'not-collected',
    video_utilization_ratio: 'not-collected',
    awake_ratio: 'not-collected',
    gtt_used_bytes: 80 * 2 ** 20,
    graphics_clock_hertz: 0,
    graphics_clock_max_hertz: 1_550_000_000,
  });
  expect(processesOf(sample!)).toEqual([`600 graphics ${80 * 2 ** 20} not-collected not-supported not-supported`]);
});

test('only cards of Intel are taken', async () => {
  const tree = plant('rx-6700-xt');
  tree.write('sys/class/drm/card6/device/vendor', '0x10de');
  tree.write('sys/class/drm/card7/device/vendor', '0x102b');
  expect(await openIntel({ clock: systemClock, root: tree.root })).toMatchObject({
    ok: false,
    reason: { code: 'DRM_NO_GPU' },
  });
});
