import { CLOCK_EVENT_REASONS } from '../../../model/clock-events.ts';
import { busIdParts, hex, longBusId } from '../cards.ts';
import { group, leaf, type Node } from './node.ts';
import { bar1Nodes, memoryNodes } from './product.ts';
import { NA, type Values } from './values.ts';

/** Where the card sits, how its link is, and what state it is in. */
export function stateNodes(values: Values): Node[] {
  const { field, metric } = values;
  return [
    RESET_STATUS,
    { ...leaf('GPU Recovery Action', 'gpu_recovery_action', field('gpu_recovery_action')), display: 'RESET_STATUS' },
    { ...leaf('GSP Firmware Version', 'gsp_firmware_version', NA), display: 'GSP_FIRMWARE_VERSION' },
    group('PCI', 'pci', pciNodes(values)),
    leaf('Fan Speed', 'fan_speed', field('fan.speed')),
    { ...leaf('Performance State', 'performance_state', field('pstate')), display: 'PERFORMANCE' },
    group('Clocks Event Reasons', 'clocks_event_reasons', reasonNodes(values), 'PERFORMANCE'),
    group('Clocks Event Reasons Counters', 'clocks_event_reasons_counters', counterNodes(values), 'PERFORMANCE'),
    group('FB Memory Usage', 'fb_memory_usage', memoryNodes(metric), 'MEMORY'),
    group('BAR1 Memory Usage', 'bar1_memory_usage', bar1Nodes(metric), 'MEMORY'),
    group(
      'Conf Compute Protected Memory Usage',
      'cc_protected_memory_usage',
      [leaf('Total', 'total', NA), leaf('Used', 'used', NA), leaf('Free', 'free', NA)],
      'MEMORY',
    ),
    { ...leaf('Compute Mode', 'compute_mode', field('compute_mode')), display: 'COMPUTE' },
    group(
      'Utilization',
      'utilization',
      [
        leaf('GPU', 'gpu_util', field('utilization.gpu')),
        leaf('Memory', 'memory_util', field('utilization.memory')),
        leaf('Encoder', 'encoder_util', field('utilization.encoder')),
        leaf('Decoder', 'decoder_util', field('utilization.decoder')),
        leaf('JPEG', 'jpeg_util', field('utilization.jpeg')),
        leaf('OFA', 'ofa_util', field('utilization.ofa')),
      ],
      'UTILIZATION',
    ),
    group('Encoder Stats', 'encoder_stats', SESSION_STATS, 'ENCODER_STATS'),
    group('FBC Stats', 'fbc_stats', SESSION_STATS, 'FBC_STATS'),
  ];
}

/** Given up by drivers that tell the recovery action, of which no source has it. */
const RESET_STATUS: Node = {
  ...group('GPU Reset Status', null, [leaf('Reset Required', null, NA), leaf('Drain and Reset Recommended', null, NA)]),
  ...{ display: 'RESET_STATUS', isOnRequest: true },
};

const SESSION_STATS: readonly Node[] = [
  leaf('Active Sessions', 'session_count', NA),
  leaf('Average FPS', 'average_fps', NA),
  leaf('Average Latency', 'average_latency', NA),
];

