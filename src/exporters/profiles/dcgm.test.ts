import { describe, expect, test } from 'vitest';
import { absent } from '../../model/reading.ts';
import { gpu, linesOf, migOf, NAMING, NOW, pageOf, podProcess, textOf, viewOf, wholeView } from '../test-page.ts';
import { TickMemory } from '../tick-memory.ts';

const DCGM = { ...NAMING, profiles: ['dcgm'] } as const;
const LABELS =
  'gpu="0",UUID="GPU-0a",pci_bus_id="00000000:0A:00.0",device="nvidia0",modelName="NVIDIA H100 80GB HBM3",Hostname="node-1",' +
  'DCGM_FI_DRIVER_VERSION="570.86.15"';

const dcgmLines = (page: ReturnType<typeof pageOf>, naming: Partial<typeof NAMING> = {}) =>
  linesOf(page, { ...DCGM, ...naming }).filter((line) => line.startsWith('DCGM_'));

test('units are those of DCGM', () => {
  const view = viewOf(gpu(0), {
    utilization_ratio: 0.29,
    sm_active_ratio: 0.29,
    memory_used_bytes: 10 * 2 ** 20 + 5000,
    memory_total_bytes: 40 * 2 ** 20,
    memory_reserved_bytes: 0,
    energy_joules_total: 1234.5678,
    sm_clock_hertz: 1_980_000_000,
    power_watts: 235.4,
    clock_event_thermal_seconds_total: 0.012,
    pcie_tx_bytes_per_second: 1500.4,
    clock_event_reasons: 0x10004,
    temperature_celsius: 41,
  });
  const lines = dcgmLines(pageOf([view]));
  for (const [name, value] of [
    ['DCGM_FI_DEV_GPU_UTIL', 29],
    ['DCGM_FI_PROF_SM_ACTIVE', 0.29],
    ['DCGM_FI_DEV_FB_USED', 10],
    ['DCGM_FI_DEV_FB_TOTAL', 40],
    ['DCGM_FI_DEV_FB_USED_PERCENT', (10 * 2 ** 20 + 5000) / (40 * 2 ** 20)],
    ['DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION', 1_234_568],
    ['DCGM_FI_DEV_SM_CLOCK', 1980],
    ['DCGM_FI_DEV_POWER_USAGE', 235.4],
    ['DCGM_FI_DEV_THERMAL_VIOLATION', 12_000_000],
    ['DCGM_FI_PROF_PCIE_TX_BYTES', 1500],
    ['DCGM_FI_DEV_CLOCKS_EVENT_REASONS', 4],
    ['DCGM_FI_DEV_GPU_TEMP', 41],
  ] as const) {
    expect(lines).toContain(`${name}{${LABELS}} ${value}`);
  }
});

/** Active by default in dcgm-exporter, as far as NVML has it, with the type its list declares. */
const DEFAULTS = {
  gauge:
    'SM_CLOCK MEM_CLOCK MEMORY_TEMP GPU_TEMP POWER_USAGE GPU_UTIL MEM_COPY_UTIL ENC_UTIL DEC_UTIL XID_ERRORS FB_FREE FB_USED FB_RESERVED ROW_REMAP_FAILURE',
  counter: 'TOTAL_ENERGY_CONSUMPTION PCIE_REPLAY_COUNTER UNCORRECTABLE_REMAPPED_ROWS CORRECTABLE_REMAPPED_ROWS',
};
const PROFILING = 'GR_ENGINE_ACTIVE PIPE_TENSOR_ACTIVE DRAM_ACTIVE PCIE_TX_BYTES PCIE_RX_BYTES';
/** Shipped commented out, and what dashboards use beside that. */
const MORE = {
  counter:
    'POWER_VIOLATION THERMAL_VIOLATION SYNC_BOOST_VIOLATION BOARD_LIMIT_VIOLATION LOW_UTIL_VIOLATION RELIABILITY_VIOLATION ' +
    'ECC_SBE_VOL_TOTAL ECC_DBE_VOL_TOTAL ECC_SBE_AGG_TOTAL ECC_DBE_AGG_TOTAL RETIRED_SBE RETIRED_DBE RETIRED_PENDING ' +
    'NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL NVLINK_CRC_DATA_ERROR_COUNT_TOTAL NVLINK_REPLAY_ERROR_COUNT_TOTAL NVLINK_RECOVERY_ERROR_COUNT_TOTAL',
  gauge: 'FB_TOTAL FB_USED_PERCENT POWER_MGMT_LIMIT ROW_REMAP_PENDING CLOCKS_EVENT_REASONS FAN_SPEED PSTATE',
};

