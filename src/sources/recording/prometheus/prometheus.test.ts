import { describe, expect, test } from 'vitest';
import { ANCHOR, decode, eventsOf, readingsOf, shapeOf } from '../decode-text.ts';
import { parseSample } from './exposition.ts';

const MIB = 2 ** 20;
const T0 = Date.UTC(2024, 0, 1, 10);

const labels = (gpu: number, more = '') =>
  `gpu="${gpu}",UUID="GPU-${gpu}",device="nvidia${gpu}",modelName="NVIDIA A100",Hostname="node1"${more}`;
const sample = (name: string, gpu: number, value: number | string, more = '') =>
  `${name}{${labels(gpu, more)}} ${value}\n`;
const scrape = (util: number) =>
  `# HELP DCGM_FI_DEV_GPU_UTIL load
# TYPE DCGM_FI_DEV_GPU_UTIL gauge
${sample('DCGM_FI_DEV_GPU_UTIL', 0, util)}${sample('DCGM_FI_DEV_GPU_UTIL', 1, util + 1)}# HELP DCGM_FI_DEV_FB_USED used
${sample('DCGM_FI_DEV_FB_USED', 0, 100)}${sample('DCGM_FI_DEV_FB_USED', 1, 200)}`;

test('the shapes of a sample', () => {
  const check = (line: string, want: object | null) => {
    const found = parseSample(line);
    const plain = found === null ? null : { ...found, labels: Object.fromEntries(found.labels), series: undefined };
    if (want === null) expect(plain, line).toBe(null);
    else expect(plain, line).toMatchObject(want);
  };
  check('up 1', { name: 'up', written: '1', labels: {} });
  check('a:b{x="1",y="a } \\" \\\\ \\n b",} 1.98e+09 1700000000123', {
    name: 'a:b',
    labels: { x: '1', y: 'a } " \\ \n b' },
    written: '1.98e+09',
    time: 1_700_000_000_123,
  });
  check('a{} NaN 1700000000.5', { name: 'a', written: 'NaN', time: 1_700_000_000_500 });
  check('{__name__="a", x="1"} 2', { name: 'a', labels: { x: '1' } });
  check('{"a", "x y"="1"} 2', { name: 'a', labels: { 'x y': '1' } });
  check('a 1 # {trace="x"} 0.5', { written: '1' });
  check('a{x="1" 2', null);
  check('a{x="1', null);
  check('a{x="1"} ', null);
  check('hello world', null);
  check('GPU 0: 5', null);
});

