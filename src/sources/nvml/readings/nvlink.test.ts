import { afterEach, describe, expect, test } from 'vitest';
import type { MetricId } from '../../../model/catalogue.ts';
import type { AbsenceReason } from '../../../model/reading.ts';
import { takeDetails } from '../details.ts';
import { closeBoards, readBoard } from '../fake-board.ts';
import { HAS_FAKE_DRIVER } from '../fake-driver.ts';
import { Topology } from '../topology.ts';

afterEach(closeBoards);

type Want = Partial<Record<MetricId, number | AbsenceReason>>;

const SWITCH = '00000000:C1:00.0';
const OLD = ['nvmlDeviceGetFieldValues'];

function check(script: string, want: Want, without: readonly string[] = []): void {
  const board = readBoard(script, { without });
  expect(board.values(Object.keys(want) as MetricId[])).toEqual(want);
}

describe.skipIf(!HAS_FAKE_DRIVER)('NVLink', () => {
  test('ports that are up, errors of each and of all', () => {
    const board = readBoard('gpu 0 nvlinks 4\ngpu 0 nvlink-down 4\ngpu 0 nvlink-crc 100\ngpu 0 nvlink-replay 10\n');
    expect(
      board.values([
        'nvlink_links',
        'nvlink_active_links',
        'nvlink_crc_errors_total',
        'nvlink_crc_flit_errors_total',
        'nvlink_crc_data_errors_total',
        'nvlink_replay_errors_total',
        'nvlink_recovery_errors_total',
      ]),
    ).toEqual({
      nvlink_links: 4,
      nvlink_active_links: 3,
      nvlink_crc_errors_total: 406,
      nvlink_crc_flit_errors_total: 26,
      nvlink_crc_data_errors_total: 30,
      nvlink_replay_errors_total: 46,
      nvlink_recovery_errors_total: 0,
    });
    expect(board.gpus[0]?.details.get()?.links?.slice(1, 3)).toEqual([
      { link: 1, isActive: true, peerBusId: SWITCH, crcErrors: 101, replayErrors: 11, recoveryErrors: 0 },
      { link: 2, isActive: false, peerBusId: null, crcErrors: 102, replayErrors: 12, recoveryErrors: 0 },
    ]);
    const before = board.driver.calls();
    board.read();
    expect(board.driver.calls('nvmlDeviceGetNvLinkErrorCounter')).toBe(0);
    expect(board.driver.calls() - before).toBeLessThan(100);
  });

  test('what has changed since is seen, also after it could not be read for a while', () => {
    const NAMES = ['nvlink_links', 'nvlink_active_links', 'nvlink_crc_errors_total'] as const;
    const board = readBoard('gpu 0 nvlinks 2\ngpu 0 nvlink-crc 100');
    const usual = { nvlink_links: 2, nvlink_active_links: 2, nvlink_crc_errors_total: 201 };
    const reads = (script: string): Partial<Record<MetricId, number | AbsenceReason>> => {
      board.driver.script(`gpus 1\n${script}`);
      board.read();
      return board.values(NAMES);
    };
    for (let tick = 0; tick < 2; tick++) expect(reads('gpu 0 nvlinks 2\ngpu 0 nvlink-crc 100')).toEqual(usual);
    expect(reads('gpu 0 nvlinks 2\ngpu 0 nvlink-crc 107')).toEqual({ ...usual, nvlink_crc_errors_total: 215 });
    expect(reads('gpu 0 nvlinks 2\ngpu 0 nvlink-crc 107\ngpu 0 nvlink-down 2')).toEqual({
      ...usual,
      nvlink_active_links: 1,
      nvlink_crc_errors_total: 215,
    });
    expect(reads('gpu 0 nvlinks 2\ngpu 0 nvlink-crc 100')).toEqual(usual);
    expect(reads('gpu 0 nvlinks 2\ngpu 0 fail * 15').nvlink_links).not.toBe(2);
    expect(reads('gpu 0 nvlinks 2\ngpu 0 nvlink-crc 100')).toEqual(usual);
    const { links } = board.gpus[0]!;
    expect(reads('gpu 0 nvlinks 2\ngpu 0 nvlink-crc 100')).toEqual(usual);
    expect(board.gpus[0]!.links).toBe(links);
  });

  test('two calls are enough: one for states and totals, one for the errors of all ports', () => {
    const fieldCalls = (script: string): number => {
      const board = readBoard(script);
      const before = board.driver.calls('nvmlDeviceGetFieldValues');
      board.read();
      return board.driver.calls('nvmlDeviceGetFieldValues') - before;
    };
    expect(fieldCalls('gpu 0 nvlinks 18') - fieldCalls('gpu 0 nvlinks unsupported')).toBe(2);
    // More than one call has room for: each kind of errors by itself.
    expect(fieldCalls('gpu 0 nvlinks 36') - fieldCalls('gpu 0 nvlinks unsupported')).toBe(4);
  });

  test('an older driver is asked port by port', () => {
    const script = 'gpu 0 nvlinks 6\ngpu 0 nvlink-replay 10\ngpu 0 nvlink-peer 1';
    const board = readBoard(script, { without: [...OLD, 'nvmlDeviceGetNvLinkRemotePciInfo_v2'] }, 2);
    expect(board.gpus[0]?.details.get()?.links?.[5]).toEqual({
      link: 5,
      isActive: true,
      peerBusId: '00000000:11:00.0',
      crcErrors: 21,
      replayErrors: 15,
      recoveryErrors: 0,
    });
    expect(board.values(['nvlink_links', 'nvlink_crc_flit_errors_total', 'nvlink_replay_errors_total'])).toEqual({
      nvlink_links: 6,
      nvlink_crc_flit_errors_total: 45,
      nvlink_replay_errors_total: 75,
    });
  });

  test('NVLink 5 counts recoveries and bytes by port, and no checksum errors or replays', async () => {
    const board = readBoard('gpu 0 nvlink-generation 5\ngpu 0 nvlink-recovery 3');
    expect(
      board.values(['nvlink_crc_errors_total', 'nvlink_replay_errors_total', 'nvlink_recovery_errors_total']),
    ).toEqual({
      nvlink_crc_errors_total: 'not-supported',
      nvlink_replay_errors_total: 'not-supported',
      nvlink_recovery_errors_total: 18 * 3 + 153,
    });
    board.read();
    await new Promise((resolve) => setTimeout(resolve, 150));
    board.read();
    const { nvlink_tx_bytes_per_second: tx, nvlink_rx_bytes_per_second: rx } = board.values([
      'nvlink_tx_bytes_per_second',
      'nvlink_rx_bytes_per_second',
    ]);
    expect(tx).toBeGreaterThan(3.2e9);
    expect(tx).toBeLessThan(5e9);
    expect(rx).toBeGreaterThan(2.4e9);
  });

  test('traffic over all ports is the rate since the tick before', async () => {
    const board = readBoard();
    expect(board.values(['nvlink_tx_bytes_per_second'])).toEqual({ nvlink_tx_bytes_per_second: 'not-collected' });
    await new Promise((resolve) => setTimeout(resolve, 150));
    board.read();
    const { nvlink_tx_bytes_per_second: tx } = board.values(['nvlink_tx_bytes_per_second']);
    expect(tx).toBeGreaterThan(3.2e9);
    expect(tx).toBeLessThan(5e9);
  });

  test('sentinels are errors', () =>
    check('gpu 0 nvlink-replay -1\ngpu 0 nvlink-crc -1', {
      nvlink_replay_errors_total: 'error',
      nvlink_crc_errors_total: 'error',
      nvlink_recovery_errors_total: 0,
    }));

  test('a board without it says so once, and is not asked again', () => {
    const board = readBoard('gpu 0 nvlinks unsupported');
    expect(board.values(['nvlink_links', 'nvlink_active_links', 'nvlink_rx_bytes_per_second'])).toEqual({
      nvlink_links: 'not-supported',
      nvlink_active_links: 'not-supported',
      nvlink_rx_bytes_per_second: 'not-supported',
    });
    const before = board.driver.calls('nvmlDeviceGetNvLinkState');
    board.read();
    expect(board.driver.calls('nvmlDeviceGetNvLinkState')).toBe(before);
    check('gpu 0 fail nvmlDeviceGetNvLinkState 4\ngpu 0 field 165 4', { nvlink_links: 'no-permission' });
    check('', { nvlink_links: 'not-supported', nvlink_tx_bytes_per_second: 'not-supported' }, [
      'nvmlDeviceGetNvLinkState',
      ...OLD,
    ]);
  });

  test('where any port answers, the count tells how many there are', () =>
    check('gpu 0 nvlinks 36\ngpu 0 nvlink-count 12', { nvlink_links: 12, nvlink_active_links: 12 }));

  test('a port that cannot be asked for a while stays a port', () => {
    const board = readBoard('gpu 0 nvlinks 4');
    board.driver.script('gpus 1\ngpu 0 nvlinks 4\ngpu 0 field 165 999\ngpu 0 fail nvmlDeviceGetNvLinkState 999');
    board.read();
    expect(board.values(['nvlink_links', 'nvlink_active_links'])).toEqual({ nvlink_links: 4, nvlink_active_links: 4 });
  });

  test('details are told when they change, and only then', () => {
    const board = readBoard('gpu 0 nvlinks 2', {}, 2);
    expect(takeDetails(board.gpus)?.map((details) => details?.links?.length)).toEqual([2, 18]);
    board.read();
    expect(takeDetails(board.gpus)).toBeNull();
    board.driver.script('gpus 2\ngpu 0 nvlinks 2\ngpu 1 fan 31');
    board.read();
    expect(takeDetails(board.gpus)?.[1]?.fans).toEqual([0.31]);
    board.gpus[0]?.forget();
    expect(takeDetails(board.gpus)?.[0]).toBeNull();
  });
});

