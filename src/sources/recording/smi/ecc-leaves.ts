import { inGroup, type Leaf } from './leaf.ts';

const SPANS = ['volatile', 'aggregate'] as const;

/** Places in which cards before Turing count, by the names of fields, text and XML. */
const OLD_PLACES: readonly Leaf[] = [
  ['device_memory', 'device memory', 'device_memory'],
  ['register_file', 'register file', 'register_file'],
  ['l1_cache', 'l1 cache', 'l1_cache'],
  ['l2_cache', 'l2 cache', 'l2_cache'],
  ['texture_memory', 'texture memory', 'texture_memory'],
  ['cbu', 'cbu', 'cbu'],
  ['total', 'total', 'total'],
];

/** Behind the span, for newer cards. */
const NEW_PLACES: readonly Leaf[] = [
  ['corrected {}.sram', 'sram correctable', 'sram_correctable'],
  ['uncorrected {}.sram', 'sram uncorrectable', 'sram_uncorrectable'],
  ['uncorrected {}.sram.parity', 'sram uncorrectable parity', 'sram_uncorrectable_parity'],
  ['uncorrected {}.sram.secded', 'sram uncorrectable sec-ded', 'sram_uncorrectable_secded'],
  ['corrected {}.dram', 'dram correctable', 'dram_correctable'],
  ['uncorrected {}.dram', 'dram uncorrectable', 'dram_uncorrectable'],
];

const SOURCES: readonly Leaf[] = ['l2', 'sm', 'mcu', 'pcie', 'other'].map((unit) => [
  `ecc.errors.uncorrected.aggregate.sram.${unit}`,
  unit === 'mcu' ? 'sram microcontroller | sram mcu' : `sram ${unit}`,
  unit === 'mcu' ? 'sram_microcontroller | sram_mcu' : `sram_${unit}`,
]);

/** Counts of memory errors by span and place. */
export const ECC_LEAVES: readonly Leaf[] = [
  ...SPANS.flatMap((span) => [
    ...inGroup(
      `ecc errors/${span}`,
      `ecc_errors/${span}`,
      NEW_PLACES.map(([what, text, xml]) => [`ecc.errors.${what.replace(' {}', `.${span}`)}`, text, xml]),
    ),
    ...(['single', 'double'] as const).flatMap((bits) =>
      inGroup(
        `ecc errors/${span}/${bits} bit`,
        `ecc_errors/${span}/${bits}_bit`,
        OLD_PLACES.map(([place, text, xml]) => [
          `ecc.errors.${bits === 'single' ? 'corrected' : 'uncorrected'}.${span}.${place}`,
          text,
          xml,
        ]),
      ),
    ),
  ]),
  [
    'ecc.errors.uncorrected.aggregate.sram.thresholdExceeded',
    'ecc errors/aggregate/sram threshold exceeded',
    'ecc_errors/aggregate/sram_threshold_exceeded',
  ],
  ...inGroup(
    'ecc errors/aggregate uncorrectable sram sources',
    'ecc_errors/aggregate_uncorrectable_sram_sources',
    SOURCES,
  ),
];
