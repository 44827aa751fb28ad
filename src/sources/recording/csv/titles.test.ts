import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { CATALOGUE } from '../../../model/catalogue.ts';
import { CLOCK_EVENT_REASONS } from '../../../model/clock-events.ts';
import { decode, readingsOf } from '../decode-text.ts';
import { meaningOf } from './titles.ts';

/** What a title means, in short: a metric with the factor of its unit, or the kind of column. */
function short(title: string): string {
  const meaning = meaningOf(title);
  if (meaning.kind === 'metric') return `${meaning.metric.id} ${meaning.scale}`;
  return meaning.kind === 'elapsed' ? `elapsed ${meaning.unitMs}` : meaning.kind;
}

const MIB = 2 ** 20;

test('every field of the catalogue and every alias is known, with its unit and with _ for the dots', () => {
  for (const { id, smi } of CATALOGUE) {
    if (smi === undefined) continue;
    for (const name of [smi.field, ...(smi.aliases ?? [])]) {
      const titles =
        smi.unit === '%' || smi.unit === 'MiB' || smi.unit === 'W' || smi.unit === 'MHz'
          ? [name, `${name} [${smi.unit}]`]
          : [name];
      for (const title of [...titles, name.replaceAll('.', '_'), name.toUpperCase()]) {
        // Scripts that head a column of their own so mean the limit in force.
        const want = title === 'power_limit' ? 'power_limit_watts' : id;
        expect(short(title).split(' ')[0], title).toBe(want);
      }
    }
  }
});

test('the words of a state are read, a part of one at the end of a file is not', () => {
  const states = (log: string) => readingsOf(decode(log), 'recovery_action');
  const head = 'index, gpu_recovery_action\n0, None\n0, Drain and Reset\n';
  expect(states(`${head}0, Drain P2P\n0, [N/A]\n`)).toEqual([0, 4, 3, 'not-supported']);
  expect(states(`${head}0, Drain P2P`)).toEqual([0, 4, 3]);
  expect(states(`${head}0, Re`)).toEqual([0, 4]);
});

test('power at the moment and the limit asked for stand in for those that a log does not have', () => {
  const log = decode('index, power.draw.instant [W], power.limit [W]\n0, 97.50 W, 250.00 W\n');
  const ids = ['power_watts', 'power_instant_watts', 'power_limit_watts', 'power_limit_requested_watts'] as const;
  expect(ids.map((id) => readingsOf(log, id)[0])).toEqual([97.5, 97.5, 250, 250]);
  const whole = decode('index, power.draw [W], power.draw.instant [W]\n0, [N/A], 97.50 W\n');
  expect(readingsOf(whole, 'power_watts')).toEqual(['not-supported']);
});

test('every single reason is known under its new and its old name', () => {
  for (const { bit, smi } of CLOCK_EVENT_REASONS) {
    if (smi === null) continue;
    expect(meaningOf(`clocks_event_reasons.${smi}`)).toEqual({ kind: 'reason', bit });
    expect(meaningOf(`clocks_throttle_reasons.${smi}`)).toEqual({ kind: 'reason', bit });
  }
});

test('own names of scripts are known where they cannot mean anything else', () => {
  const check = (title: string, want: string) => expect(short(title), title).toBe(want);
  check('gpu_util', 'utilization_ratio 0.01');
  check('gpu_util_pct', 'utilization_ratio 0.01');
  check('gpu_utilization', 'utilization_ratio 0.01');
  check('Utilization', 'utilization_ratio 0.01');
  check('gpuUtil', 'utilization_ratio 0.01');
  check('GPU Util (%)', 'utilization_ratio 0.01');
  check('memory_used', `memory_used_bytes ${MIB}`);
  check('memory_used_mb', `memory_used_bytes ${MIB}`);
  check('mem_used_gb', `memory_used_bytes ${2 ** 30}`);
  check('used_memory_bytes', 'memory_used_bytes 1');
  check('VRAM Used [MiB]', `memory_used_bytes ${MIB}`);
  check('mem_usage_mb', `memory_used_bytes ${MIB}`);
  check('memory_total', `memory_total_bytes ${MIB}`);
  check('temp_c', 'temperature_celsius 1');
  check('temperature', 'temperature_celsius 1');
  check('Temp (C)', 'temperature_celsius 1');
  check('power_w', 'power_watts 1');
  check('power_watts', 'power_watts 1');
  check('power_mw', 'power_watts 0.001');
  check('power_draw', 'power_watts 1');
  check('power.draw.instant [W]', 'power_instant_watts 1');
  check('power.limit [W]', 'power_limit_requested_watts 1');
  check('sm_clock_mhz', 'sm_clock_hertz 1000000');
  check('fan_pct', 'fan_speed_ratio 0.01');
  check('Time', 'time');
  check('timestamp', 'time');
  check('timestamp_ms', 'time');
  check('epoch', 'epoch');
  check('elapsed_sec', 'elapsed 1000');
  check('elapsed_ms', 'elapsed 1');
  check('GPU_ID', 'index');
  check('gpu', 'index');
  check('index', 'index');
  check('gpu_uuid', 'uuid');
  check('pci.bus_id', 'bus-id');
  check('gpu_name', 'name');
  check('driver_version', 'driver');
});

test('what may mean several things has no meaning', () => {
  const titles = [
    'memory_percent',
    'mem_percent',
    'mem_util',
    'memory_utilization',
    'memory_usage',
    'mem_usage_pct',
    'memory',
    'mem',
    'memory_used_percent',
    'gpu_usage',
    'gpu_percent',
    'fan',
    'fan_rpm',
    'clock',
    'gpu_clock',
    'load',
    'temp_f',
    'power_kwh',
    'utilization.gpu [MiB]',
    'memory.used [%]',
    'step',
    'loss',
    '',
  ];
  for (const title of titles) expect(short(title), title).toBe('unknown');
});

test('the other fields of nvidia-smi are known to be of no use', () => {
  for (const title of [
    'pcie.link.gen.hostmax',
    'vbios_version',
    'count',
    'fabric.cliqueId',
    'gpu.base.current',
    'edpp_multiplier [%]',
  ]) {
    expect(short(title), title).toBe('unused');
  }
});

test('the names in docs/reading-logs.md are known, each for the metric it stands beside', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../../../docs/reading-logs.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `(\w+)` \| (`.*`) \|$/gm)];
  expect(rows.length).toBeGreaterThan(8);
  for (const [, id, names = ''] of rows) {
    for (const name of names.replaceAll('`', '').split(', ')) expect(short(name).split(' ')[0], name).toBe(id);
  }
});