test('names and types are those of dcgm-exporter', () => {
  const text = textOf(pageOf([wholeView(gpu(0))]), DCGM);
  const check = (type: string, prefix: string, names: string) => {
    for (const name of names.split(' ')) expect(text).toContain(`# TYPE ${prefix}${name} ${type}\n`);
  };
  for (const table of [DEFAULTS, MORE]) {
    check('gauge', 'DCGM_FI_DEV_', table.gauge);
    check('counter', 'DCGM_FI_DEV_', table.counter);
  }
  check('gauge', 'DCGM_FI_PROF_', PROFILING);
  expect(text).not.toContain('ECC_SBE_VOL_L2');
  expect(textOf(pageOf([wholeView(gpu(0))]), { ...DCGM, dcgm: { ...NAMING.dcgm, fields: 'all' } })).toContain(
    '# TYPE DCGM_FI_DEV_ECC_SBE_VOL_L2 counter\n',
  );
});

test('a family comes once, and what has no proper suffix is of no type in OpenMetrics', () => {
  const owners = [podProcess(1, 'a'), podProcess(2, 'b')];
  const page = pageOf([wholeView(gpu(0), { processes: owners })]);
  const naming = { ...DCGM, ownerLabels: true, profiles: ['gpulse', 'dcgm', 'nvidia_smi'] } as const;
  for (const format of ['prometheus', 'openmetrics'] as const) {
    const types = textOf(page, naming, format)
      .split('\n')
      .filter((line) => line.startsWith('# TYPE'));
    const names = types.map((line) => line.split(' ')[2]);
    expect(names).toEqual([...new Set(names)]);
  }
  expect(textOf(page, naming, 'openmetrics')).toContain('# TYPE DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION unknown\n');
});

test('the host has the label that is asked for', () => {
  const labels = (hostLabel: 'Hostname' | 'hostname' | 'both') =>
    dcgmLines(pageOf([viewOf(gpu(0), { power_watts: 1 })]), { dcgm: { ...NAMING.dcgm, hostLabel } })[0];
  expect(labels('Hostname')).toContain(',Hostname="node-1",');
  expect(labels('hostname')).toContain(',hostname="node-1",');
  expect(labels('hostname')).not.toContain('Hostname');
  expect(labels('both')).toContain(',Hostname="node-1",hostname="node-1",');
});

test('the newer names stand beside the old ones or in their place', () => {
  const names = (which: 'legacy' | 'renamed' | 'both') =>
    dcgmLines(pageOf([viewOf(gpu(0), { temperature_celsius: 41 })]), { dcgm: { ...NAMING.dcgm, names: which } })
      .map((line) => line.split('{')[0])
      .filter((name) => name?.includes('TEMP'));
  expect(names('legacy')).toEqual(['DCGM_FI_DEV_GPU_TEMP']);
  expect(names('renamed')).toEqual(['DCGM_FI_DEV_GPU_TEMP_CELSIUS']);
  expect(names('both')).toEqual(['DCGM_FI_DEV_GPU_TEMP', 'DCGM_FI_DEV_GPU_TEMP_CELSIUS']);
});

test('a GPU instance has the labels of its card and its own two', () => {
  const card = gpu(0);
  const instances = [migOf(card, 1, 0), migOf(card, 1, 1), migOf(card, 2)];
  const lines = dcgmLines(
    pageOf([card, ...instances].map((device, i) => viewOf(device, { memory_used_bytes: 2 ** 20 * (i + 1) }))),
  );
  const plain = LABELS.replace(',Hostname', ',GPU_I_PROFILE="3g.40gb",GPU_I_ID="1",Hostname');
  expect(lines.filter((line) => line.startsWith('DCGM_FI_DEV_FB_USED{'))).toEqual([
    `DCGM_FI_DEV_FB_USED{${LABELS}} 1`,
    `DCGM_FI_DEV_FB_USED{${plain}} 2`,
    `DCGM_FI_DEV_FB_USED{${plain.replace('GPU_I_ID="1"', 'GPU_I_ID="2"')}} 4`,
  ]);
});

