import { describe, expect, test } from 'vitest';
import { decode, readingsOf, shapeOf } from '../decode-text.ts';
import { MAX_LINE_BYTES } from '../lines.ts';

const MIB = 2 ** 20;

/** A document of `nvidia-smi -q -x` with what stands in its cards. */
function document(second: number, ...cards: readonly string[]): string {
  const gpus = cards.map(
    (inside, place) => `	<gpu id="00000000:0${place + 1}:00.0">
		<product_name>Tesla T4</product_name>
		<uuid>GPU-aaaa000${place}-0000-4000-8000-000000000001</uuid>
${inside}
	</gpu>
`,
  );
  return `<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">
<nvidia_smi_log>
	<timestamp>Mon Mar 11 17:03:${second} 2019</timestamp>
	<driver_version>418.43</driver_version>
	<cuda_version>10.1</cuda_version>
	<attached_gpus>${cards.length}</attached_gpus>
${gpus.join('\n')}
</nvidia_smi_log>
`;
}

const power = (watts: number) => `		<power_readings>
			<power_state>P8</power_state>
			<power_draw>${watts}.00 W</power_draw>
		</power_readings>`;

const process = (pid: number, name: string, memory = '5 MiB') => `			<process_info>
				<pid>${pid}</pid>
				<type>C</type>
				<process_name>${name}</process_name>
				<used_memory>${memory}</used_memory>
			</process_info>
`;

function processes(log: string, tick = 0) {
  const found = decode(log).ticks[tick]?.devices[0]?.processes;
  return found === undefined || 'absent' in found ? found : found.map(({ pid, name }) => [pid, name]);
}