describe('scrapes', () => {
  test('that follow each other are ticks', () => {
    const log = decode(scrape(1) + scrape(2) + scrape(3));
    expect(shapeOf(log)).toEqual(['GPU-0 GPU-1', 'GPU-0 GPU-1', 'GPU-0 GPU-1']);
    expect(readingsOf(log, 'utilization_ratio')).toEqual([0.01, 0.02, 0.02, 0.03, 0.03, 0.04]);
    expect(readingsOf(log, 'memory_used_bytes').slice(0, 2)).toEqual([100 * MIB, 200 * MIB]);
    expect(log.ticks.map(({ at }) => at)).toEqual([ANCHOR, ANCHOR + 1000, ANCHOR + 2000]);
  });

  test('of one family only, and without its comments', () => {
    const lines = [1, 2, 3].map(
      (util) => sample('DCGM_FI_DEV_GPU_UTIL', 0, util) + sample('DCGM_FI_DEV_GPU_UTIL', 1, util),
    );
    const log = decode(lines.join(''));
    expect(shapeOf(log)).toEqual(['GPU-0 GPU-1', 'GPU-0 GPU-1', 'GPU-0 GPU-1']);
  });

  test('with a date in front of each, and pods that change', () => {
    const pod = (name: string) => scrape(5).replaceAll('Hostname=', `pod="${name}",namespace="ml",Hostname=`);
    const log = decode(`2024-01-01T10:00:00Z\n${pod('a')}2024-01-01T10:00:15Z\n${pod('b')}`);
    expect(log.ticks.map(({ at }) => at)).toEqual([T0, T0 + 15_000]);
    expect(shapeOf(log)).toEqual(['GPU-0 GPU-1', 'GPU-0 GPU-1']);
    expect(decode(pod('a') + pod('b')).ticks).toHaveLength(2);
  });

  test('a GPU that is missing from one scrape is missing from its tick', () => {
    const one = scrape(1).replaceAll(/^.*gpu="1".*\n/gm, '');
    expect(shapeOf(decode(scrape(1) + one + scrape(2)))).toEqual(['GPU-0 GPU-1', 'GPU-0', 'GPU-0 GPU-1']);
  });

  test('times of samples are used, by scrape or series by series', () => {
    const at = (time: number) => scrape(time / 1000 - T0 / 1000).replaceAll(/(\} \d+)$/gm, `$1 ${time}`);
    const byScrape = decode(at(T0) + at(T0 + 15_000) + at(T0 + 30_000));
    expect(byScrape.ticks.map((tick) => tick.at)).toEqual([T0, T0 + 15_000, T0 + 30_000]);
    expect(readingsOf(byScrape, 'utilization_ratio')).toEqual([0, 0.01, 0.15, 0.16, 0.3, 0.31]);
    const series = [0, 1].flatMap((gpu) =>
      ['DCGM_FI_DEV_GPU_UTIL', 'DCGM_FI_DEV_GPU_TEMP'].flatMap((name) =>
        [0, 1, 2].map((step) => `${name}{${labels(gpu)}} ${step + gpu} ${T0 + step * 15_000 + gpu * 7}`),
      ),
    );
    const bySeries = decode(`${series.join('\n')}\n`);
    expect(bySeries.ticks.map((tick) => tick.at)).toEqual([T0, T0 + 15_000, T0 + 30_000]);
    expect(readingsOf(bySeries, 'temperature_celsius')).toEqual([0, 1, 1, 2, 2, 3]);
  });

  test('sentinels and NaN are absent, absurd numbers are errors', () => {
    const log = decode(
      sample('DCGM_FI_DEV_GPU_UTIL', 0, '9223372036854775794') +
        sample('DCGM_FI_DEV_GPU_TEMP', 0, '2147483632') +
        sample('DCGM_FI_DEV_POWER_USAGE', 0, 'NaN') +
        sample('DCGM_FI_DEV_MEM_COPY_UTIL', 0, '1980') +
        sample('DCGM_FI_DEV_FB_USED', 0, '+Inf'),
    );
    expect(readingsOf(log, 'utilization_ratio')).toEqual(['not-supported']);
    expect(readingsOf(log, 'temperature_celsius')).toEqual(['not-collected']);
    expect(readingsOf(log, 'power_watts')).toEqual(['not-collected']);
    expect(readingsOf(log, 'memory_utilization_ratio')).toEqual(['error']);
    expect(readingsOf(log, 'memory_used_bytes')).toEqual(['error']);
  });

  test('the last Xid is an event when it changes', () => {
    const log = decode([0, 0, 43, 43].map((xid) => sample('DCGM_FI_DEV_XID_ERRORS', 0, xid, ',err_code="x"')).join(''));
    expect(eventsOf(log)).toMatchObject([{ kind: 'xid', at: ANCHOR + 2000, uuid: 'GPU-0', params: { xid: 43 } }]);
  });

  test('machines without UUIDs are kept apart, other series are ignored', () => {
    const log = decode(
      `go_goroutines 12
node_load1 3
DCGM_FI_DEV_GPU_UTIL{gpu="0",instance="a:9400"} 10
DCGM_FI_DEV_GPU_UTIL{gpu="0",instance="b:9400"} 20
DCGM_FI_DEV_VGPU_LICENSE_STATUS{gpu="0",instance="b:9400"} 0
my_metric{x="1"} 5
`,
    );
    expect(log.devices.map(({ uuid, index }) => [uuid, index])).toEqual([
      ['log-0', 0],
      ['log-b:9400-0', 0],
    ]);
    expect(log.skipped).toEqual({ 'unknown-series': 1 });
  });

  test('other exporters', () => {
    const log = decode(`nvidia_gpu_duty_cycle{minor_number="0",uuid="GPU-9",name="Tesla T4"} 97
nvidia_gpu_power_usage_milliwatts{minor_number="0",uuid="GPU-9",name="Tesla T4"} 70000
nvidia_gpu_memory_used_bytes{minor_number="0",uuid="GPU-9",name="Tesla T4"} 1.5e+09
`);
    expect(readingsOf(log, 'utilization_ratio')).toEqual([0.97]);
    expect(readingsOf(log, 'power_watts')).toEqual([70]);
    expect(log.devices[0]).toMatchObject({ uuid: 'GPU-9', index: 0, name: 'Tesla T4' });
    const amd = decode('amd_gpu_gfx_activity{gpu_id="1",gpu_uuid="x",card_model="Instinct MI300X",hostname="h"} 12\n');
    expect(amd.devices[0]).toMatchObject({ vendor: 'amd', index: 1, name: 'Instinct MI300X' });
    const npu = decode('npu_chip_info_hbm_used_memory{id="3",model_name="910B3",pcie_bus_info="0000:C1:00.0"} 3336\n');
    expect(npu.devices[0]).toMatchObject({ vendor: 'huawei', index: 3 });
    expect(readingsOf(npu, 'memory_used_bytes')).toEqual([3336 * MIB]);
    const old = decode('dcgm_gpu_utilization{gpu="0",uuid="GPU-7"} 42\n');
    expect(readingsOf(old, 'utilization_ratio')).toEqual([0.42]);
  });
});

