import type { Severity } from '../../../model/event.ts';
import { busIdIn, parseXidLine, type XidLine } from '../../../model/xid-line.ts';

/** What a line says of a card other than by an Xid, in the words of its driver. */
export interface WordedFault {
  readonly busId: string | null;
  readonly vendor: 'nvidia' | 'amd';
  readonly severity: Severity;
  readonly text: string;
  readonly isLoss: boolean;
}

const LONGEST_TEXT = 300;

const AMD = /\bamdgpu ([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f]): (?:amdgpu: )?(.*)$/i;
/** Resets and what led to them, the worst first. */
const AMD_FAULTS: readonly (readonly [RegExp, Severity])[] = [
  [/VRAM is lost|GPU reset.* failed|ring reset failed|\buncorrectable\b/i, 'critical'],
  [/\btimeout, signaled seq|device wedged|GPU reset begin|page fault/i, 'warning'],
  [/GPU reset.* succeeded|ring \S+ reset succeeded/i, 'info'],
];
/** What nvidia-smi says of a card that does not answer, in a log of both. */
const NO_HANDLE = /^\s*(Unable to determine the device handle for GPU\s*\d*:?.*)$/;

export function isFaultLine(line: string): boolean {
  return parseXidLine(line) !== null || wordedFault(line) !== null;
}

/** What nvidia-smi says, not the kernel. */
export function isNoHandleLine(line: string): boolean {
  return line.includes('device handle') && NO_HANDLE.test(line);
}

/** Null for a line that is about nothing of the kind, and for one with an Xid. */
export function wordedFault(line: string): WordedFault | null {
  if (line.includes('amdgpu ')) return amdFault(line);
  const noHandle = line.includes('device handle') ? NO_HANDLE.exec(line) : null;
  if (noHandle === null) return null;
  const text = noHandle[1]!.trim().slice(0, LONGEST_TEXT);
  return { busId: busIdIn(text), vendor: 'nvidia', severity: 'critical', text, isLoss: true };
}

function amdFault(line: string): WordedFault | null {
  const found = AMD.exec(line);
  if (found === null) return null;
  const [, place = '', message = ''] = found;
  const severity = AMD_FAULTS.find(([rule]) => rule.test(message))?.[1];
  if (severity === undefined) return null;
  const text = message.trim().slice(0, LONGEST_TEXT);
  return { busId: busIdIn(place), vendor: 'amd', severity, text, isLoss: false };
}

/** What an NVLink switch says of a fault of its own. */
export function isFatalSwitch(message: string): boolean {
  return /\bfatal\b/i.test(message) && !/\bnon-?\s?fatal\b/i.test(message);
}

/** Parameters of the event of a line, which are those of Xids from elsewhere. */
export function xidParams(found: XidLine, busId: string | null): Record<string, string | number> {
  const { xid, pid, name, gpuInstance, causedBy, raw } = found;
  return {
    ...(busId !== null && { bus: busId }),
    xid,
    ...(pid !== null && { pid }),
    ...(pid !== null && name !== null && { name }),
    ...(gpuInstance !== null && { gpuInstance }),
    ...(causedBy !== null && { causedBy }),
    raw,
  };
}
