import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../model/clock.ts';
import type { Source } from '../../model/ports.ts';
import type { DeviceSample } from '../../model/tick.ts';
import { FakeTree, pack } from '../drm/fake-tree.ts';
import { processesOf, readingsOf } from '../drm/readings-of.ts';
import { sourceContract } from '../source.contract.ts';
import { openAmdgpu } from './amdgpu-source.ts';

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
  const probe = await openAmdgpu({ clock: systemClock, root: tree.root });
  if (!probe.ok) throw probe.reason;
  opened.push(probe.source);
  return probe.source;
}

async function look(source: Source): Promise<readonly DeviceSample[]> {
  return (await source.sample(1))?.devices ?? [];
}

for (const name of ['rx-6700-xt', 'mi300x-cpx']) {
  sourceContract(`amdgpu on ${name}`, () => open(plant(name)));
}

const CARD = 'sys/devices/pci0000:00/0000:00:01.1/0000:01:00.0/0000:02:00.0/0000:03:00.0';

describe('Radeon RX 6700 XT', () => {
  test('is the only GPU beside a display chip, with all that its driver tells', async () => {
    const source = await open(plant('rx-6700-xt'));
    const devices = await look(source);
    expect(devices.map(({ device, state }) => ({ ...device, state }))).toEqual([
      {
        uuid: 'GPU-5b24d1a8c0f7e936',
        vendor: 'amd',
        name: 'AMD GPU 1002:73df',
        index: 0,
        pciBusId: '00000000:03:00.0',
        minor: null,
        serial: null,
        driverVersion: '6.8.0-45-generic',
        facts: { vbios: '113-D5121100-101' },
        state: 'ok',
      },
    ]);
    expect(readingsOf(devices[0]!)).toEqual({
      utilization_ratio: 0.37,
      memory_utilization_ratio: 0.12,
      video_utilization_ratio: 0.09,
      memory_total_bytes: 12_868_124_672,
      memory_used_bytes: 3_221_225_472,
      memory_free_bytes: 9_646_899_200,
      bar1_total_bytes: 268_435_456,
      bar1_used_bytes: 134_217_728,
      bar1_free_bytes: 134_217_728,
      gtt_total_bytes: 16_777_216_000,
      gtt_used_bytes: 83_886_080,
      temperature_celsius: 51,
      temperature_slowdown_celsius: 100,
      temperature_shutdown_celsius: 105,
      hotspot_temperature_celsius: 63,
      hotspot_temperature_slowdown_celsius: 110,
      memory_temperature_celsius: 58,
      memory_temperature_max_celsius: 104,
      fan_speed_ratio: 0.34902,
      fan_speed_rpm: 1150,
      power_watts: 117,
      power_limit_watts: 186,
      power_limit_default_watts: 186,
      power_limit_max_watts: 213,
      power_limit_min_watts: 0,
      core_voltage_volts: 0.925,
      graphics_clock_hertz: 1_824_000_000,
      graphics_clock_max_hertz: 2_620_000_000,
      memory_clock_hertz: 1_000_000_000,
      memory_clock_max_hertz: 1_000_000_000,
      video_clock_hertz: 1_333_000_000,
      clock_event_reasons: 0,
      // The link of the board to its slot, not that of the chip to the switch on the board.
      pcie_link_generation: 1,
      pcie_link_generation_max: 3,
      pcie_link_generation_device_max: 4,
      pcie_link_width: 8,
      pcie_link_width_max: 16,
      pcie_replay_total: 3,
    });
  });

  test('its processes: one client counts once, whichever file and process hold it', async () => {
    const tree = plant('rx-6700-xt');
    const source = await open(tree);
    expect(processesOf((await look(source))[0]!)).toEqual([
      `2201 graphics ${300 * 2 ** 20} not-collected 0 not-collected`,
    ]);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const text = 'drm-driver:\tamdgpu\ndrm-client-id:\t8\ndrm-pdev:\t0000:03:00.0\ndrm-memory-vram:\t102400 KiB\n';
    tree.write('proc/2201/fdinfo/14', `${text}drm-engine-gfx:\t60000000000 ns`);
    expect(processesOf((await look(source))[0]!)).toEqual([`2201 graphics ${300 * 2 ** 20} 1 0 0`]);
    tree.remove('proc/2201');
    // Its child has inherited one of the two clients.
    await new Promise((resolve) => setTimeout(resolve, 950));
    expect(processesOf((await look(source))[0]!)).toEqual([`2300 graphics ${100 * 2 ** 20} 0 0 0`]);
  });

  test('while it sleeps neither it nor its clients are read', async () => {
    const tree = plant('rx-6700-xt');
    tree.write(`${CARD}/power/runtime_status`, 'suspended');
    const [sample] = await look(await open(tree));
    expect(sample?.state).toBe('asleep');
    expect(new Set(Object.values(readingsOf(sample!)))).toEqual(new Set(['asleep']));
    expect(processesOf(sample!)).toBe('asleep');
  });

  test('what is missing or broken takes nothing else along', async () => {
    const tree = plant('rx-6700-xt');
    for (const file of ['mem_busy_percent', 'pp_dpm_sclk', 'mem_info_vis_vram_total', 'hwmon/hwmon4/temp3_label']) {
      tree.remove(`${CARD}/${file}`);
    }
    for (const [file, text] of [
      ['gpu_busy_percent', ''],
      ['mem_info_vram_used', '99999999999999'],
      ['pcie_replay_count', '-1'],
      ['unique_id', '0000000000000000'],
      ['product_name', ''],
      ['hwmon/hwmon4/temp1_input', '4294967295'],
      ['hwmon/hwmon4/power1_average', '18446744073709551615'],
      ['hwmon/hwmon4/power1_cap', '0'],
      ['hwmon/hwmon4/in0_input', 'N/A'],
      ['pp_dpm_mclk', ''],
    ] as const) {
      tree.write(`${CARD}/${file}`, text);
    }
    tree.write(`${CARD}/gpu_metrics`, pack('20 0:u16=120 2:u8=1 3:u8=3'));
    const [sample] = await look(await open(tree));
    expect(sample?.device).toMatchObject({ uuid: 'GPU-pci-00000000:03:00.0', uuidIsDerived: true });
    const got = readingsOf(sample!);
    expect(got).toMatchObject({
      utilization_ratio: 'error',
      memory_total_bytes: 12_868_124_672,
      memory_used_bytes: 'error',
      memory_free_bytes: 'error',
      temperature_celsius: 'error',
      hotspot_temperature_celsius: 63,
      power_watts: 'error',
      power_limit_default_watts: 186,
      core_voltage_volts: 'error',
      memory_clock_max_hertz: 'error',
      clock_event_reasons: 'error',
      pcie_replay_total: 'error',
      graphics_clock_hertz: 1_824_000_000,
    });
    for (const id of [
      'memory_utilization_ratio',
      'memory_temperature_celsius',
      'power_limit_watts',
      'bar1_total_bytes',
    ]) {
      expect(got, id).not.toHaveProperty(id);
    }
  });

  test('an older driver without sensor labels and clocks', async () => {
    const tree = plant('rx-6700-xt');
    for (const name of ['temp1', 'temp2', 'temp3', 'freq1', 'freq2', 'in0']) {
      tree.remove(`${CARD}/hwmon/hwmon4/${name}_label`);
    }
    for (const name of ['freq1', 'freq2', 'temp2', 'temp3']) tree.remove(`${CARD}/hwmon/hwmon4/${name}_input`);
    const [sample] = await look(await open(tree));
    expect(readingsOf(sample!)).toMatchObject({
      temperature_celsius: 51,
      graphics_clock_hertz: 1_824_000_000,
      memory_clock_hertz: 1_000_000_000,
    });
    expect(readingsOf(sample!)).not.toHaveProperty('hotspot_temperature_celsius');
  });

  test('the name that the machine has for it', async () => {
    const tree = plant('rx-6700-xt');
    const id = '73DF,\tC1,\tAMD Radeon RX 6700 XT\n73DF,\tC5,\tAMD Radeon RX 6700\n';
    tree.write(
      'usr/share/misc/pci.ids',
      '1001  X\n1002  AMD\n\t73df  Navi 22 [Radeon RX 6700/6750]\n\t\t1da2 e445  Pulse\n1003  Y',
    );
    expect((await open(tree)).devices()[0]?.name).toBe('AMD Radeon RX 6700/6750');
    tree.write('usr/share/libdrm/amdgpu.ids', id);
    expect((await open(tree)).devices()[0]?.name).toBe('AMD Radeon RX 6700 XT');
    tree.write(`${CARD}/product_name`, 'Radeon Pro Z');
    expect((await open(tree)).devices()[0]?.name).toBe('Radeon Pro Z');
  });
});