test('an instance of unknown number cannot pass for its card', () => {
  const card = gpu(0);
  const nameless = {
    ...card,
    uuid: 'MIG-x',
    mig: { parent: card.uuid, gpuInstance: null, computeInstance: null, profile: null },
  };
  expect(dcgmLines(pageOf([viewOf(nameless, { memory_used_bytes: 1 })]))).toEqual([]);
});

test('DCGM is about NVIDIA', () => {
  expect(dcgmLines(pageOf([viewOf(gpu(0, { vendor: 'amd' }), { power_watts: 1 })]))).toEqual([]);
});

describe('owners', () => {
  const view = (pods: readonly string[]) =>
    viewOf(
      gpu(0),
      { utilization_ratio: 0.9, memory_used_bytes: 3 * 2 ** 30, power_watts: 300 },
      { processes: pods.map((pod, i) => podProcess(i, pod)) },
    );
  const of = (name: string, pods: readonly string[]) =>
    dcgmLines(pageOf([view(pods)]), { ownerLabels: true })
      .filter((line) => line.startsWith(`${name}{`))
      .map((line) => line.replace(LABELS, '…'));
  const pod = (name: string) => `container="main",namespace="ml",pod="${name}",pod_uid="uid-${name}"`;

  test('one owner is on every series', () => {
    expect(of('DCGM_FI_DEV_POWER_USAGE', ['a'])).toEqual([`DCGM_FI_DEV_POWER_USAGE{…,${pod('a')}} 300`]);
    expect(of('DCGM_FI_DEV_XID_ERRORS', ['a'])).toEqual([
      'DCGM_FI_DEV_XID_ERRORS{…,container="main",err_code="0",err_msg="No Error",namespace="ml",pod="a",pod_uid="uid-a"} 0',
    ]);
  });

  test('one pod that runs as several users is one owner', () => {
    const processes = [
      podProcess(1, 'a', { user: 'root' }),
      podProcess(2, 'a', { user: 'li' }),
      podProcess(3, 'b', { user: 'li' }),
    ];
    const lines = (some: typeof processes) =>
      dcgmLines(pageOf([viewOf(gpu(0), { utilization_ratio: 0.9 }, { processes: some })]), { ownerLabels: true })
        .filter((line) => line.startsWith('DCGM_FI_DEV_GPU_UTIL{'))
        .map((line) => line.replace(LABELS, '…'));
    expect(lines(processes.slice(0, 2))).toEqual([`DCGM_FI_DEV_GPU_UTIL{…,${pod('a')}} 90`]);
    expect(lines(processes)).toEqual([
      'DCGM_FI_DEV_GPU_UTIL{…} 90',
      `DCGM_FI_DEV_GPU_UTIL{…,${pod('a')}} 50`,
      `DCGM_FI_DEV_GPU_UTIL{…,${pod('b')}} 25`,
    ]);
  });

  test('what several share is split by process where it can be, and left whole where not', () => {
    expect(of('DCGM_FI_DEV_GPU_UTIL', ['a', 'b'])).toEqual([
      'DCGM_FI_DEV_GPU_UTIL{…} 90',
      `DCGM_FI_DEV_GPU_UTIL{…,${pod('a')}} 25`,
      `DCGM_FI_DEV_GPU_UTIL{…,${pod('b')}} 25`,
    ]);
    expect(of('DCGM_FI_DEV_FB_USED', ['a', 'b'])[1]).toBe(`DCGM_FI_DEV_FB_USED{…,${pod('a')}} 1024`);
    expect(of('DCGM_FI_DEV_POWER_USAGE', ['a', 'b'])).toEqual(['DCGM_FI_DEV_POWER_USAGE{…} 300']);
  });

  test('a part that the driver does not tell is missing, with the reason', () => {
    const processes = [podProcess(1, 'a'), podProcess(2, 'b', { smRatio: absent('not-supported') })];
    const page = pageOf([viewOf(gpu(0), { utilization_ratio: 0.9, memory_used_bytes: 2 ** 31 }, { processes })]);
    const lines = linesOf(page, { ...DCGM, ownerLabels: true });
    expect(lines.filter((line) => line.startsWith('DCGM_FI_DEV_GPU_UTIL{'))).toHaveLength(2);
    expect(lines.filter((line) => line.startsWith('DCGM_FI_DEV_FB_USED{'))).toHaveLength(3);
    const told = (naming: object) =>
      linesOf(page, { ...DCGM, ...naming }).filter((line) => line.includes('scope="owner"'));
    expect(told({ ownerLabels: true })).toEqual([
      'gpulse_metric_absent_info{metric="DCGM_FI_DEV_GPU_UTIL",reason="not-supported",scope="owner",gpu="0",uuid="GPU-0a"} 1',
    ]);
    expect(told({ ownerLabels: false })).toEqual([]);
  });
});

