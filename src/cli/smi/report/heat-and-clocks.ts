import type { MetricId } from '../../../model/catalogue.ts';
import { group, leaf, type Node } from './node.ts';
import { NA, type Values } from './values.ts';

/** Temperatures, power, clocks and the fabric. */
export function heatAndClockNodes(values: Values): Node[] {
  return [
    group('Temperature', 'temperature', temperatureNodes(values), 'TEMPERATURE'),
    { ...leaf('Supported GPU Target Temp', null, NA), display: 'SUPPORTED_GPU_TARGET_TEMP', isOnRequest: true },
    group('GPU Power Readings', 'gpu_power_readings', powerNodes(values), 'POWER'),
    { ...leaf('Power Smoothing', null, NA), display: 'POWER_SMOOTHING' },
    group(
      'Workload Power Profiles',
      null,
      [leaf('Requested Profiles', null, NA), leaf('Enforced Profiles', null, NA)],
      'POWER_PROFILES',
    ),
    ...clockNodes(values),
    group('Fabric', 'fabric', fabricNodes(values)),
  ];
}

function celsius(value: number): string {
  return `${Math.round(value)} C`;
}

/** Newer cards give their limits as margins. */
function limit(
  { has, figure }: Values,
  [text, xml, id]: readonly [string, string, MetricId],
  [marginText, marginXml, margin]: readonly [string, string, MetricId],
): Node {
  if (has(margin)) return leaf(marginText, marginXml, figure(margin, celsius));
  return leaf(text, xml, figure(id, celsius));
}

function temperatureNodes(values: Values): Node[] {
  const { figure } = values;
  return [
    leaf('GPU Current Temp', 'gpu_temp', figure('temperature_celsius', celsius)),
    leaf('GPU T.Limit Temp', 'gpu_temp_tlimit', figure('temperature_margin_celsius', celsius)),
    limit(
      values,
      ['GPU Shutdown Temp', 'gpu_temp_max_threshold', 'temperature_shutdown_celsius'],
      ['GPU Shutdown T.Limit Temp', 'gpu_temp_max_tlimit_threshold', 'temperature_shutdown_margin_celsius'],
    ),
    limit(
      values,
      ['GPU Slowdown Temp', 'gpu_temp_slow_threshold', 'temperature_slowdown_celsius'],
      ['GPU Slowdown T.Limit Temp', 'gpu_temp_slow_tlimit_threshold', 'temperature_slowdown_margin_celsius'],
    ),
    limit(
      values,
      ['GPU Max Operating Temp', 'gpu_temp_max_gpu_threshold', 'temperature_max_operating_celsius'],
      [
        'GPU Max Operating T.Limit Temp',
        'gpu_temp_max_gpu_tlimit_threshold',
        'temperature_max_operating_margin_celsius',
      ],
    ),
    leaf('GPU Target Temperature', 'gpu_target_temperature', NA),
    leaf('Memory Current Temp', 'memory_temp', figure('memory_temperature_celsius', celsius)),
    limit(
      values,
      ['Memory Max Operating Temp', 'gpu_temp_max_mem_threshold', 'memory_temperature_max_celsius'],
      [
        'Memory Max Operating T.Limit Temp',
        'gpu_temp_max_mem_tlimit_threshold',
        'temperature_memory_max_margin_celsius',
      ],
    ),
  ];
}

/** Drivers before 550, and what is read from them, know one figure only. */
function powerNodes({ field, has }: Values): Node[] {
  const isOne = !has('power_average_watts') && !has('power_instant_watts');
  return [
    ...(isOne
      ? [leaf('Power Draw', 'power_draw', field('power.draw'))]
      : [
          leaf('Average Power Draw', 'average_power_draw', field('power.draw.average')),
          leaf('Instantaneous Power Draw', 'instant_power_draw', field('power.draw.instant')),
        ]),
    leaf('Current Power Limit', 'current_power_limit', field('enforced.power.limit')),
    leaf('Requested Power Limit', 'requested_power_limit', field('power.limit')),
    leaf('Default Power Limit', 'default_power_limit', field('power.default_limit')),
    leaf('Min Power Limit', 'min_power_limit', field('power.min_limit')),
    leaf('Max Power Limit', 'max_power_limit', field('power.max_limit')),
  ];
}

function clockNodes({ field, metric, has, figure }: Values): Node[] {
  const pair = (stem: string): Node[] => [
    leaf('Graphics', 'graphics_clock', field(`${stem}.graphics`)),
    leaf('Memory', 'mem_clock', field(`${stem}.memory`)),
  ];
  const hasVoltage = has('core_voltage_volts');
  const millivolts = figure('core_voltage_volts', (volts) => `${(volts * 1000).toFixed(3)} mV`);
  return [
    group(
      'Clocks',
      'clocks',
      [
        leaf('Graphics', 'graphics_clock', field('clocks.current.graphics')),
        leaf('SM', 'sm_clock', field('clocks.current.sm')),
        leaf('Memory', 'mem_clock', field('clocks.current.memory')),
        leaf('Video', 'video_clock', field('clocks.current.video')),
      ],
      'CLOCK',
    ),
    group('Applications Clocks', 'applications_clocks', pair('clocks.applications'), 'CLOCK'),
    group('Default Applications Clocks', 'default_applications_clocks', pair('clocks.default_applications'), 'CLOCK'),
    group(
      'Max Clocks',
      'max_clocks',
      [
        leaf('Graphics', 'graphics_clock', field('clocks.max.graphics')),
        leaf('SM', 'sm_clock', field('clocks.max.sm')),
        leaf('Memory', 'mem_clock', field('clocks.max.memory')),
        leaf('Video', 'video_clock', metric('video_clock_max_hertz', 'MHz')),
      ],
      'CLOCK',
    ),
    {
      ...group('Voltage', hasVoltage ? 'voltage' : null, [leaf('Graphics', 'graphics_volt', millivolts)], 'VOLTAGE'),
      isOnRequest: !hasVoltage,
    },
    { ...leaf('Supported Clocks', null, NA), display: 'SUPPORTED_CLOCKS', isOnRequest: true },
  ];
}

function fabricNodes({ field }: Values): Node[] {
  const health = (text: string, name: string): Node => leaf(text, name, field(`fabric.health.${name}`));
  return [
    leaf('State', 'state', field('fabric.state')),
    leaf('Status', 'status', field('fabric.status')),
    leaf('CliqueId', 'cliqueId', field('fabric.cliqueId')),
    leaf('ClusterUUID', 'clusterUuid', field('fabric.clusterUuid')),
    group('Health', 'health', [
      health('Summary', 'summary'),
      health('Bandwidth', 'bandwidth'),
      health('Route Recovery in progress', 'route_recovery_in_progress'),
      health('Route Unhealthy', 'route_unhealthy'),
      health('Access Timeout Recovery', 'access_timeout_recovery'),
      health('Incorrect Configuration', 'incorrect_configuration'),
    ]),
  ];
}
