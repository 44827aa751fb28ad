import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { ByteMeter } from './byte-meter.ts';
import { closeBoards, readBoard } from './fake-board.ts';
import { HAS_FAKE_DRIVER } from './fake-driver.ts';
import { startMachine, stopMachines } from './fake-machine.ts';
import { ThroughputTurns } from './pcie-throughput.ts';
import { Rota } from './rota.ts';

afterEach(stopMachines);
afterEach(closeBoards);

const SLOW = [
  'nvmlDeviceGetEnforcedPowerLimit',
  'nvmlDeviceGetCurrPcieLinkGeneration',
  'nvmlDeviceGetCurrPcieLinkWidth',
  'nvmlDeviceGetTotalEccErrors',
] as const;
const STATIC = ['nvmlDeviceGetMaxClockInfo', 'nvmlDeviceGetTemperatureThreshold', 'nvmlDeviceGetName'] as const;

describe.skipIf(!HAS_FAKE_DRIVER)('how often the driver is asked', () => {
  test('a tick makes at most 25 calls per GPU, and hardly ever more than the one before', async () => {
    const machine = await startMachine({ script: 'gpus 8' });
    // How the GPUs are joined is asked in the first few.
    for (let second = 0; second < 8; second++) await machine.tick();
    const costs: number[] = [];
    for (let second = 0; second < 20; second++) {
      const before = machine.driver.calls();
      await machine.tick();
      costs.push(machine.driver.calls() - before);
    }
    expect(Math.max(...costs)).toBeLessThanOrEqual(25 * 8);
    expect(Math.max(...costs) - Math.min(...costs)).toBeLessThanOrEqual(24);
  });

  test('what is slow comes round in ten seconds and never for all GPUs in one tick; what is static is asked once', async () => {
    const machine = await startMachine({ script: 'gpus 8' });
    const atOpen = (name: string): number => machine.driver.calls(name);
    const statics = STATIC.map(atOpen);
    const before = SLOW.map(atOpen);
    let most = 0;
    for (let second = 0; second < 20; second++) {
      const limits = machine.driver.calls(SLOW[0]);
      await machine.tick();
      most = Math.max(most, machine.driver.calls(SLOW[0]) - limits);
    }
    expect(most).toBeLessThanOrEqual(4);
    const rounds = SLOW.map((name, i) => (machine.driver.calls(name) - before[i]!) / 8);
    // ECC comes with the field values, so the single call is not made.
    expect(rounds.map((count) => Math.round(count))).toEqual([2, 2, 2, 0]);
    expect(STATIC.map(atOpen)).toEqual(statics);
  });

  test('a slow value is carried on between its turns', async () => {
    const machine = await startMachine({ script: 'gpus 1' });
    expect(await machine.read('power_limit_watts')).toBe(700);
    machine.driver.script('gpus 1\ngpu 0 power-limit 350000');
    const seen = new Set<unknown>();
    for (let second = 0; second < 11; second++) seen.add(await machine.read('power_limit_watts'));
    expect([...seen]).toEqual([700, 350]);
  });

  test('without byte counters the GPUs are measured in turn, with at most two calls that block per tick', async () => {
    const machine = await startMachine({ script: 'gpus 3\nfield 197 3\ngpu 1 pcie-rx 5000000\ngpu * gpm off' });
    for (let tick = 1; tick <= 7; tick++) {
      const before = machine.driver.calls('nvmlDeviceGetPcieThroughput');
      await machine.tick();
      expect(machine.driver.calls('nvmlDeviceGetPcieThroughput') - before).toBeLessThanOrEqual(2);
    }
    const { devices } = await machine.tick();
    expect(devices.map(({ readings }) => readings.get('pcie_tx_bytes_per_second'))).toEqual([1e9, 1e9, 1e9]);
    expect(devices.map(({ readings }) => readings.get('pcie_rx_bytes_per_second'))).toEqual([2e9, 5e6, 2e9]);
  });

  test('with byte counters nothing blocks, and the rate is that of the interval', async () => {
    const machine = await startMachine({ script: 'gpus 1' });
    await machine.tick();
    await new Promise((resolve) => setTimeout(resolve, 200));
    const { readings } = await machine.sample();
    expect(readings.get('pcie_tx_bytes_per_second')).toBeGreaterThan(0.8e9);
    expect(readings.get('pcie_tx_bytes_per_second')).toBeLessThan(1.25e9);
    expect(readings.get('pcie_rx_bytes_per_second')).toBeGreaterThan(1.6e9);
    expect(machine.driver.calls('nvmlDeviceGetPcieThroughput')).toBe(0);
    machine.driver.script('gpus 1\ngpu 0 pcie-tx-base -900000000000');
    await new Promise((resolve) => setTimeout(resolve, 60));
    const after = await machine.sample();
    expect(after.readings.get('pcie_tx_bytes_per_second')).toEqual({ absent: 'error' });
  });

  test('a board without any PCIe measurement is asked for it twice', async () => {
    const machine = await startMachine({ script: 'gpus 1\nfield 197 3\nfail nvmlDeviceGetPcieThroughput 3' });
    for (let tick = 0; tick < 4; tick++) await machine.tick();
    expect(await machine.read('pcie_rx_bytes_per_second')).toEqual({ absent: 'not-supported' });
    expect(machine.driver.calls('nvmlDeviceGetPcieThroughput')).toBe(1);
  });
});

