import type { AbsenceReason } from '../../../model/reading.ts';
import { asciiText } from '../number-cell.ts';

/**
 * What nvidia-smi and the scripts around it print instead of a value, in lower case, without brackets. `''` and the
 * words of scripting languages only say that nothing was written.
 */
const ABSENCE_WORDS: ReadonlyMap<string, AbsenceReason> = new Map([
  ['n/a', 'not-supported'],
  ['not supported', 'not-supported'],
  ['function not found', 'not-supported'],
  ['requested functionality has been deprecated', 'not-supported'],
  ['not available', 'not-supported'],
  ['unknown error', 'error'],
  ['error', 'error'],
  ['err!', 'error'],
  ['gpu requires reset', 'error'],
  ['timeout', 'error'],
  ['in use', 'error'],
  ['reset required', 'error'],
  ['gpu is lost', 'gpu-lost'],
  ['insufficient permissions', 'no-permission'],
  ['no permission', 'no-permission'],
  ['not found', 'not-found'],
  ['not available in wddm driver model', 'not-supported'],
  ['', 'not-collected'],
  ['-', 'not-collected'],
  ['nan', 'not-collected'],
  ['none', 'not-collected'],
  ['null', 'not-collected'],
]);

/** The reason a cell gives for having no value, or null if it is not one of the known words. */
export function absenceIn(text: string): AbsenceReason | null {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  return ABSENCE_WORDS.get(bare.trim().toLowerCase()) ?? null;
}

/** True for a word that only nvidia-smi prints in place of a value: brackets around a known reason. */
export function isDriverWord(text: string): boolean {
  return text.startsWith('[') && text.endsWith(']') && text.length > 2 && absenceIn(text) !== null;
}

/** {@link absenceIn} on bytes; the form that fills whole columns of a log, `[N/A]`, costs no string. */
export function absenceOf(bytes: Uint8Array, start: number, end: number): AbsenceReason | null {
  if (isBracketedNa(bytes, start, end)) return 'not-supported';
  return end - start > 64 ? null : absenceIn(asciiText(bytes, start, end));
}

function isBracketedNa(bytes: Uint8Array, start: number, end: number): boolean {
  return (
    end - start === 5 &&
    bytes[start] === 91 &&
    bytes[start + 1] === 78 &&
    bytes[start + 2] === 47 &&
    bytes[start + 3] === 65 &&
    bytes[start + 4] === 93
  );
}
