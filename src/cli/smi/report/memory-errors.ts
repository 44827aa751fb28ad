import type { MetricId } from '../../../model/catalogue.ts';
import { group, leaf, type Node } from './node.ts';
import { NA, type Values } from './values.ts';

/** Errors in memory, and what was done about them. */
export function memoryErrorNodes(values: Values): Node[] {
  const { field } = values;
  return [
    group(
      'ECC Mode',
      'ecc_mode',
      [
        leaf('Current', 'current_ecc', field('ecc.mode.current')),
        leaf('Pending', 'pending_ecc', field('ecc.mode.pending')),
      ],
      'ECC',
    ),
    group('ECC Errors', 'ecc_errors', eccNodes(values), 'ECC'),
    group('Retired Pages', 'retired_pages', retiredNodes(values), 'PAGE_RETIREMENT'),
    remappedNode(values),
  ];
}

const SPANS = ['volatile', 'aggregate'] as const;

/** Cards before Turing count by bits and place, later ones by kind of memory. */
function eccNodes(values: Values): Node[] {
  const byPlace = (['l1_cache', 'l2_cache', 'register_file', 'texture'] as const).some((place) =>
    values.has(`ecc_${place}_corrected_volatile_total`),
  );
  const spans = SPANS.map((span) =>
    group(
      span === 'volatile' ? 'Volatile' : 'Aggregate',
      span,
      byPlace ? oldSpan(values, span) : newSpan(values, span),
    ),
  );
  return values.has('ecc_sram_l2_uncorrected_aggregate_total') ? [...spans, sourcesNode(values)] : spans;
}

const OLD_PLACES = [
  ['Device Memory', 'device_memory'],
  ['Register File', 'register_file'],
  ['L1 Cache', 'l1_cache'],
  ['L2 Cache', 'l2_cache'],
  ['Texture Memory', 'texture_memory'],
  ['CBU', 'cbu'],
  ['Total', 'total'],
] as const;

function oldSpan({ field }: Values, span: (typeof SPANS)[number]): Node[] {
  return (['corrected', 'uncorrected'] as const).map((kind) =>
    group(
      kind === 'corrected' ? 'Single Bit' : 'Double Bit',
      kind === 'corrected' ? 'single_bit' : 'double_bit',
      OLD_PLACES.map(([text, place]) => leaf(text, place, field(`ecc.errors.${kind}.${span}.${place}`))),
    ),
  );
}

function newSpan({ field, has }: Values, span: (typeof SPANS)[number]): Node[] {
  const sram = `ecc.errors.uncorrected.${span}.sram`;
  const isSplit = has(`ecc_sram_parity_uncorrected_${span}_total`);
  return [
    leaf('SRAM Correctable', 'sram_correctable', field(`ecc.errors.corrected.${span}.sram`)),
    ...(isSplit
      ? [
          leaf('SRAM Uncorrectable Parity', 'sram_uncorrectable_parity', field(`${sram}.parity`)),
          leaf('SRAM Uncorrectable SEC-DED', 'sram_uncorrectable_secded', field(`${sram}.secded`)),
        ]
      : [leaf('SRAM Uncorrectable', 'sram_uncorrectable', field(sram))]),
    leaf('DRAM Correctable', 'dram_correctable', field(`ecc.errors.corrected.${span}.dram`)),
    leaf('DRAM Uncorrectable', 'dram_uncorrectable', field(`ecc.errors.uncorrected.${span}.dram`)),
    ...(isSplit && span === 'aggregate'
      ? [leaf('SRAM Threshold Exceeded', 'sram_threshold_exceeded', field(`${sram}.thresholdExceeded`))]
      : []),
  ];
}

function sourcesNode({ field }: Values): Node {
  const source = (text: string, xml: string, unit: string): Node =>
    leaf(text, xml, field(`ecc.errors.uncorrected.aggregate.sram.${unit}`));
  return group('Aggregate Uncorrectable SRAM Sources', 'aggregate_uncorrectable_sram_sources', [
    source('SRAM L2', 'sram_l2', 'l2'),
    source('SRAM SM', 'sram_sm', 'sm'),
    source('SRAM Microcontroller', 'sram_microcontroller', 'mcu'),
    source('SRAM PCIE', 'sram_pcie', 'pcie'),
    source('SRAM Other', 'sram_other', 'other'),
  ]);
}

function retiredNodes({ field }: Values): Node[] {
  const [single, double] = [field('retired_pages.single_bit_ecc.count'), field('retired_pages.double_bit.count')];
  const pending = field('retired_pages.pending');
  return [
    leaf('Single Bit ECC', null, single),
    leaf('Double Bit ECC', null, double),
    leaf('Pending Page Blacklist', null, pending),
    group(null, 'multiple_single_bit_retirement', [leaf(null, 'retired_count', single)]),
    group(null, 'double_bit_retirement', [leaf(null, 'retired_count', double)]),
    leaf(null, 'pending_blacklist', pending),
    leaf(null, 'pending_retirement', pending),
  ];
}

const LEVELS = ['max', 'high', 'partial', 'low', 'none'] as const;

function remappedNode({ field, figure, has }: Values): Node {
  const ids: readonly MetricId[] = ['remapped_rows_correctable_total', 'remapped_rows_pending', 'remap_banks_max'];
  if (!ids.some(has)) return { ...leaf('Remapped Rows', 'remapped_rows', NA), display: 'ROW_REMAPPER' };
  const levels = LEVELS.map((level) => {
    const text = level[0]!.toUpperCase() + level.slice(1);
    return leaf(
      text,
      `row_remapper_histogram_${level}`,
      figure(`remap_banks_${level}`, (count) => `${count} bank(s)`),
    );
  });
  return group(
    'Remapped Rows',
    'remapped_rows',
    [
      leaf('Correctable Error', 'remapped_row_corr', field('remapped_rows.correctable')),
      leaf('Uncorrectable Error', 'remapped_row_unc', field('remapped_rows.uncorrectable')),
      leaf('Pending', 'remapped_row_pending', field('remapped_rows.pending')),
      leaf('Remapping Failure Occurred', 'remapped_row_failure', field('remapped_rows.failure')),
      group('Bank Remap Availability Histogram', 'row_remapper_histogram', levels),
    ],
    'ROW_REMAPPER',
  );
}