describe.skipIf(!HAS_FAKE_DRIVER)('the fields of every tick', () => {
  const RATES = ['pcie_tx_bytes_per_second', 'pcie_rx_bytes_per_second'] as const;
  const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 60));

  test('byte counters that are all ones are an error in every tick, never a rate of 0', async () => {
    const board = readBoard('gpu 0 pcie-tx-base -1');
    for (let tick = 0; tick < 3; tick++) {
      expect(board.values(RATES).pcie_tx_bytes_per_second).toBe('error');
      await pause();
      board.read();
    }
    expect(board.values(RATES).pcie_rx_bytes_per_second).toBeGreaterThan(1e9);
    board.driver.script('gpus 1');
    board.read();
    // What was no reading is nothing to compare with.
    expect(board.values(RATES).pcie_tx_bytes_per_second).toBe('error');
    await pause();
    board.read();
    expect(board.values(RATES).pcie_tx_bytes_per_second).toBeGreaterThan(0.5e9);
  });

  test('a field that has worked and is refused is asked for again, and its fellow with it', async () => {
    const board = readBoard();
    await pause();
    board.driver.script('gpus 1\ngpu 0 field 82 3\ngpu 0 field 198 3');
    board.read();
    expect(board.values(['memory_temperature_celsius', ...RATES])).toEqual({
      memory_temperature_celsius: 'not-supported',
      pcie_tx_bytes_per_second: 'not-collected',
      pcie_rx_bytes_per_second: 'not-collected',
    });
    board.fields.readThroughputInTurn(board.native.nvml, board.gpus);
    board.fields.readThroughputInTurn(board.native.nvml, board.gpus);
    expect(board.values(RATES)).toEqual({ pcie_tx_bytes_per_second: 1e9, pcie_rx_bytes_per_second: 2e9 });
    board.driver.script('gpus 1');
    board.read();
    expect(board.values(['memory_temperature_celsius'])).toEqual({ memory_temperature_celsius: 'not-supported' });
    board.gpus[0]?.wakeQuestions();
    board.read();
    expect(board.values(['memory_temperature_celsius'])).toEqual({ memory_temperature_celsius: 52 });
    const calls = board.driver.calls('nvmlDeviceGetPcieThroughput');
    board.fields.readThroughputInTurn(board.native.nvml, board.gpus);
    expect(board.driver.calls('nvmlDeviceGetPcieThroughput')).toBe(calls);
  });
});

