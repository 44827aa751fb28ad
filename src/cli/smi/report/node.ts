/**
 * Selectors of `-d`, by which parts of a report are chosen: those of nvidia-smi's manual from release 418 to 590. Every one
 * chooses something, if only a section without values: what a script asks for by name is there.
 */
export const DISPLAYS = [
  'MEMORY',
  'UTILIZATION',
  'ECC',
  'TEMPERATURE',
  'POWER',
  'CLOCK',
  'COMPUTE',
  'PIDS',
  'PERFORMANCE',
  'SUPPORTED_CLOCKS',
  'PAGE_RETIREMENT',
  'ACCOUNTING',
  'ENCODER_STATS',
  'SUPPORTED_GPU_TARGET_TEMP',
  'VOLTAGE',
  'FBC_STATS',
  'ROW_REMAPPER',
  'RESET_STATUS',
  'GSP_FIRMWARE_VERSION',
  'POWER_SMOOTHING',
  'POWER_PROFILES',
] as const;

export type Display = (typeof DISPLAYS)[number];

/**
 * A line or a group of the report of a card. `text` and `xml` are its names in the two forms; null where a form does not
 * have it. The nodes below a line with a value are set deeper in the text and stand beside it in XML.
 */
export interface Node {
  readonly text: string | null;
  readonly xml: string | null;
  readonly value?: string;
  /** Where XML writes the value differently. */
  readonly xmlValue?: string;
  readonly nodes?: readonly Node[];
  readonly display?: Display;
  /** Left out of the whole report: only older releases have it there, or only a selector brings it. */
  readonly isOnRequest?: boolean;
  /** Set for the list of processes, whose colons stand further to the left. */
  readonly isNarrow?: boolean;
}

export function leaf(text: string | null, xml: string | null, value: string, xmlValue?: string): Node {
  return { text, xml, value, ...(xmlValue === undefined ? {} : { xmlValue }) };
}

export function group(text: string | null, xml: string | null, nodes: readonly Node[], display?: Display): Node {
  return { text, xml, nodes, ...(display === undefined ? {} : { display }) };
}
