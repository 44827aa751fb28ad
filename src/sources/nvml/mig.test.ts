import { afterEach, describe, expect, test } from 'vitest';
import type { Tick } from '../../model/tick.ts';
import { HAS_FAKE_DRIVER } from './fake-driver.ts';
import { startMachine, stopMachines } from './fake-machine.ts';

afterEach(stopMachines);

const GIB = 2 ** 30;
const CUT = `gpus 2
gpu 0 mig on
mig 0 5 0 1 ${10 * GIB} ${3 * GIB}
mig 0 1 0 3 ${40 * GIB} ${7 * GIB}`;

/** `index instance state used` of every device in a tick, in its order. */
function rows({ devices }: Tick): string[] {
  return devices.map(({ device: { index, mig }, state, readings }) => {
    const used = readings.get('memory_used_bytes');
    const place = mig === undefined ? 'card' : `gi${mig.gpuInstance} ${mig.profile}`;
    return `${index} ${place} ${state} ${typeof used === 'number' ? used / GIB : used.absent}`;
  });
}

function pids({ devices }: Tick): string[] {
  return devices.map(({ processes }) =>
    'absent' in processes ? processes.absent : processes.map(({ pid }) => pid).join(' '),
  );
}

describe.skipIf(!HAS_FAKE_DRIVER)('MIG instances', () => {
  test('are devices beside their card, each with its own memory', async () => {
    const machine = await startMachine({ script: CUT });
    const tick = await machine.tick();
    expect(rows(tick)).toEqual(['0 card ok 10', '0 gi1 3g.40gb ok 7', '0 gi5 1g.10gb ok 3', '1 card ok 10']);
    expect(tick.devices[1]?.device).toMatchObject({
      uuid: 'MIG-fa4e0000-0000-4000-8000-000000000001',
      name: 'NVIDIA H100 80GB HBM3 MIG 3g.40gb',
      pciBusId: '00000000:10:00.0',
      mig: { parent: 'GPU-fa4e0000-0000-4000-8000-000000000000', gpuInstance: 1, computeInstance: 0 },
    });
  });

  test('do not pass for measured what only the card as a whole has', async () => {
    const machine = await startMachine({ script: CUT });
    const { devices } = await machine.tick();
    for (const metric of ['temperature_celsius', 'power_watts', 'utilization_ratio', 'energy_joules_total'] as const) {
      expect(devices[1]?.readings.get(metric)).toEqual({ absent: 'mig' });
    }
    expect(devices[0]?.readings.get('temperature_celsius')).toBe(41);
    expect(devices[0]?.readings.get('utilization_ratio')).toEqual({ absent: 'mig' });
  });

  test('have their own processes, and each is counted once', async () => {
    const machine = await startMachine({
      script: `${CUT}
process 0 pid 100 memory 1000 kind compute instance 1 compute-instance 0
process 0 pid 200 memory 2000 kind compute instance 5 compute-instance 0
process 0 pid 300 memory 3000 kind compute instance 9 compute-instance 0
process 1 pid 100 memory 4000 kind compute`,
    });
    expect(pids(await machine.tick())).toEqual(['300', '100', '200', '100']);
  });

  test('that are cut anew are listed as they are now, and the old ones are gone', async () => {
    const machine = await startMachine({ script: CUT });
    await machine.tick();
    machine.driver.script(`gpus 2\ngpu 0 mig on\nmig 0 2 0 7 ${80 * GIB} ${1 * GIB}`);
    // The handle of the second leads nowhere now, which is noticed at once.
    await machine.tick();
    expect(rows(await machine.tick())).toEqual(['0 card ok 10', '0 gi2 7g.80gb ok 1', '1 card ok 10']);
    expect(machine.source.devices()).toHaveLength(3);
    machine.driver.script('gpus 2');
    for (let second = 0; second < 11; second++) await machine.tick();
    expect(rows(await machine.tick())).toEqual(['0 card ok 10', '1 card ok 10']);
  });

  test('that come while processes run take nobody from another card', async () => {
    const processes = 'process 1 pid 500 memory 1000 kind compute\nprocess 1 pid 501 memory 1000 kind compute';
    const machine = await startMachine({ script: `gpus 2\ngpu 0 mig on\n${processes}` });
    await machine.tick();
    machine.driver.script(`${CUT}\n${processes}`);
    for (let second = 0; second < 12; second++) {
      const { devices } = await machine.tick();
      const running = devices.map(({ device, processes: list }) =>
        'absent' in list
          ? list.absent
          : `${device.uuid.slice(0, 3)}${device.index}:${list.map(({ pid }) => pid).join()}`,
      );
      expect(running.filter((text) => text.includes('500'))).toEqual(['GPU1:500,501']);
    }
    expect(rows(await machine.tick())).toHaveLength(4);
  });

  test('are lost with their card and come back with it', async () => {
    const machine = await startMachine({ script: CUT });
    await machine.tick();
    machine.driver.script(`${CUT}\ngpu 0 lost on`);
    expect(rows(await machine.tick()).map((row) => row.split(' ').at(-2))).toEqual(['lost', 'lost', 'lost', 'ok']);
    machine.driver.script(CUT);
    expect(rows(await machine.tick(10_000))).toEqual([
      '0 card ok 10',
      '0 gi1 3g.40gb ok 7',
      '0 gi5 1g.10gb ok 3',
      '1 card ok 10',
    ]);
  });

  test('are found again, and not twice, after the driver was reloaded', async () => {
    const machine = await startMachine({ script: CUT });
    await machine.tick();
    machine.driver.script(`${CUT}\ngeneration 1`);
    for (let second = 0; second < 3; second++) await machine.tick();
    expect(rows(await machine.tick())).toHaveLength(4);
    expect(machine.source.devices()).toHaveLength(4);
  });

  const LISTING = [
    'nvmlDeviceGetMaxMigDeviceCount',
    'nvmlDeviceGetMigDeviceHandleByIndex',
    'nvmlDeviceGetGpuInstanceId',
  ] as const;

  test.each(LISTING)('that cannot be listed because of %s leave the card as it is, and that is said', async (name) => {
    const machine = await startMachine({ script: `${CUT}\nfail ${name} 4` });
    expect(rows(await machine.tick())).toEqual(['0 card ok 10', '1 card ok 10']);
    expect(machine.source.notices()).toEqual([{ key: 'notice.mig-unlisted', params: { index: 0 } }]);
  });

  test.each([...LISTING, 'nvmlDeviceGetMigMode'])('that are known stay when %s fails', async (name) => {
    const machine = await startMachine({ script: CUT });
    await machine.tick();
    machine.driver.script(`${CUT}\nfail ${name} 999`);
    for (let second = 0; second < 12; second++) expect(rows(await machine.tick())).toHaveLength(4);
  });

  test('without a name of their own are named after what they are made of', async () => {
    const machine = await startMachine({ script: `${CUT}\nfail nvmlDeviceGetName 3\nfail nvmlDeviceGetUUID 3` });
    const { devices } = await machine.tick();
    expect(devices.map(({ device }) => device.mig?.profile ?? '-')).toEqual(['-', '3g.40gb', '1g.10gb', '-']);
    expect(new Set(devices.map(({ device }) => device.uuid)).size).toBe(4);
  });
});
