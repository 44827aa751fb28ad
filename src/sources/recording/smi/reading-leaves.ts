import type { MetricId } from '../../../model/catalogue.ts';
import { ECC_LEAVES } from './ecc-leaves.ts';
import { inGroup, type Leaf } from './leaf.ts';

const MODES: readonly Leaf[] = [
  ['fan.speed', 'fan speed', 'fan_speed'],
  ['pstate', 'performance state', 'performance_state'],
  ['compute_mode', 'compute mode', 'compute_mode'],
  ['persistence_mode', 'persistence mode', 'persistence_mode'],
  ['display_active', 'display active', 'display_active'],
  ['addressing_mode', 'addressing mode', 'addressing_mode'],
  ['mig.mode.pending', 'mig mode/pending', 'mig_mode/pending_mig'],
  ['driver_model.current', 'driver model/current', 'driver_model/current_dm'],
  ['gpu_recovery_action', 'gpu recovery action', 'gpu_recovery_action'],
  ['ecc.mode.current', 'ecc mode/current', 'ecc_mode/current_ecc'],
  ['ecc.mode.pending', 'ecc mode/pending', 'ecc_mode/pending_ecc'],
];

const LINK = inGroup('pci/gpu link info', 'pci/pci_gpu_link_info', [
  ['pcie.link.gen.current', 'pcie generation/current', 'pcie_gen/current_link_gen'],
  ['pcie.link.gen.gpucurrent', 'pcie generation/device current', 'pcie_gen/device_current_link_gen'],
  ['pcie.link.gen.max', 'pcie generation/max', 'pcie_gen/max_link_gen'],
  ['pcie.link.gen.gpumax', 'pcie generation/device max', 'pcie_gen/max_device_link_gen'],
  ['pcie.link.width.current', 'link width/current', 'link_widths/current_link_width'],
  ['pcie.link.width.max', 'link width/max', 'link_widths/max_link_width'],
]);

const UTILISATION = inGroup(
  'utilization',
  'utilization',
  ['gpu', 'memory', 'encoder', 'decoder', 'jpeg', 'ofa'].map((engine) => [
    `utilization.${engine}`,
    engine,
    `${engine}_util`,
  ]),
);

const POWER = inGroup('gpu power readings | power readings', 'gpu_power_readings | power_readings', [
  ['power.draw', 'power draw', 'power_draw'],
  ['power.draw.average', 'average power draw', 'average_power_draw'],
  ['power.draw.instant', 'instantaneous power draw', 'instant_power_draw | instantaneous_power_draw'],
  ['enforced.power.limit', 'current power limit | enforced power limit', 'current_power_limit | enforced_power_limit'],
  ['power.limit', 'requested power limit | power limit', 'requested_power_limit | power_limit'],
  ['power.default_limit', 'default power limit', 'default_power_limit'],
  ['power.min_limit', 'min power limit', 'min_power_limit'],
  ['power.max_limit', 'max power limit', 'max_power_limit'],
  // From 610 on the limits are a group of their own.
  ...inGroup('gpu ceiling power limit', 'gpu_ceiling_power_limit', [
    ['enforced.power.limit', 'current | current power limit', 'current | current_power_limit'],
    ['power.limit', 'requested | requested power limit', 'requested | requested_power_limit'],
    ['power.default_limit', 'default | default power limit', 'default | default_power_limit'],
    ['power.min_limit', 'min | min power limit', 'min | min_power_limit'],
    ['power.max_limit', 'max | max power limit', 'max | max_power_limit'],
  ]),
]);