describe('documents of other drivers', () => {
  const check = (inside: string, id: Parameters<typeof readingsOf>[1], want: number | string) =>
    expect(readingsOf(decode(document(10, inside)), id), id).toEqual([want]);

  test('power under each of its names', () => {
    check('<power_readings><power_draw>14.50 W</power_draw></power_readings>', 'power_watts', 14.5);
    check('<gpu_power_readings><power_draw>26.84 W</power_draw></gpu_power_readings>', 'power_watts', 26.84);
    check(
      '<gpu_power_readings><average_power_draw>70.00 W</average_power_draw></gpu_power_readings>',
      'power_watts',
      70,
    );
    check(
      '<gpu_power_readings><average_power_draw>N/A</average_power_draw><instant_power_draw>71.50 W</instant_power_draw></gpu_power_readings>',
      'power_watts',
      71.5,
    );
    check(
      '<module_power_readings><power_draw>900.00 W</power_draw></module_power_readings>',
      'power_watts',
      'not-collected',
    );
    check(
      '<power_readings><enforced_power_limit>250.00 W</enforced_power_limit></power_readings>',
      'power_limit_watts',
      250,
    );
    check(
      '<gpu_power_readings><current_power_limit>300.00 W</current_power_limit></gpu_power_readings>',
      'power_limit_watts',
      300,
    );
  });

  test('reasons, errors, repair, clocks, link', () => {
    check(
      '<clocks_throttle_reasons><clocks_throttle_reason_gpu_idle>Not Active</clocks_throttle_reason_gpu_idle><clocks_throttle_reason_hw_slowdown>Active</clocks_throttle_reason_hw_slowdown></clocks_throttle_reasons>',
      'clock_event_reasons',
      8,
    );
    check('<clocks_event_reasons>N/A</clocks_event_reasons>', 'clock_event_reasons', 'not-supported');
    check(
      '<ecc_errors><volatile><double_bit><total>3</total></double_bit></volatile></ecc_errors>',
      'ecc_uncorrected_volatile_total',
      3,
    );
    check(
      '<ecc_errors><aggregate><sram_uncorrectable>1</sram_uncorrectable><dram_uncorrectable>2</dram_uncorrectable></aggregate></ecc_errors>',
      'ecc_uncorrected_aggregate_total',
      3,
    );
    check(
      '<remapped_rows><remapped_row_pending>Yes</remapped_row_pending></remapped_rows>',
      'remapped_rows_pending',
      1,
    );
    check('<remapped_rows>N/A</remapped_rows>', 'remapped_rows_pending', 'not-supported');
    check(
      '<remapped_rows><row_remapper_histogram><row_remapper_histogram_max>640 bank(s)</row_remapper_histogram_max></row_remapper_histogram></remapped_rows>',
      'remap_banks_max',
      640,
    );
    check('<retired_pages><pending_retirement>No</pending_retirement></retired_pages>', 'retired_pages_pending', 0);
    check('<pci><tx_util>13000 KB/s</tx_util></pci>', 'pcie_tx_bytes_per_second', 13_000_000);
    check(
      '<temperature><gpu_temp_slow_threshold>97 C</gpu_temp_slow_threshold></temperature>',
      'temperature_slowdown_celsius',
      97,
    );
    check(
      '<supported_clocks><supported_mem_clock><value>405 MHz</value></supported_mem_clock></supported_clocks>',
      'memory_clock_hertz',
      'not-collected',
    );
    check('<compute_mode>Exclusive_Process</compute_mode>', 'compute_mode', 3);
    check('<utilization><gpu_util>Unknown Error</gpu_util></utilization>', 'utilization_ratio', 'error');
    check('<fan_speed>GPU is lost</fan_speed>', 'power_watts', 'gpu-lost');
  });

  test('names of processes are unescaped, those that nvidia-smi did not escape are read as well', () => {
    const names = ['C:\\Program Files\\A &amp; B\\x.exe', 'python -c &quot;a&lt;b&quot;', 'a < b', 'tab&#9;s', ''];
    const log = document(10, `<processes>\n${names.map((name, pid) => process(pid + 1, name)).join('')}</processes>`);
    expect(processes(log)).toEqual([
      [1, 'x.exe'],
      [2, 'python -c "a<b"'],
      [3, 'a < b'],
      [4, 'tab s'],
      [5, null],
    ]);
    expect(processes(document(10, '<processes></processes>'))).toEqual([]);
    expect(processes(document(10, '<processes>N/A</processes>'))).toEqual({ absent: 'not-supported' });
    expect(processes(document(10, ''))).toEqual({ absent: 'not-collected' });
    expect(processes(document(10, `<compute_processes>${process(7, './a.out')}</compute_processes>`))).toEqual([
      [7, 'a.out'],
    ]);
  });
});

