import type { GpuEvent, Severity } from '../../model/event.ts';
import type { Finding } from '../../model/finding.ts';
import type { Text } from '../../model/i18n/text.ts';
import { XID_ACTIONS } from '../../model/xid/actions.ts';
import { IMPACT_SEVERITY, XID_IMPACTS } from '../../model/xid/entry.ts';
import { xidEntry, xidImpact } from '../../model/xid-table.ts';
import type { CaseFile } from '../case/case-file.ts';
import { claim, type Detector, noClaim, observe } from '../detector.ts';
import { clockTime } from '../wording.ts';

/** Errors of one GPU this close together have one cause. */
const CHAIN_MS = 60_000;

/** Xids that only say what another one did: cleaning up, and the recovery that is needed. */
const FOLLOW_UPS: readonly number[] = [43, 45, 154];

const WEIGHT: Readonly<Record<Severity, number>> = { info: 0, warning: 1, critical: 2 };

interface Seen {
  readonly xid: number;
  readonly event: GpuEvent;
  readonly severity: Severity;
}

/** Errors of one GPU with one cause: the one that stands for them first. */
interface Chain {
  readonly lead: Seen;
  readonly others: readonly Seen[];
}

/** What the driver has reported by number, each chain of errors once. */
export const xid: Detector = {
  id: 'xid',
  layer: 'health',
  needs: [],
  detect(file) {
    const events = file.window.events.filter(({ kind }) => kind === 'xid');
    const seen = [...events.map((event) => read(event)), ...events.flatMap((event) => rootOf(event, events) ?? [])];
    if (seen.length === 0 && !file.window.seesXids) return [noClaim(xid, file, 'not-evaluable', 'evidence.xid-unseen')];
    const groups = new Map<string, Chain[]>();
    for (const chain of chains(seen)) {
      const key = `${chain.lead.event.uuid ?? chain.lead.event.params['bus'] ?? ''} ${chain.lead.xid}`;
      groups.set(key, [...(groups.get(key) ?? []), chain]);
    }
    return [...groups.values()].map((group) => report(file, group));
  },
};

/** The Xid that a follow-up names as its cause, where that one itself is not in the log. */
function rootOf(event: GpuEvent, events: readonly GpuEvent[]): Seen | null {
  const root = event.params['causedBy'];
  if (root === undefined || events.some((other) => other.uuid === event.uuid && numberOf(other) === Number(root)))
    return null;
  return read(event, Number(root));
}

function numberOf({ params }: GpuEvent): number {
  return Number(params['xid'] ?? params['code']);
}

function read(event: GpuEvent, xid = numberOf(event)): Seen {
  return { xid, event, severity: IMPACT_SEVERITY[xidImpact(xid, String(event.params['raw'] ?? ''))] };
}

function chains(seen: readonly Seen[]): Chain[] {
  const open = new Map<string, Seen[]>();
  const closed: Seen[][] = [];
  for (const one of [...seen].sort((a, b) => a.event.at - b.event.at)) {
    const key = one.event.uuid ?? String(one.event.params['bus'] ?? '');
    const running = open.get(key);
    const last = running?.at(-1);
    if (running !== undefined && last !== undefined && one.event.at - last.event.at <= CHAIN_MS) running.push(one);
    else {
      const fresh = [one];
      open.set(key, fresh);
      closed.push(fresh);
    }
  }
  return closed.map((members) => {
    const [lead, ...others] = [...members].sort((a, b) => rank(b) - rank(a) || a.event.at - b.event.at);
    return { lead: lead!, others };
  });
}

/** The worst stands for its chain, and of those that are as bad the first; a follow-up only where it is alone. */
function rank({ xid, severity }: Seen): number {
  return FOLLOW_UPS.includes(xid) ? -1 : WEIGHT[severity];
}

function report({ window }: CaseFile, group: readonly Chain[]): Finding {
  const { lead } = group[0]!;
  const { event, xid: number } = lead;
  const { params, uuid } = event;
  const { meaning, action } = xidEntry(number);
  const members = group.flatMap(({ lead: first, others }) => [first, ...others]);
  const count = members
    .filter(({ xid }) => xid === number)
    .reduce((sum, one) => sum + Number(one.event.params['count'] ?? 1), 0);
  const companions = [...new Set(members.map(({ xid }) => xid))].filter((other) => other !== number);
  const times = members.map(({ event: { at } }) => at);
  const severity = members.reduce<Severity>(
    (worst, one) => (WEIGHT[one.severity] > WEIGHT[worst] ? one.severity : worst),
    'info',
  );
  const device = window.gpus.find((gpu) => gpu.device.uuid === uuid)?.device;
  return claim(xid, {
    state: 'confirmed',
    severity,
    gpus: uuid === null ? [] : [uuid],
    from: Math.min(...times),
    to: Math.max(...times),
    evidence: [
      observe(
        'evidence.xid',
        {
          gpu: device === undefined ? String(params['bus'] ?? 'GPU') : `GPU ${device.index}`,
          xid: number,
          meaning,
          impact: XID_IMPACTS[xidImpact(number, String(params['raw'] ?? ''))],
          times: timesWord(count),
          time: clockTime(Math.min(...times)),
        },
        null,
        { xid: number, count },
      ),
      ...companions.map((other) =>
        observe('evidence.xid-companion', { xid: other, meaning: xidEntry(other).meaning }, null, { xid: other }),
      ),
    ],
    fix: XID_ACTIONS[action],
  });
}

function timesWord(count: number): Text {
  return count === 1 ? { en: 'once', zh: '1 次' } : { en: `${count} times`, zh: `${count} 次` };
}