const CLOCKS: readonly Leaf[] = [
  ['clocks.current', 'clocks', 'clocks'],
  ['clocks.max', 'max clocks', 'max_clocks'],
  ['clocks.applications', 'applications clocks', 'applications_clocks'],
  ['clocks.default_applications', 'default applications clocks', 'default_applications_clocks'],
].flatMap(([stem, text = '', xml = '']) =>
  inGroup(text, xml, [
    [`${stem}.graphics`, 'graphics', 'graphics_clock'],
    [`${stem}.sm`, 'sm', 'sm_clock'],
    [`${stem}.memory`, 'memory', 'mem_clock'],
    [`${stem}.video`, 'video', 'video_clock'],
  ]),
);

const REASON_TIMES = inGroup(
  'clocks event reasons counters',
  'clocks_event_reasons_counters',
  [
    ['sw_power_cap', 'sw power capping', 'sw_power_cap'],
    ['sync_boost', 'sync boost', 'sync_boost'],
    ['sw_thermal_slowdown', 'sw thermal slowdown', 'sw_therm_slowdown'],
    ['hw_thermal_slowdown', 'hw thermal slowdown', 'hw_therm_slowdown'],
    ['hw_power_brake_slowdown', 'hw power braking', 'hw_power_brake'],
  ].map(([field, text = '', xml = '']) => {
    const stem = 'clocks_event_reasons_counters';
    return [`${stem}.${field}`, text, `${stem}_${xml} | ${stem}_${field} | ${xml} | ${field}`];
  }),
);

const FABRIC = inGroup('fabric', 'fabric', [
  ['fabric.state', 'state', 'state'],
  ['fabric.status', 'status', 'status'],
  ...inGroup('health', 'health', [
    ['fabric.health.summary', 'summary', 'summary'],
    ['fabric.health.route_recovery_in_progress', 'route recovery in progress', 'route_recovery_in_progress'],
    ['fabric.health.route_unhealthy', 'route unhealthy', 'route_unhealthy'],
    ['fabric.health.access_timeout_recovery', 'access timeout recovery', 'access_timeout_recovery'],
    ['fabric.health.incorrect_configuration', 'incorrect configuration', 'incorrect_configuration'],
  ]),
]);

const REPAIR: readonly Leaf[] = [
  ...inGroup('retired pages', 'retired_pages', [
    ['retired_pages.single_bit_ecc.count', 'single bit ecc', 'multiple_single_bit_retirement/retired_count'],
    ['retired_pages.double_bit.count', 'double bit ecc', 'double_bit_retirement/retired_count'],
    ['retired_pages.pending', 'pending page blacklist | pending', 'pending_retirement | pending_blacklist'],
  ]),
  ...inGroup('remapped rows', 'remapped_rows', [
    ['remapped_rows.correctable', 'correctable error', 'remapped_row_corr'],
    ['remapped_rows.uncorrectable', 'uncorrectable error', 'remapped_row_unc'],
    ['remapped_rows.pending', 'pending', 'remapped_row_pending'],
    ['remapped_rows.failure', 'remapping failure occurred', 'remapped_row_failure'],
    ...['max', 'high', 'partial', 'low', 'none'].map(
      (level): Leaf => [
        `remapped_rows.histogram.${level}`,
        `bank remap availability histogram/${level}`,
        `row_remapper_histogram/row_remapper_histogram_${level}`,
      ],
    ),
  ]),
];

/** Readings by the field of `--query-gpu`. */
export const FIELD_LEAVES: readonly Leaf[] = [
  ...MODES,
  ...LINK,
  ...inGroup(
    'fb memory usage | memory usage',
    'fb_memory_usage | memory_usage',
    ['total', 'reserved', 'used', 'free'].map((part) => [`memory.${part}`, part, part]),
  ),
  ...UTILISATION,
  ['temperature.gpu', 'temperature/gpu current temp | temperature/gpu', 'temperature/gpu_temp'],
  ['temperature.gpu.tlimit', 'temperature/gpu t.limit temp', 'temperature/gpu_temp_tlimit'],
  ['temperature.memory', 'temperature/memory current temp', 'temperature/memory_temp'],
  ...POWER,
  ...CLOCKS,
  ...REASON_TIMES,
  ...FABRIC,
  ...ECC_LEAVES,
  ...REPAIR,
];