function pciNodes(values: Values): Node[] {
  const { field, metric, figure } = values;
  const { device } = values.card.view;
  const place = busIdParts(device.pciBusId);
  const [deviceId, subsystem] = [field('pci.device_id'), field('pci.sub_device_id')];
  return [
    ...(place === null
      ? []
      : [
          hexadecimal('Bus', 'pci_bus', hex(place.bus, 2)),
          hexadecimal('Device', 'pci_device', hex(place.device, 2)),
          hexadecimal('Domain', 'pci_domain', hex(place.domain, 4)),
        ]),
    leaf('Base Classcode', 'pci_base_class', field('pci.baseClass'), digits(field('pci.baseClass'))),
    leaf('Sub Classcode', 'pci_sub_class', field('pci.subClass'), digits(field('pci.subClass'))),
    leaf('Device Id', 'pci_device_id', deviceId, digits(deviceId)),
    leaf('Bus Id', 'pci_bus_id', longBusId(device.pciBusId) ?? NA),
    leaf('Sub System Id', 'pci_sub_system_id', subsystem, digits(subsystem)),
    group('GPU Link Info', 'pci_gpu_link_info', [
      group('PCIe Generation', 'pcie_gen', [
        leaf('Max', 'max_link_gen', field('pcie.link.gen.max')),
        leaf('Current', 'current_link_gen', field('pcie.link.gen.current')),
        leaf('Device Current', 'device_current_link_gen', field('pcie.link.gen.gpucurrent')),
        leaf('Device Max', 'max_device_link_gen', field('pcie.link.gen.gpumax')),
        leaf('Host Max', 'max_host_link_gen', NA),
      ]),
      group('Link Width', 'link_widths', [
        leaf('Max', 'max_link_width', figure('pcie_link_width_max', lanes)),
        leaf('Current', 'current_link_width', figure('pcie_link_width', lanes)),
      ]),
    ]),
    leaf('Replays Since Reset', 'replay_counter', metric('pcie_replay_total', '')),
    leaf('Tx Throughput', 'tx_util', figure('pcie_tx_bytes_per_second', kilobytes)),
    leaf('Rx Throughput', 'rx_util', figure('pcie_rx_bytes_per_second', kilobytes)),
  ];
}

function hexadecimal(text: string, xml: string, value: string): Node {
  return leaf(text, xml, `0x${value}`, value);
}

function digits(text: string): string {
  return text.replace(/^0x/, '');
}

function lanes(count: number): string {
  return `${count}x`;
}

function kilobytes(rate: number): string {
  return `${Math.round(rate / 1000)} KB/s`;
}

/** Reasons by their name in text and in XML; two are told under the one that covers them. */
const REASONS = [
  ['gpu-idle', 'Idle', 'gpu_idle'],
  ['applications-clocks', 'Applications Clocks Setting', 'applications_clocks_setting'],
  ['power-cap', 'SW Power Cap', 'sw_power_cap'],
  ['hw-slowdown', 'HW Slowdown', 'hw_slowdown'],
  ['hw-thermal', 'HW Thermal Slowdown', 'hw_thermal_slowdown'],
  ['power-brake', 'HW Power Brake Slowdown', 'hw_power_brake_slowdown'],
  ['sync-boost', 'Sync Boost', 'sync_boost'],
  ['sw-thermal', 'SW Thermal Slowdown', 'sw_thermal_slowdown'],
  ['display-clocks', 'Display Clock Setting', 'display_clocks_setting'],
] as const;
const COVERED: readonly string[] = ['hw-thermal', 'power-brake'];

function reasonNodes({ figure }: Values): Node[] {
  const nodes = REASONS.map(([id, text, xml]) => {
    const bit = CLOCK_EVENT_REASONS.find((reason) => reason.id === id)!.bit;
    const value = figure('clock_event_reasons', (mask) => ((mask & bit) === 0 ? 'Not Active' : 'Active'));
    return { id, node: leaf(text, `clocks_event_reason_${xml}`, value) };
  });
  const covered = nodes.filter(({ id }) => COVERED.includes(id)).map(({ node }) => node);
  return nodes
    .filter(({ id }) => !COVERED.includes(id))
    .map(({ id, node }) => (id === 'hw-slowdown' ? { ...node, nodes: covered } : node));
}

function counterNodes({ field }: Values): Node[] {
  const counter = (text: string, name: string, xml: string): Node =>
    leaf(text, `clocks_event_reasons_counters_${xml}`, field(`clocks_event_reasons_counters.${name}`));
  return [
    counter('SW Power Capping', 'sw_power_cap', 'sw_power_cap'),
    counter('Sync Boost', 'sync_boost', 'sync_boost'),
    counter('SW Thermal Slowdown', 'sw_thermal_slowdown', 'sw_therm_slowdown'),
    counter('HW Thermal Slowdown', 'hw_thermal_slowdown', 'hw_therm_slowdown'),
    counter('HW Power Braking', 'hw_power_brake_slowdown', 'hw_power_brake'),
  ];
}