describe.skipIf(!HAS_FAKE_DRIVER)('topology', () => {
  function link(board: ReturnType<typeof readBoard>, topology: Topology) {
    return topology.step(board.native.nvml, board.gpus)?.map(({ level, canPeerRead }) => `${level} ${canPeerRead}`);
  }

  test('cards on a switch are joined by as many links as both have up', () => {
    const board = readBoard('gpu 1 nvlink-down 3', {}, 3);
    const topology = new Topology();
    expect(topology.step(board.native.nvml, board.gpus)).toEqual([
      { from: board.gpus[0]?.device.uuid, to: board.gpus[1]?.device.uuid, level: 'NV16', canPeerRead: true },
      { from: board.gpus[0]?.device.uuid, to: board.gpus[2]?.device.uuid, level: 'NV18', canPeerRead: true },
      { from: board.gpus[1]?.device.uuid, to: board.gpus[2]?.device.uuid, level: 'NV16', canPeerRead: true },
    ]);
    expect(link(board, topology)).toBeUndefined();
    board.driver.script('gpus 3');
    board.read();
    expect(link(board, topology)).toEqual(['NV18 true', 'NV18 true', 'NV18 true']);
  });

  test('straight links count only between their ends', () => {
    const script =
      'gpu 0 nvlinks 4\ngpu 1 nvlinks 4\ngpu 0 nvlink-peer 1\ngpu 1 nvlink-peer 0\ngpu 2 nvlinks unsupported';
    expect(link(readBoard(script, {}, 3), new Topology())).toEqual(['NV4 true', 'NODE true', 'NODE true']);
  });

  test('without NVLink the nearest thing they share, and whether one may read the other', () => {
    const script = [
      'gpu * nvlinks unsupported',
      'gpu 0 bridge 7',
      'gpu 1 bridge 7',
      'gpu 2 socket 1',
      'gpu 0 peer-read 1',
      'gpu 1 peer-read 6',
    ];
    expect(link(readBoard(script.join('\n'), {}, 3), new Topology())).toEqual(['PIX false', 'SYS false', 'SYS null']);
  });

  test('a driver that does not tell gives none', () => {
    const without = ['nvmlDeviceGetTopologyCommonAncestor', 'nvmlDeviceGetP2PStatus'];
    expect(link(readBoard('gpu * nvlinks unsupported', { without }, 2), new Topology())).toEqual([]);
    const failing = readBoard('gpu * nvlinks unsupported\ngpu 0 fail nvmlDeviceGetP2PStatus 999', {}, 2);
    expect(link(failing, new Topology())).toEqual(['NODE null']);
  });

  test('64 cards are gone through a few pairs at a time, once', () => {
    const board = readBoard('gpu * nvlinks unsupported', {}, 64);
    const topology = new Topology();
    let ticks = 0;
    let before = board.driver.calls();
    for (; ticks < 400; ticks++) {
      topology.step(board.native.nvml, board.gpus);
      const calls = board.driver.calls() - before;
      before += calls;
      expect(calls).toBeLessThanOrEqual(16);
      if (calls === 0) break;
    }
    expect(ticks).toBe(Math.ceil((64 * 63) / 2 / 8));
    // A card that was away is asked for again, with its 63 pairs only.
    board.gpus[5]!.closed = 4;
    topology.step(board.native.nvml, board.gpus);
    board.gpus[5]!.closed = 0;
    for (let tick = 0; tick < 20; tick++) topology.step(board.native.nvml, board.gpus);
    expect(board.driver.calls() - before).toBe(2 * 63);
  }, 20_000);
});
