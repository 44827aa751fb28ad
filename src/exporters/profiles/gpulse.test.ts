import { describe, expect, test } from 'vitest';
import { DEVICE_METRICS } from '../../model/catalogue.ts';
import { absent } from '../../model/reading.ts';
import { ReadingSet } from '../../model/reading-set.ts';
import { gpu, linesOf, migOf, pageOf, podProcess, processOf, textOf, viewOf, wholeView } from '../test-page.ts';

const startingWith = (lines: readonly string[], start: string) => lines.filter((line) => line.startsWith(start));

test('every metric of the catalogue is a series in base units', () => {
  const lines = linesOf(pageOf([wholeView(gpu(0), { processes: [] })]));
  for (const { id, slot, unit } of DEVICE_METRICS) {
    const value = unit === 'ratio' ? (slot % 100) / 100 : slot + 1;
    expect(lines).toContain(`gpulse_${id}{gpu="0",uuid="GPU-0a"} ${value}`);
  }
  expect(startingWith(lines, 'gpulse_metric_absent_info{')).toEqual([]);
});

test('a counter is one, and says its unit in OpenMetrics', () => {
  const page = pageOf([viewOf(gpu(0), { energy_joules_total: 12.5 })]);
  expect(textOf(page)).toContain('# TYPE gpulse_energy_joules_total counter\n');
  expect(textOf(page, {}, 'openmetrics')).toContain(
    '# TYPE gpulse_energy_joules counter\n# UNIT gpulse_energy_joules joules\n# HELP gpulse_energy_joules Energy used since ' +
      'the driver was loaded.\ngpulse_energy_joules_total{gpu="0",uuid="GPU-0a"} 12.5\n',
  );
  expect(textOf(page, {}, 'openmetrics').endsWith('\n# EOF\n')).toBe(true);
});

describe('what is absent', () => {
  test('has no series, and is said once where all devices agree', () => {
    const reading = { power_watts: 200, fan_speed_ratio: absent('not-supported') } as const;
    const lines = linesOf(pageOf([viewOf(gpu(0), reading), viewOf(gpu(1), reading)]));
    expect(startingWith(lines, 'gpulse_fan_speed_ratio')).toEqual([]);
    expect(startingWith(lines, 'gpulse_metric_absent_info{metric="gpulse_fan_speed_ratio"')).toEqual([
      'gpulse_metric_absent_info{metric="gpulse_fan_speed_ratio",reason="not-supported",scope="gpu"} 1',
    ]);
  });

  test('is said per device where they differ', () => {
    const lines = linesOf(
      pageOf([viewOf(gpu(0), { power_watts: 0 }), viewOf(gpu(1), { power_watts: absent('no-permission') })]),
    );
    expect(startingWith(lines, 'gpulse_power_watts')).toEqual(['gpulse_power_watts{gpu="0",uuid="GPU-0a"} 0']);
    expect(startingWith(lines, 'gpulse_metric_absent_info{metric="gpulse_power_watts"')).toEqual([
      'gpulse_metric_absent_info{metric="gpulse_power_watts",reason="no-permission",scope="gpu",gpu="1",uuid="GPU-1a"} 1',
    ]);
  });

  test('a number that is none spoils nothing', () => {
    const readings = new ReadingSet();
    readings.codes.fill(0);
    readings.values.fill(Number.NaN);
    const text = textOf(pageOf([viewOf(gpu(0), {}, { readings }), viewOf(gpu(1), { power_watts: 3 })]));
    expect(text).not.toContain('NaN');
    expect(text).toContain('gpulse_power_watts{gpu="1",uuid="GPU-1a"} 3\n');
    expect(text).toContain('{metric="gpulse_power_watts",reason="error",scope="gpu",gpu="0",uuid="GPU-0a"} 1\n');
  });

  test('a stale device keeps its state and loses its readings', () => {
    const lines = linesOf(pageOf([viewOf(gpu(0), { power_watts: 200 }, { state: 'stale' })]));
    expect(startingWith(lines, 'gpulse_power_watts')).toEqual([]);
    expect(lines).toContain('gpulse_device_up{gpu="0",uuid="GPU-0a"} 0');
    expect(lines).toContain('gpulse_device_state{gpu="0",uuid="GPU-0a",state="stale"} 1');
    expect(lines).toContain('gpulse_sample_age_seconds{gpu="0",uuid="GPU-0a"} 0.5');
    expect(lines).toContain('gpulse_metric_absent_info{metric="gpulse_power_watts",reason="stale",scope="gpu"} 1');
  });

  test('one lost card leaves its neighbours alone', () => {
    const lost = viewOf(gpu(0), {}, { state: 'lost', readings: ReadingSet.allAbsent('gpu-lost') });
    const lines = linesOf(pageOf([lost, viewOf(gpu(1), { power_watts: 100 })]));
    expect(startingWith(lines, 'gpulse_power_watts')).toEqual(['gpulse_power_watts{gpu="1",uuid="GPU-1a"} 100']);
    expect(lines).toContain('gpulse_device_state{gpu="0",uuid="GPU-0a",state="lost"} 1');
  });

  test('of a lost card is only what the others have: what they lack is still said once', () => {
    const reading = { power_watts: 100, fan_speed_ratio: absent('not-supported') } as const;
    const lost = viewOf(gpu(0), {}, { state: 'lost', readings: ReadingSet.allAbsent('gpu-lost') });
    const about = (views: Parameters<typeof pageOf>[0]) =>
      startingWith(linesOf(pageOf(views)), 'gpulse_metric_absent_info{');
    const well = about([viewOf(gpu(1), reading), viewOf(gpu(2), reading)]);
    const found = about([lost, viewOf(gpu(1), reading), viewOf(gpu(2), reading)]);
    expect(well.filter((line) => !found.includes(line))).toEqual([]);
    expect(found.filter((line) => !well.includes(line) && line.includes('_watts'))).toEqual([
      'gpulse_metric_absent_info{metric="gpulse_power_watts",reason="gpu-lost",scope="gpu",gpu="0",uuid="GPU-0a"} 1',
    ]);
    // What is told of devices beside their readings has reasons of its own.
    expect(found.length - well.length).toBeLessThan(10);
  });
});

