import { expect, test } from 'vitest';
import { gpu, linesOf, migOf, NAMING, NOW, pageOf, processOf, textOf, viewOf, wholeView } from '../test-page.ts';
import { TickMemory } from '../tick-memory.ts';

const SMI = { ...NAMING, profiles: ['nvidia_smi'] } as const;
const smiLines = (page: ReturnType<typeof pageOf>) =>
  linesOf(page, SMI).filter((line) => line.startsWith('nvidia_smi_'));

/** Series of nvidia_gpu_exporter 1.9 on an H100 that follow from readings. */
const NAMES = `clocks_current_graphics_clock_hz clocks_current_memory_clock_hz clocks_current_sm_clock_hz
clocks_current_video_clock_hz clocks_event_reasons_active clocks_event_reasons_applications_clocks_setting
clocks_event_reasons_counters_hw_power_brake_slowdown_seconds clocks_event_reasons_counters_hw_thermal_slowdown_seconds
clocks_event_reasons_counters_sw_power_cap_seconds clocks_event_reasons_counters_sw_thermal_slowdown_seconds
clocks_event_reasons_counters_sync_boost_seconds clocks_event_reasons_gpu_idle clocks_event_reasons_hw_power_brake_slowdown
clocks_event_reasons_hw_slowdown clocks_event_reasons_hw_thermal_slowdown clocks_event_reasons_sw_power_cap
clocks_event_reasons_sw_thermal_slowdown clocks_event_reasons_sync_boost clocks_max_graphics_clock_hz
clocks_max_memory_clock_hz clocks_max_sm_clock_hz compute_mode display_active ecc_errors_corrected_aggregate_device_memory
ecc_errors_corrected_aggregate_dram ecc_errors_corrected_aggregate_sram ecc_errors_corrected_aggregate_total
ecc_errors_uncorrected_aggregate_sram_l2 ecc_errors_uncorrected_aggregate_sram_threshold_exceeded
ecc_errors_uncorrected_volatile_sram_parity ecc_errors_uncorrected_volatile_total ecc_mode_current ecc_mode_pending
enforced_power_limit_watts fabric_state gpu_recovery_action memory_free_bytes memory_reserved_bytes memory_total_bytes
memory_used_bytes mig_mode_current mig_mode_pending pcie_link_gen_current pcie_link_gen_gpucurrent pcie_link_gen_gpumax
pcie_link_gen_max pcie_link_width_current pcie_link_width_max persistence_mode power_default_limit_watts
power_draw_average_watts power_draw_instant_watts power_draw_watts power_limit_watts power_max_limit_watts
power_min_limit_watts pstate remapped_rows_correctable remapped_rows_failure remapped_rows_histogram_high
remapped_rows_pending remapped_rows_uncorrectable temperature_gpu temperature_gpu_tlimit temperature_memory
utilization_decoder_ratio utilization_encoder_ratio utilization_gpu_ratio utilization_jpeg_ratio utilization_memory_ratio
utilization_ofa_ratio fan_speed_ratio energy_joules_total pcie_throughput_tx_bytes_per_second`;

test('names are those of nvidia_gpu_exporter', () => {
  const names = new Set(smiLines(pageOf([wholeView(gpu(0))])).map((line) => line.split('{')[0]));
  for (const name of NAMES.split(/\s+/)) expect(names).toContain(`nvidia_smi_${name}`);
});

test('the UUID is the only label, in lower case and without what is before it', () => {
  const lines = smiLines(
    pageOf([viewOf(gpu(0, { uuid: 'GPU-ABCD' }), { utilization_ratio: 0.29, power_watts: 12.5 })]),
  );
  expect(lines).toContain('nvidia_smi_utilization_gpu_ratio{uuid="abcd"} 0.29');
  expect(lines).toContain('nvidia_smi_power_draw_watts{uuid="abcd"} 12.5');
  expect(lines.find((line) => line.startsWith('nvidia_smi_gpu_info'))).toBe(
    'nvidia_smi_gpu_info{uuid="abcd",name="NVIDIA H100 80GB HBM3",driver_model_current="[N/A]",driver_model_pending="[N/A]",' +
      'vbios_version="[N/A]",driver_version="570.86.15",pci_bus_id="00000000:0A:00.0",serial="[N/A]",compute_cap="[N/A]",' +
      'pci_sub_device_id="[N/A]",index="0",cuda_version="[N/A]"} 1',
  );
});

test('processes that compute have series, those that only draw have none', () => {
  const processes = [
    processOf(7),
    processOf(8, { kind: 'graphics' }),
    processOf(9, { memoryBytes: { absent: 'not-supported' } }),
  ];
  const lines = smiLines(pageOf([viewOf(gpu(0), {}, { processes })])).filter((line) => line.includes('compute_app'));
  expect(lines).toEqual([
    'nvidia_smi_compute_apps{uuid="0a"} 2',
    'nvidia_smi_compute_app_info{uuid="0a",pid="7",process_name="python"} 1',
    'nvidia_smi_compute_app_info{uuid="0a",pid="9",process_name="python"} 1',
    'nvidia_smi_compute_app_used_memory_bytes{uuid="0a",pid="7",process_name="python"} 1073741824',
  ]);
});

test('instances have their own series, memory once per GPU instance', () => {
  const card = gpu(0);
  const views = [card, migOf(card, 1, 0), migOf(card, 1, 1)].map((device) => viewOf(device, { memory_used_bytes: 5 }));
  const lines = smiLines(pageOf(views)).filter((line) => /_mig_|memory_used/.test(line));
  expect(lines).toEqual([
    'nvidia_smi_memory_used_bytes{uuid="0a"} 5',
    'nvidia_smi_mig_info{uuid="0a",mig_uuid="MIG-0-1-0",gpu_instance_id="1",compute_instance_id="0",profile="3g.40gb"} 1',
    'nvidia_smi_mig_info{uuid="0a",mig_uuid="MIG-0-1-1",gpu_instance_id="1",compute_instance_id="1",profile="3g.40gb"} 1',
    'nvidia_smi_mig_memory_used_bytes{uuid="0a",gpu_instance_id="1"} 5',
  ]);
});

test('Xids and the state of collection', () => {
  const memory = new TickMemory();
  const event = { at: NOW, kind: 'xid', severity: 'critical', uuid: 'GPU-0a', params: { xid: 48 } } as const;
  memory.accept({ at: NOW, monotonic: 0, devices: [], events: [event, event] });
  const page = pageOf([viewOf(gpu(0), {})], { memory });
  expect(smiLines(page)).toContain('nvidia_smi_xid_errors_total{uuid="0a",xid="48"} 2');
  expect(smiLines(page)).toContain(`nvidia_smi_xid_last_timestamp_seconds{uuid="0a",xid="48"} ${NOW / 1000}`);
  expect(smiLines(page)).toContain('nvidia_smi_last_collect_success 1');
  expect(smiLines(pageOf([], { source: { state: 'stalled' } }))).toContain('nvidia_smi_last_collect_success 0');
  expect(textOf(page, SMI)).toContain('# TYPE nvidia_smi_xid_errors_total counter\n');
});
