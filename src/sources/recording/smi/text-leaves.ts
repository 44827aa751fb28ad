import { inGroup, type Leaf } from './leaf.ts';

/** Texts about the whole log: when and by what it was written. */
export const LOG_LEAVES: readonly Leaf[] = [
  ['timestamp', 'timestamp', 'timestamp'],
  ['driver', 'driver version | kmd version', 'driver_version | kmd_version'],
  ['cuda', 'cuda version | cuda umd version', 'cuda_version | cuda_umd_version'],
];

/** Texts that say which device it is, and facts of it by their name. */
export const DEVICE_LEAVES: readonly Leaf[] = [
  ['name', 'product name', 'product_name'],
  ['uuid', 'gpu uuid', 'uuid'],
  ['bus-id', 'pci/bus id', 'pci/pci_bus_id'],
  ['serial', 'serial number', 'serial'],
  ['minor', 'minor number', 'minor_number'],
  ['mig-mode', 'mig mode/current', 'mig_mode/current_mig'],
  ['architecture', 'product architecture', 'product_architecture'],
  ['brand', 'product brand', 'product_brand'],
  ['vbios', 'vbios version', 'vbios_version'],
  ['board-id', 'board id', 'board_id'],
  ['part-number', 'board part number', 'board_part_number'],
  // Before 525 there is only this one, and it is the number of the board.
  ['gpu-part-number', 'gpu part number', 'gpu_part_number'],
  ['inforom', 'inforom version/image version', 'inforom_version/img_version'],
];

/** Of a MIG instance, below its group. */
export const MIG_LEAVES: readonly Leaf[] = [
  ['uuid', 'uuid | mig uuid | gpu uuid', 'uuid | mig_uuid'],
  ['gpu-instance', 'gpu instance id', 'gpu_instance_id'],
  ['compute-instance', 'compute instance id', 'compute_instance_id'],
];

/** Readings of a MIG instance, by the field of `--query-gpu`, below its group. */
export const MIG_FIELD_LEAVES: readonly Leaf[] = [
  ...inGroup(
    'fb memory usage | shared fb memory usage',
    'fb_memory_usage | shared_fb_memory_usage',
    ['total', 'reserved', 'used', 'free'].map((part) => [`memory.${part}`, part, part]),
  ),
  [
    'ecc.errors.uncorrected.volatile.sram',
    'ecc errors/volatile/sram uncorrectable',
    'ecc_error_count/volatile_count/sram_uncorrectable',
  ],
];

/** The same by the id of the metric. */
export const MIG_METRIC_LEAVES = (['total', 'used', 'free'] as const).map(
  (part) =>
    [
      `bar1_${part}_bytes`,
      `bar1 memory usage/${part} | shared bar1 memory usage/${part} | shared bar1 memory/${part}`,
      `bar1_memory_usage/${part} | shared_bar1_memory_usage/${part}`,
    ] as const,
);

/** Of a process, below the group of all processes; the text form has no group for each. */
export const PROCESS_LEAVES: readonly Leaf[] = [
  ['gpu-instance', 'gpu instance id', 'process_info/gpu_instance_id'],
  ['compute-instance', 'compute instance id', 'process_info/compute_instance_id'],
  ['pid', 'process id', 'process_info/pid'],
  ['process-type', 'process id/type', 'process_info/type'],
  ['process-name', 'process id/name', 'process_info/process_name'],
  ['process-memory', 'process id/used gpu memory', 'process_info/used_memory'],
];