test('a MIG instance and its card are told apart', () => {
  const card = gpu(0);
  const lines = linesOf(
    pageOf([viewOf(card, { memory_used_bytes: 3 }), viewOf(migOf(card, 2, 1), { memory_used_bytes: 1 })]),
  );
  expect(startingWith(lines, 'gpulse_memory_used_bytes')).toEqual([
    'gpulse_memory_used_bytes{gpu="0",uuid="GPU-0a"} 3',
    'gpulse_memory_used_bytes{gpu="0",uuid="MIG-0-2-1",gpu_instance="2",compute_instance="1",mig_profile="3g.40gb"} 1',
  ]);
  expect(startingWith(lines, 'gpulse_device_info{gpu="0",uuid="MIG-0-2-1"').join()).toContain('parent_uuid="GPU-0a"');
});

test('clock events, fans and ports have series of their own', () => {
  const links = [
    {
      link: 0,
      isActive: true,
      peerBusId: null,
      crcErrors: 1,
      replayErrors: 2,
      recoveryErrors: absent('not-supported'),
    },
    { link: 5, isActive: false, peerBusId: null, crcErrors: 0, replayErrors: 0, recoveryErrors: 0 },
  ];
  const details = { fans: [0.3, absent('error')], links };
  const lines = linesOf(pageOf([viewOf(gpu(0), { clock_event_reasons: 0x44 }, { details })]));
  expect(lines).toContain('gpulse_clock_event_active{gpu="0",uuid="GPU-0a",reason="power-cap"} 1');
  expect(lines).toContain('gpulse_clock_event_active{gpu="0",uuid="GPU-0a",reason="hw-thermal"} 1');
  expect(lines).toContain('gpulse_clock_event_active{gpu="0",uuid="GPU-0a",reason="gpu-idle"} 0');
  expect(startingWith(lines, 'gpulse_fan_ratio')).toEqual(['gpulse_fan_ratio{gpu="0",uuid="GPU-0a",fan="0"} 0.3']);
  expect(lines).toContain('gpulse_nvlink_link_up{gpu="0",uuid="GPU-0a",link="5"} 0');
  expect(lines).toContain('gpulse_nvlink_link_replay_errors_total{gpu="0",uuid="GPU-0a",link="0"} 2');
  expect(startingWith(lines, 'gpulse_nvlink_link_recovery')).toHaveLength(1);
});