describe('the turns of the calls that block', () => {
  /** The longest time between two measurements of the same, in seconds, and the most calls in one tick. */
  function play(gpus: number, intervalMs: number): { oldest: number; most: number } {
    const turns = new ThroughputTurns();
    const last = new Map<string, number>();
    let oldest = 0;
    let most = 0;
    for (let at = 0; at <= 1_200_000; at += intervalMs) {
      let calls = 0;
      turns.turn(gpus, at === 0 ? 0 : intervalMs, (gpu, direction) => {
        const key = `${gpu}${direction}`;
        oldest = Math.max(oldest, (at - (last.get(key) ?? 0)) / 1000);
        last.set(key, at);
        calls++;
      });
      most = Math.max(most, calls);
    }
    expect(last.size).toBe(2 * gpus);
    return { oldest, most };
  }

  test('no measurement of up to ten GPUs is older than ten seconds', () => {
    for (const gpus of [1, 2, 5, 8, 10]) {
      expect(play(gpus, 1000).oldest, `${gpus} GPUs`).toBeLessThanOrEqual(10);
      expect(play(gpus, 250).oldest, `${gpus} GPUs`).toBeLessThanOrEqual(10);
    }
    expect(play(8, 5000).oldest).toBeLessThanOrEqual(10);
  });

  test('with many GPUs two calls per second are all', () => {
    expect(play(64, 1000)).toEqual({ oldest: 64, most: 2 });
    expect(play(64, 500).most).toBeLessThanOrEqual(2);
    expect(play(64, 60_000).most).toBe(16);
  });
});

describe('the rota', () => {
  test('runs every job once per period, at any tick interval, and at most half of them at a time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 50, max: 5000 }), (count, interval) => {
        const rota = new Rota(10_000);
        const runs = new Array<number>(count).fill(0);
        let most = 0;
        const ticks = Math.ceil(40_000 / interval);
        for (let tick = 0; tick < ticks; tick++) {
          let inTick = 0;
          rota.turn(count, interval, (job) => {
            runs[job]!++;
            inTick++;
          });
          most = Math.max(most, inTick);
        }
        expect(most).toBeLessThanOrEqual(Math.ceil(count / 2));
        const periods = (ticks * interval) / 10_000;
        expect(Math.min(...runs)).toBeGreaterThanOrEqual(Math.floor(periods) - 1);
        expect(Math.max(...runs)).toBeLessThanOrEqual(Math.ceil(periods) + 1);
      }),
    );
  });

  test('does not catch up after a pause, and does nothing when no time has passed or there is no job', () => {
    const rota = new Rota(1000);
    let runs = 0;
    const turn = (count: number, elapsed: number): void => rota.turn(count, elapsed, () => runs++);
    turn(10, 0);
    turn(0, 500);
    turn(10, -500);
    expect(runs).toBe(0);
    turn(10, 3_600_000);
    expect(runs).toBe(5);
    turn(10, 0);
    expect(runs).toBeLessThanOrEqual(6);
  });
});

describe('the byte meter', () => {
  test('makes a rate of two readings', () => {
    const meter = new ByteMeter();
    expect(meter.next(1000, 0)).toBeNull();
    expect(meter.next(3000, 500)).toBe(4000);
    expect(meter.next(3000, 1500)).toBe(0);
  });

  test('waits when two readings are too close, and keeps the earlier one', () => {
    const meter = new ByteMeter();
    meter.next(0, 0);
    expect(meter.next(50, 10)).toBeNull();
    expect(meter.next(1000, 1000)).toBe(1000);
  });

  test('gives no number where the counter went back, and goes on from there', () => {
    const meter = new ByteMeter();
    meter.next(5000, 0);
    expect(meter.next(100, 1000)).toBeNaN();
    expect(meter.next(300, 2000)).toBe(200);
    meter.reset();
    expect(meter.next(400, 3000)).toBeNull();
  });
});