describe('answers of the API', () => {
  const matrix = (name: string, points: number) => ({
    status: 'success',
    data: {
      resultType: 'matrix',
      result: [0, 1].map((gpu) => ({
        metric: { __name__: name, gpu: `${gpu}`, UUID: `GPU-${gpu}`, modelName: 'NVIDIA H100', instance: 'a' },
        values: Array.from({ length: points }, (_, step) => [T0 / 1000 + step * 15, String(step + gpu)]),
      })),
    },
  });

  test('a matrix is turned into ticks, several of them by time', () => {
    const log = decode(
      `${JSON.stringify(matrix('DCGM_FI_DEV_GPU_UTIL', 3))}\n${JSON.stringify(matrix('DCGM_FI_DEV_GPU_TEMP', 3), null, 2)}\n`,
    );
    expect(log.ticks.map(({ at }) => at)).toEqual([T0, T0 + 15_000, T0 + 30_000]);
    expect(readingsOf(log, 'utilization_ratio')).toEqual([0, 0.01, 0.01, 0.02, 0.02, 0.03]);
    expect(readingsOf(log, 'temperature_celsius')).toEqual([0, 1, 1, 2, 2, 3]);
    expect(log.skipped).toEqual({});
  });

  test('on one line of any length, cut into any chunks', () => {
    const text = JSON.stringify(matrix('DCGM_FI_DEV_POWER_USAGE', 4000));
    expect(text.length).toBeGreaterThan(128 * 1024);
    const whole = decode(text);
    expect(whole.ticks).toHaveLength(4000);
    expect(whole.skipped).toEqual({});
    expect(decode(text, { cuts: [1, 70, 65_536, 65_537, 100_000, 150_001] }).ticks).toEqual(whole.ticks);
  });

  test('a vector, a hole in a series, an error, values that are none', () => {
    const vector = (time: number, value: string) => ({
      status: 'success',
      data: {
        resultType: 'vector',
        result: [{ metric: { __name__: 'DCGM_FI_DEV_GPU_UTIL', gpu: '0', UUID: 'GPU-0' }, value: [time, value] }],
      },
    });
    const lines = [
      vector(T0 / 1000, '5'),
      { status: 'error', error: 'x' },
      vector(T0 / 1000 + 60, '7'),
      vector(T0 / 1000 + 75, 'NaN'),
    ];
    const log = decode(lines.map((line) => JSON.stringify(line)).join('\n'));
    expect(log.ticks.map(({ at }) => at)).toEqual([T0, T0 + 60_000, T0 + 75_000]);
    expect(readingsOf(log, 'utilization_ratio')).toEqual([0.05, 0.07, 'not-collected']);
  });

  test('a series without a name or a GPU is counted', () => {
    const answer = matrix('DCGM_FI_DEV_GPU_UTIL', 1);
    const series = answer.data.result[0]!;
    const log = decode(
      JSON.stringify({ ...answer, data: { ...answer.data, result: [series, { ...series, metric: { gpu: '1' } }] } }),
    );
    expect([log.rows, log.skipped]).toEqual([1, { 'unknown-series': 1 }]);
  });
});
