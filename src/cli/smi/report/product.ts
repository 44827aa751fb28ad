import { type Card, shownUuid } from '../cards.ts';
import { group, leaf, type Node } from './node.ts';
import { deviceValues, NA, type Values } from './values.ts';

/** What the card is, and the modes it is in. */
export function productNodes(values: Values): Node[] {
  const { field } = values;
  const { device } = values.card.view;
  const { facts = {} } = device;
  return [
    leaf('Product Name', 'product_name', device.name),
    leaf('Product Brand', 'product_brand', facts.brand ?? NA),
    leaf('Product Architecture', 'product_architecture', facts.architecture ?? NA),
    leaf('Display Mode', 'display_mode', field('display_mode')),
    leaf('Display Attached', 'display_attached', NA),
    leaf('Display Active', 'display_active', field('display_active')),
    leaf('Persistence Mode', 'persistence_mode', field('persistence_mode')),
    leaf('Addressing Mode', 'addressing_mode', field('addressing_mode')),
    group('MIG Mode', 'mig_mode', [
      leaf('Current', 'current_mig', field('mig.mode.current')),
      leaf('Pending', 'pending_mig', field('mig.mode.pending')),
    ]),
    ...migNodes(values.card),
    { ...leaf('Accounting Mode', 'accounting_mode', NA), display: 'ACCOUNTING' },
    { ...leaf('Accounting Mode Buffer Size', 'accounting_mode_buffer_size', NA), display: 'ACCOUNTING' },
    group('Driver Model', 'driver_model', [
      leaf('Current', 'current_dm', field('driver_model.current')),
      leaf('Pending', 'pending_dm', field('driver_model.pending')),
    ]),
    leaf('Serial Number', 'serial', device.serial ?? NA),
    leaf('GPU UUID', 'uuid', shownUuid(device) ?? NA),
    leaf('Minor Number', 'minor_number', device.minor === null ? NA : String(device.minor)),
    leaf('VBIOS Version', 'vbios_version', facts.vbios ?? NA),
    leaf('MultiGPU Board', 'multigpu_board', NA),
    leaf('Board ID', 'board_id', facts['board-id'] ?? NA),
    ...partNodes(facts['part-number']),
    ...platformNodes(facts.inforom),
  ];
}

/** The number of the chip has a form of its own; drivers that tell no number of the board tell that one. */
function partNodes(part = NA): Node[] {
  const isChip = /^[\dA-F]{4}-[\dA-Z]{3}-[\dA-Z]{2}$/.test(part);
  return [
    leaf('Board Part Number', 'board_part_number', isChip ? NA : part),
    leaf('GPU Part Number', 'gpu_part_number', isChip ? part : NA),
  ];
}

function platformNodes(inforom: string | undefined): Node[] {
  return [
    group('Inforom Version', 'inforom_version', [
      leaf('Image Version', 'img_version', inforom ?? NA),
      leaf('OEM Object', 'oem_object', NA),
      leaf('ECC Object', 'ecc_object', NA),
      leaf('Power Management Object', 'pwr_object', NA),
    ]),
    group('GPU Operation Mode', 'gpu_operation_mode', [
      leaf('Current', 'current_gom', NA),
      leaf('Pending', 'pending_gom', NA),
    ]),
    group('GPU Virtualization Mode', 'gpu_virtualization_mode', [
      leaf('Virtualization Mode', 'virtualization_mode', NA),
      leaf('Host VGPU Mode', 'host_vgpu_mode', NA),
    ]),
  ];
}

/** Text has a group for each instance, XML one for all, with a word where there is none. */
function migNodes({ instances }: Card): Node[] {
  const nodes = instances.map((instance, index): readonly Node[] => {
    const { metric } = deviceValues(instance);
    const { gpuInstance = null, computeInstance = null } = instance.device.mig ?? {};
    return [
      leaf('Index', 'index', String(index)),
      leaf('GPU Instance ID', 'gpu_instance_id', String(gpuInstance ?? NA)),
      leaf('Compute Instance ID', 'compute_instance_id', String(computeInstance ?? NA)),
      group('ECC Errors', 'ecc_error_count', [
        group('Volatile', 'volatile_count', [
          leaf('SRAM Uncorrectable', 'sram_uncorrectable', metric('ecc_sram_uncorrected_volatile_total')),
        ]),
      ]),
      group('Shared FB Memory Usage', 'fb_memory_usage', memoryNodes(metric)),
      group('Shared BAR1 Memory', 'bar1_memory_usage', bar1Nodes(metric)),
    ];
  });
  if (nodes.length === 0) return [leaf(null, 'mig_devices', 'None')];
  return [
    ...nodes.map((each) => group('MIG Device', null, each)),
    group(
      null,
      'mig_devices',
      nodes.map((each) => group(null, 'mig_device', each)),
    ),
  ];
}

export function memoryNodes(metric: Values['metric']): Node[] {
  return [
    leaf('Total', 'total', metric('memory_total_bytes')),
    leaf('Reserved', 'reserved', metric('memory_reserved_bytes')),
    leaf('Used', 'used', metric('memory_used_bytes')),
    leaf('Free', 'free', metric('memory_free_bytes')),
  ];
}

export function bar1Nodes(metric: Values['metric']): Node[] {
  return [
    leaf('Total', 'total', metric('bar1_total_bytes', 'MiB')),
    leaf('Used', 'used', metric('bar1_used_bytes', 'MiB')),
    leaf('Free', 'free', metric('bar1_free_bytes', 'MiB')),
  ];
}