/** Readings that are no field of `--query-gpu`, by the id of the metric. */
export const METRIC_LEAVES: readonly (readonly [id: MetricId, text: string, xml: string])[] = [
  ['mig_mode', 'mig mode/current', 'mig_mode/current_mig'],
  ['pcie_replay_total', 'pci/replays since reset', 'pci/replay_counter'],
  ['pcie_tx_bytes_per_second', 'pci/tx throughput', 'pci/tx_util'],
  ['pcie_rx_bytes_per_second', 'pci/rx throughput', 'pci/rx_util'],
  ['bar1_total_bytes', 'bar1 memory usage/total', 'bar1_memory_usage/total'],
  ['bar1_used_bytes', 'bar1 memory usage/used', 'bar1_memory_usage/used'],
  ['bar1_free_bytes', 'bar1 memory usage/free', 'bar1_memory_usage/free'],
  ['temperature_shutdown_celsius', 'temperature/gpu shutdown temp', 'temperature/gpu_temp_max_threshold'],
  ['temperature_slowdown_celsius', 'temperature/gpu slowdown temp', 'temperature/gpu_temp_slow_threshold'],
  ['temperature_max_operating_celsius', 'temperature/gpu max operating temp', 'temperature/gpu_temp_max_gpu_threshold'],
  ['memory_temperature_max_celsius', 'temperature/memory max operating temp', 'temperature/gpu_temp_max_mem_threshold'],
  [
    'temperature_shutdown_margin_celsius',
    'temperature/gpu shutdown t.limit temp',
    'temperature/gpu_temp_max_tlimit_threshold',
  ],
  [
    'temperature_slowdown_margin_celsius',
    'temperature/gpu slowdown t.limit temp',
    'temperature/gpu_temp_slow_tlimit_threshold',
  ],
  [
    'temperature_max_operating_margin_celsius',
    'temperature/gpu max operating t.limit temp',
    'temperature/gpu_temp_max_gpu_tlimit_threshold',
  ],
  [
    'temperature_memory_max_margin_celsius',
    'temperature/memory max operating t.limit temp',
    'temperature/gpu_temp_max_mem_tlimit_threshold',
  ],
  [
    'power_average_watts',
    'gpu power readings/average power draw | power readings/average power draw',
    'gpu_power_readings/average_power_draw | power_readings/average_power_draw',
  ],
  ['video_clock_max_hertz', 'max clocks/video', 'max_clocks/video_clock'],
  ['core_voltage_volts', 'voltage/graphics', 'voltage/graphics_volt'],
];

/** Reasons that hold the clocks down, by the id of the reason. */
export const REASON_LEAVES: readonly Leaf[] = inGroup(
  'clocks event reasons | clocks throttle reasons',
  'clocks_event_reasons/clocks_event_reason | clocks_throttle_reasons/clocks_throttle_reason',
  [
    ['gpu-idle', 'idle', 'gpu_idle'],
    ['applications-clocks', 'applications clocks setting', 'applications_clocks_setting'],
    ['power-cap', 'sw power cap', 'sw_power_cap'],
    ['hw-slowdown', 'hw slowdown', 'hw_slowdown'],
    ['hw-thermal', 'hw slowdown/hw thermal slowdown | hw thermal slowdown', 'hw_thermal_slowdown'],
    ['power-brake', 'hw slowdown/hw power brake slowdown | hw power brake slowdown', 'hw_power_brake_slowdown'],
    ['sync-boost', 'sync boost', 'sync_boost'],
    ['sw-thermal', 'sw thermal slowdown', 'sw_thermal_slowdown'],
    ['display-clocks', 'display clock setting | display clocks setting', 'display_clocks_setting'],
  ],
).map(([what, text, xml]) => [what, text, xml.replaceAll('_reason/', '_reason_')]);