test('Xids and clock events are counted over five minutes', () => {
  const memory = new TickMemory();
  const device = gpu(0);
  const tick = (at: number, clock_event_reasons: number, events: Parameters<TickMemory['accept']>[0]['events'] = []) =>
    memory.accept({ at, monotonic: at, devices: [viewOf(device, { clock_event_reasons })], events });
  const xid = { at: NOW - 9000, kind: 'xid', severity: 'critical', uuid: device.uuid, key: 'k' } as const;
  tick(NOW - 400_000, 0x8);
  tick(NOW - 9000, 0x4, [{ ...xid, params: { xid: 79, count: 1 } }]);
  tick(NOW - 8000, 0x4, [{ ...xid, params: { xid: 79, count: 3, last: NOW - 8000 } }]);
  const lines = dcgmLines(pageOf([viewOf(device, {})], { memory })).map((line) => line.replace(LABELS, '…'));
  expect(lines.filter((line) => /XID|CLOCK_EVENTS/.test(line))).toEqual([
    expect.stringMatching(/^DCGM_FI_DEV_XID_ERRORS\{…,err_code="79",err_msg="[^"]+"\} 79$/),
    'DCGM_EXP_XID_ERRORS_COUNT{…,window_size_in_ms="300000",xid="79"} 3',
    'DCGM_EXP_CLOCK_EVENTS_COUNT{…,clock_event="power_cap",window_size_in_ms="300000"} 2',
  ]);
});

test('without any way to see Xids none is claimed to be absent', () => {
  const source = { name: 'nvidia-smi', notices: [{ key: 'notice.kernel-log-no-permission', params: {} }] } as const;
  const lines = dcgmLines(pageOf([viewOf(gpu(0), {})], { source }));
  expect(lines.filter((line) => line.includes('XID'))).toEqual([]);
});

test('ports of NVLink go by other label names', () => {
  const port = { isActive: true, peerBusId: null, crcErrors: 0, replayErrors: 7, recoveryErrors: absent('error') };
  const details = {
    links: [
      { ...port, link: 0 },
      { ...port, link: 3 },
    ],
  };
  const lines = dcgmLines(pageOf([viewOf(gpu(0), {}, { details })])).filter((line) => line.includes('nvlink='));
  expect(lines).toEqual(
    [0, 3].map(
      (link) =>
        `DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_L${link}{nvlink="${link}",gpu="0",gpu_uuid="GPU-0a",pci_bus_id="00000000:0A:00.0",device="nvidia0",model_name="NVIDIA H100 80GB HBM3",hostname="node-1"} 7`,
    ),
  );
});

test('what NVML cannot give is said with the reason', () => {
  const lines = linesOf(pageOf([viewOf(gpu(0), { sm_active_ratio: absent('not-supported') })]), DCGM);
  expect(lines).toContain(
    'gpulse_metric_absent_info{metric="DCGM_FI_PROF_SM_ACTIVE",reason="not-supported",scope="gpu"} 1',
  );
  expect(lines).toContain(
    'gpulse_metric_absent_info{metric="DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL",reason="not-collected",scope="gpu"} 1',
  );
});

test('that a device answers is told beside the names of DCGM too', () => {
  const page = pageOf([viewOf(gpu(0), {}), viewOf(gpu(1), {}, { state: 'stale' })]);
  const lines = linesOf(page, DCGM);
  for (const line of [
    'gpulse_device_up{gpu="0",uuid="GPU-0a"} 1',
    'gpulse_device_up{gpu="1",uuid="GPU-1a"} 0',
    'gpulse_device_state{gpu="1",uuid="GPU-1a",state="stale"} 1',
    'gpulse_sample_age_seconds{gpu="1",uuid="GPU-1a"} 0.5',
  ]) {
    expect(lines).toContain(line);
  }
  const once = linesOf(page, { ...NAMING, profiles: ['gpulse', 'dcgm'] });
  expect(once.filter((line) => line.startsWith('gpulse_device_up'))).toHaveLength(2);
});
