import type { Severity } from './event.ts';
import { BOARD_XIDS } from './xid/board.ts';
import { ENGINE_XIDS } from './xid/engines.ts';
import { IMPACT_SEVERITY, type XidEntry, type XidImpact } from './xid/entry.ts';
import { LINK_XIDS } from './xid/links.ts';
import { MEMORY_XIDS } from './xid/memory.ts';

/**
 * Every Xid gpulse knows, by its lowest number. Actions follow the catalogue that NVIDIA publishes for its data centre
 * GPUs; what the catalogue leaves open follows what agents for health checks do. `docs/xid.md` is generated from it.
 */
export const XID_TABLE: readonly XidEntry[] = [...ENGINE_XIDS, ...MEMORY_XIDS, ...LINK_XIDS, ...BOARD_XIDS].sort(
  (a, b) => Math.min(...a.xids) - Math.min(...b.xids),
);

const BY_NUMBER: ReadonlyMap<number, XidEntry> = new Map(
  XID_TABLE.flatMap((entry) => entry.xids.map((xid) => [xid, entry] as const)),
);

const UNLISTED: Omit<XidEntry, 'xids'> = {
  impact: 'watch',
  classes: ['unknown'],
  meaning: { en: 'a fault that gpulse has no entry for', zh: 'gpulse 未收录的故障' },
  action: 'unlisted',
};

/** What a number means; one that is in no table is said to be unknown rather than guessed. */
export function xidEntry(xid: number): XidEntry {
  return BY_NUMBER.get(xid) ?? { ...UNLISTED, xids: [xid] };
}

/** The units of NVLink 5, whose messages carry a severity of their own. */
const NVLINK_UNITS = { first: 144, last: 150 };
const RECOVERY_ACTION = 154;

/** What one report does to the GPU: that of its number, unless the message itself says how bad it is. */
export function xidImpact(xid: number, message: string): XidImpact {
  if (xid >= NVLINK_UNITS.first && xid <= NVLINK_UNITS.last) {
    const word = /\b(non-?)?fatal\b/i.exec(message);
    if (word !== null) return word[1] === undefined ? 'reset' : 'info';
  }
  if (xid === RECOVERY_ACTION) {
    const action = recoveryAction(message);
    if (action !== null && /reset|reboot/i.test(action)) return 'reset';
    if (action !== null && !/^none$/i.test(action)) return 'watch';
  }
  return xidEntry(xid).impact;
}

export function xidSeverity(xid: number, message: string): Severity {
  return IMPACT_SEVERITY[xidImpact(xid, message)];
}

/** The action that Xid 154 names, `GPU Reset Required`, as the driver words it; null where it names none. */
export function recoveryAction(message: string): string | null {
  return /\bto 0x[0-9a-f]+ \(([^()]{1,60})\)/i.exec(message)?.[1]?.trim() ?? null;
}