test('Radeon RX 7900 XTX: why it is held back; a queue for both directions of video; a fan that stands still', async () => {
  const [sample] = await look(await open(plant('rx-7900-xtx')));
  expect(sample?.device).toMatchObject({ uuid: 'GPU-pci-00000000:03:00.0', uuidIsDerived: true });
  expect(readingsOf(sample!)).toMatchObject({
    clock_event_reasons: 0x4 | 0x20 | 0x10000,
    fan_speed_ratio: 0,
    fan_speed_rpm: 0,
    hotspot_temperature_celsius: 110,
  });
  expect(readingsOf(sample!)).not.toHaveProperty('video_clock_hertz');
  expect(processesOf(sample!)).toEqual([`900 compute ${20 * 2 ** 30} not-collected not-supported not-supported`]);
});

test('two Instinct MI210: error counters, compute processes, what joins them', async () => {
  const source = await open(plant('mi210-pair'));
  const devices = await look(source);
  expect(devices.map(({ device }) => device)).toMatchObject([
    {
      index: 0,
      uuid: 'GPU-9f3c61b2d4e5a708',
      name: 'AMD INSTINCT MI210',
      serial: 'PCB035270-0041',
      driverVersion: '6.10.5',
      facts: { architecture: 'gfx90a', 'part-number': 'D67301V' },
    },
    { index: 1, uuid: 'GPU-1d92aa06b7c3e45f', serial: 'PCB035270-0077' },
  ]);
  expect(readingsOf(devices[0]!)).toMatchObject({ ecc_corrected_volatile_total: 8, ecc_uncorrected_volatile_total: 0 });
  expect(readingsOf(devices[1]!)).toMatchObject({ ecc_corrected_volatile_total: 1, ecc_uncorrected_volatile_total: 2 });
  // The limit of a sensor that is zero is none.
  expect(readingsOf(devices[0]!)).not.toHaveProperty('temperature_slowdown_celsius');
  // Compute queues are not counted by the driver: no share is not a share of zero.
  expect(processesOf(devices[0]!)).toEqual([`7001 compute ${50_296_000 * 1024} not-supported 0 0`]);
  // The first process has opened the second GPU and uses nothing of it.
  expect(processesOf(devices[1]!)).toEqual(['7002 compute 4194304 not-supported not-supported not-supported']);
  const [a, b] = devices.map(({ device }) => device.uuid);
  expect(source.topology?.()).toEqual([
    { from: a, to: b, level: 'XGMI', canPeerRead: null },
    { from: b, to: a, level: 'XGMI', canPeerRead: null },
  ]);
});