describe('owners', () => {
  const view = (processes: ReturnType<typeof processOf>[]) => viewOf(gpu(0), { power_watts: 300 }, { processes });

  test('have an info series to join on and sums over their processes', () => {
    const lines = linesOf(pageOf([view([podProcess(1, 'a'), podProcess(2, 'a'), processOf(3, { user: 'li' })])]));
    const a = '{gpu="0",uuid="GPU-0a",namespace="ml",pod="a",container="main"';
    expect(startingWith(lines, 'gpulse_owner_info')).toEqual([
      `gpulse_owner_info${a},pod_uid="uid-a"} 1`,
      'gpulse_owner_info{gpu="0",uuid="GPU-0a",user="li"} 1',
    ]);
    expect(lines).toContain(`gpulse_owner_memory_used_bytes${a}} ${2 ** 31}`);
    expect(lines).toContain(`gpulse_owner_sm_ratio${a}} 0.5`);
    expect(lines).toContain(`gpulse_owner_processes${a}} 2`);
    expect(lines).toContain('gpulse_processes{gpu="0",uuid="GPU-0a"} 3');
  });

  test('a sum of which a part is not known is not made up, and the reason is said', () => {
    const lines = linesOf(
      pageOf([view([podProcess(1, 'a'), podProcess(2, 'a', { smRatio: absent('not-supported') })])]),
    );
    expect(startingWith(lines, 'gpulse_owner_sm_ratio')).toEqual([]);
    expect(lines).toContain(
      'gpulse_metric_absent_info{metric="gpulse_owner_sm_ratio",reason="not-supported",scope="gpu",gpu="0",uuid="GPU-0a"} 1',
    );
  });

  test('a list that cannot be had is absent, not empty', () => {
    const lines = linesOf(pageOf([viewOf(gpu(0), {}, { processes: absent('no-permission') })]));
    expect(startingWith(lines, 'gpulse_processes')).toEqual([]);
    expect(
      startingWith(lines, 'gpulse_metric_absent_info{metric="gpulse_processes",reason="no-permission"'),
    ).toHaveLength(1);
  });

  test('are on every series of a device with one owner where that is asked for', () => {
    const power = (views: ReturnType<typeof view>[]) =>
      startingWith(linesOf(pageOf(views), { ownerLabels: true }), 'gpulse_power_watts');
    expect(power([view([podProcess(1, 'a')])])).toEqual([
      'gpulse_power_watts{gpu="0",uuid="GPU-0a",namespace="ml",pod="a",container="main"} 300',
    ]);
    expect(power([view([podProcess(1, 'a'), podProcess(2, 'b')])])).toEqual([
      'gpulse_power_watts{gpu="0",uuid="GPU-0a"} 300',
    ]);
  });

  test('a pod that holds an idle device is its owner', () => {
    const pod = { uid: null, namespace: 'ml', name: 'idle', container: 'main' };
    const lines = linesOf(pageOf([viewOf(gpu(0), {}, { processes: [], allotted: [pod] })]));
    expect(lines).toContain('gpulse_owner_info{gpu="0",uuid="GPU-0a",namespace="ml",pod="idle",container="main"} 1');
    const busy = pageOf([viewOf(gpu(0), {}, { processes: [podProcess(1, 'idle')], allotted: [pod] })]);
    expect(startingWith(linesOf(busy), 'gpulse_owner_info')).toHaveLength(1);
  });
});

test('names that would break a line are escaped', () => {
  const name = 'Quote " back\\slash\nline 显卡';
  const lines = linesOf(pageOf([viewOf(gpu(0, { name }), { power_watts: 1 })]));
  expect(startingWith(lines, 'gpulse_device_info')[0]).toContain('name="Quote \\" back\\\\slash\\nline 显卡"');
});

test('gpulse tells of itself', () => {
  const sinks = [
    { name: 'influx', queued: 2, capacity: 60, sentSamples: 100, lostSamples: 5, failures: 3, lastFailure: '503' },
  ];
  const lines = linesOf(pageOf([viewOf(gpu(0), {})], { sinks, source: { lastTickAt: pageOf([]).now - 1500 } }));
  for (const line of [
    'gpulse_ticks_total 10',
    'gpulse_tick_duration_seconds 0.04',
    'gpulse_missed_ticks_total 2',
    'gpulse_data_age_seconds 1.5',
    'gpulse_source_state{state="running"} 1',
    'gpulse_source_info{host="node-1",name="nvml",origin="live"} 1',
    'gpulse_reading_errors_total{gpu="0",uuid="GPU-0a"} 0',
    'gpulse_sink_queue_batches{sink="influx"} 2',
    'gpulse_sink_lost_samples_total{sink="influx"} 5',
    'process_cpu_seconds_total 1.5',
  ]) {
    expect(lines).toContain(line);
  }
});