describe('documents that follow each other', () => {
  const documents = [10, 20, 30].map((second) => document(second, power(second), power(second + 1)));

  test.each([
    ['as they are', (log: string) => log],
    ['line ends of Windows', (log: string) => log.replaceAll('\n', '\r\n')],
    ['everything in one line', (log: string) => log.replaceAll(/\s*\n\s*/g, '')],
    ['tags over several lines', (log: string) => log.replaceAll('<gpu id', '<gpu\n   id').replaceAll('\n\t', '\n')],
    ['no declarations', (log: string) => log.replaceAll(/<[?!].*>\n/g, '')],
    ['never closed', (log: string) => log.replaceAll(/<\/(gpu|nvidia_smi_log)>/g, '')],
    ['comments', (log: string) => log.replaceAll('<uuid>', '<!-- <power_draw>1 W</power_draw> --><uuid>')],
    ['upper case', (log: string) => log.replaceAll(/<\/?(?:power|pro)[a-z_]*>/g, (tag) => tag.toUpperCase())],
    [
      'other output between',
      (log: string) => log.replaceAll('</nvidia_smi_log>', '</nvidia_smi_log>\nepoch 3: loss 0.5'),
    ],
  ])('%s', (_name, change) => {
    const decoded = decode(change(documents.join('')));
    expect(readingsOf(decoded, 'power_watts')).toEqual([10, 11, 20, 21, 30, 31]);
    expect(decoded.ticks.map(({ at }) => new Date(at).getUTCSeconds())).toEqual([10, 20, 30]);
    expect(decoded.devices.map(({ pciBusId }) => pciBusId)).toEqual(['00000000:01:00.0', '00000000:02:00.0']);
    expect(decoded.skipped['too-long']).toBeUndefined();
  });

  test('one line of any length', () => {
    const clocks = `<supported_clocks>${'<value>405 MHz</value>'.repeat(MAX_LINE_BYTES / 16)}</supported_clocks>`;
    const line = documents
      .map((text) => text.replaceAll('</uuid>', `</uuid>${clocks}`).replaceAll(/\s*\n\s*/g, ''))
      .join('');
    expect(line.length).toBeGreaterThan(4 * MAX_LINE_BYTES);
    const cuts = Array.from({ length: 20 }, (_, place) => Math.floor((line.length / 21) * (place + 1)));
    for (const options of [{}, { cuts }]) {
      const decoded = decode(line, options);
      expect(readingsOf(decoded, 'power_watts')).toEqual([10, 11, 20, 21, 30, 31]);
    }
  });

  test('a document that was cut is followed by a whole one', () => {
    const [first = '', second = ''] = documents;
    const end = first.indexOf('<power_draw>11') + '<power_draw>11.0'.length;
    const decoded = decode(first.slice(0, end) + second);
    expect(readingsOf(decoded, 'power_watts')).toEqual([10, 'not-collected', 20, 21]);
    expect(shapeOf(decoded)).toEqual(
      Array(2).fill('GPU-aaaa0000-0000-4000-8000-000000000001 GPU-aaaa0001-0000-4000-8000-000000000001'),
    );
  });

  test('a list of processes that was cut is not known', () => {
    const inside = `<processes>\n${process(1, 'a')}${process(2, 'b')}</processes>`;
    const log = document(10, inside) + document(20, inside);
    const end = log.lastIndexOf('<pid>2');
    expect(processes(log.slice(0, end), 0)).toHaveLength(2);
    expect(processes(log.slice(0, end), 1)).toEqual({ absent: 'not-collected' });
  });

  test('messages in place of a document', () => {
    const lost = 'Unable to determine the device handle for GPU0000:02:00.0: Unknown Error\n';
    const decoded = decode(`${documents[0] + lost + document(40, power(40))}No devices were found\n`);
    expect(shapeOf(decoded).at(-1)).toBe(
      'GPU-aaaa0000-0000-4000-8000-000000000001 GPU-aaaa0001-0000-4000-8000-000000000001!lost',
    );
    expect(decoded.skipped).toEqual({ 'device-handle': 1, 'no-devices': 1 });
  });
});

test('instances of MIG stand before the UUID of their card', () => {
  const log = document(
    10,
    `		<mig_mode><current_mig>Enabled</current_mig><pending_mig>Enabled</pending_mig></mig_mode>
		<mig_devices>
			<mig_device>
				<index>0</index>
				<gpu_instance_id>3</gpu_instance_id>
				<compute_instance_id>0</compute_instance_id>
				<fb_memory_usage><total>19968 MiB</total><used>12 MiB</used><free>19955 MiB</free></fb_memory_usage>
			</mig_device>
			<mig_device>
				<gpu_instance_id>4</gpu_instance_id>
				<fb_memory_usage><used>99 MiB</used></fb_memory_usage>
			</mig_device>
		</mig_devices>
		<fb_memory_usage><used>50 MiB</used></fb_memory_usage>
		<utilization><gpu_util>N/A</gpu_util></utilization>`,
  );
  const decoded = decode(log);
  expect(readingsOf(decoded, 'memory_used_bytes')).toEqual([50 * MIB, 12 * MIB]);
  expect(readingsOf(decoded, 'utilization_ratio')).toEqual(['mig', 'not-collected']);
  expect(decoded.devices[1]).toMatchObject({
    uuidIsDerived: true,
    name: 'Tesla T4 MIG',
    mig: { parent: decoded.devices[0]?.uuid, gpuInstance: 3, computeInstance: 0, profile: null },
  });
});