test('Instinct MI300X in partitions: each is a device of its own, and the card stays what it is', async () => {
  const tree = plant('mi300x-cpx');
  const source = await open(tree);
  const devices = await look(source);
  const card = 'GPU-61f0c38e2b9d7a54';
  expect(devices.map(({ device: { index, uuid, name, pciBusId } }) => [index, uuid, name, pciBusId])).toEqual([
    [0, card, 'AMD Instinct MI300X OAM', '00000000:05:00.0'],
    [1, `${card}@partition-1`, 'AMD Instinct MI300X OAM (1)', '00000000:05:00.0'],
    [2, `${card}@partition-2`, 'AMD Instinct MI300X OAM (2)', '00000000:05:00.0'],
    [3, `${card}@partition-3`, 'AMD Instinct MI300X OAM (3)', '00000000:05:00.0'],
  ]);
  expect(readingsOf(devices[0]!)).toMatchObject({
    utilization_ratio: 0.54,
    // No sensor at the edge of the chip: the hotspot stands for it.
    temperature_celsius: 57,
    hotspot_temperature_celsius: 57,
    memory_temperature_celsius: 49,
    power_watts: 412,
    power_instant_watts: 412,
    energy_joules_total: 5000,
    pcie_link_generation: 5,
    clock_event_reasons: 'not-collected',
  });
  expect(readingsOf(devices[1]!)).toEqual({
    utilization_ratio: 0.6,
    memory_total_bytes: 51_535_413_248,
    memory_used_bytes: 20 * 2 ** 30,
    memory_free_bytes: 51_535_413_248 - 20 * 2 ** 30,
  });
  // All its compute units are marked as not supported.
  expect(readingsOf(devices[2]!)).not.toHaveProperty('utilization_ratio');
  expect(devices.map(processesOf)).toEqual([[], [`8800 compute ${20 * 2 ** 30} not-supported 0 0`], [], []]);
  const metrics = 'sys/devices/pci0000:00/0000:00:01.1/0000:05:00.0/gpu_metrics';
  tree.write(metrics, pack('2208 0:u16=2208 2:u8=1 3:u8=7 48:u32=71 52:u32=9 60:u32=4'));
  const [again] = await look(source);
  expect(readingsOf(again!)).toMatchObject({ clock_event_reasons: 0x4 | 0x20, energy_joules_total: 0 });
});

test('partitions of plain folders with one identity do not hide each other', async () => {
  const tree = plant();
  for (const number of [0, 1, 2, 10]) {
    tree.write(`sys/class/drm/card${number}/device/vendor`, '0x1002');
    tree.write(`sys/class/drm/card${number}/device/unique_id`, 'abc');
    tree.write(`sys/class/drm/card${number}/device/uevent`, 'PCI_SLOT_NAME=0000:05:00.0');
    tree.write(`sys/class/drm/card${number}/device/gpu_busy_percent`, String(number));
  }
  const devices = await look(await open(tree));
  expect(devices.map(({ device }) => device.uuid)).toEqual([
    'GPU-0000000000000abc',
    'GPU-0000000000000abc@00000000:05:00.0',
    'GPU-0000000000000abc@card2',
    'GPU-0000000000000abc@card10',
  ]);
  expect(devices.map((sample) => readingsOf(sample)['utilization_ratio'])).toEqual([0, 0.01, 0.02, 0.1]);
});

test('a part of a processor works in what is set aside for it and in what it may add to that', async () => {
  const tree = plant('apu-680m');
  const [sample] = await look(await open(tree));
  expect(readingsOf(sample!)).toMatchObject({
    memory_total_bytes: 536_870_912 + 16_445_100_032,
    memory_used_bytes: 503_316_480 + 2_147_483_648,
    gtt_total_bytes: 16_445_100_032,
    gtt_used_bytes: 2_147_483_648,
    power_watts: 9.044,
    core_voltage_volts: 0.755,
    video_clock_hertz: 400_000_000,
    clock_event_reasons: 0x4,
  });
  expect(readingsOf(sample!)).not.toHaveProperty('pcie_link_width');
  expect(readingsOf(sample!)).not.toHaveProperty('video_utilization_ratio');
  expect(processesOf(sample!)).toEqual([`411 graphics ${5 * 2 ** 20} 0 0 0`]);
  // Without the table it is known by what it lacks.
  tree.remove('sys/devices/pci0000:00/0000:00:08.1/0000:c4:00.0/gpu_metrics');
  const [older] = await look(await open(tree));
  expect(readingsOf(older!)).toMatchObject({ memory_total_bytes: 536_870_912 + 16_445_100_032 });
});

describe('a machine without an AMD GPU', () => {
  test.each([
    ['nothing at all', (_: FakeTree) => {}, 'DRM_NO_GPU', {}],
    [
      'only other cards',
      (tree: FakeTree) => tree.write('sys/class/drm/card0/device/vendor', '0x1af4'),
      'DRM_NO_GPU',
      {},
    ],
    [
      'one that is given to a virtual machine',
      (tree: FakeTree) => {
        tree.write('sys/bus/pci/devices/0000:03:00.0/vendor', '0x1002');
        tree.write('sys/bus/pci/devices/0000:03:00.0/class', '0x030000');
        tree.link('sys/bus/pci/devices/0000:03:00.0/driver', '../../drivers/vfio-pci');
      },
      'DRM_DRIVER_NOT_BOUND',
      { place: '0000:03:00.0', driver: 'vfio-pci', module: 'amdgpu' },
    ],
    [
      'an AMD bridge and sound',
      (tree: FakeTree) => {
        tree.write('sys/bus/pci/devices/0000:03:00.1/vendor', '0x1002');
        tree.write('sys/bus/pci/devices/0000:03:00.1/class', '0x040300');
      },
      'DRM_NO_GPU',
      {},
    ],
  ])('%s', async (_, prepare, code, params) => {
    const tree = plant();
    prepare(tree);
    const probe = await openAmdgpu({ clock: systemClock, root: tree.root });
    expect(probe).toMatchObject({ ok: false, reason: { code, params } });
  });
});
