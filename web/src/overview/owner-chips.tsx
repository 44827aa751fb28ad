import { memo } from 'react';
import { holderOf } from '../../../src/client/holder.ts';
import type { ApiGpu } from '../../../src/model/api.ts';
import type { ApiPod, ApiProcess } from '../../../src/model/api-process.ts';
import { quantityText } from '../../../src/model/format.ts';
import type { PageTranslate } from '../../../src/model/i18n/page-messages.ts';
import { ownerLabel, podName } from '../../../src/model/owner-label.ts';
import { Missing } from '../shell/missing.tsx';
import { useLang, useText } from '../state/app-context.ts';

const MOST_CHIPS = 2;

/** Who uses the GPU: the holders of its largest processes and what they work for, and how many more there are. */
export const OwnerChips = memo(
  function OwnerChips({ gpu }: { gpu: ApiGpu }) {
    const { processes, processesAbsent, allotted } = gpu;
    if (processesAbsent !== null) return <Missing reason={processesAbsent} />;
    if (processes.length === 0) return <AllottedChips pods={allotted ?? []} />;
    return <ProcessChips processes={processes} />;
  },
  // Figures change with every tick, and only the memory of processes is shown here.
  (a, b) =>
    a.gpu.processesAbsent === b.gpu.processesAbsent &&
    a.gpu.allotted === b.gpu.allotted &&
    isShownAlike(a.gpu.processes, b.gpu.processes),
);

function isShownAlike(a: readonly ApiProcess[], b: readonly ApiProcess[]): boolean {
  if (a === b) return true;
  return (
    a.length === b.length &&
    a.every(({ pid, name, user, owner, memoryBytes }, i) => {
      const other = b[i];
      return (
        pid === other?.pid &&
        name === other.name &&
        user === other.user &&
        owner === other.owner &&
        memoryBytes === other.memoryBytes
      );
    })
  );
}

interface Chip {
  readonly key: string;
  readonly holder: string;
  readonly name: string | null;
  /** What it works for, or as whom. */
  readonly place: string | null;
  readonly count: number;
}

/** Processes of one holder with one name are one chip: the workers of a training job. */
function chipsOf(processes: readonly ApiProcess[], t: PageTranslate): readonly Chip[] {
  const chips = new Map<string, Chip>();
  const largestFirst = [...processes].sort((a, b) => (b.memoryBytes ?? 0) - (a.memoryBytes ?? 0));
  for (const process of largestFirst) {
    const holder = holderOf(process) ?? `pid ${process.pid}`;
    const { name } = process;
    const place = placeOf(process, holder, t);
    const key = JSON.stringify([holder, name, place]);
    chips.set(key, { key, holder, name, place, count: (chips.get(key)?.count ?? 0) + 1 });
  }
  return [...chips.values()];
}

/** The user in a pod, where anybody may be root, else the job, container or unit of a user. */
function placeOf({ user, owner }: ApiProcess, holder: string, t: PageTranslate): string | null {
  const label = ownerLabel(owner);
  if (label === null) return null;
  if (label.text === holder) return user === null ? t(`owner.${label.kind}`) : `${t(`owner.${label.kind}`)} · ${user}`;
  return `${t(`owner.${label.kind}`)} ${label.text}`;
}

function ProcessChips({ processes }: { processes: readonly ApiProcess[] }) {
  const t = useText();
  const lang = useLang();
  const chips = chipsOf(processes, t);
  const memory = ({ memoryBytes }: ApiProcess) =>
    memoryBytes === null ? '' : quantityText(memoryBytes, 'bytes', lang);
  const title = processes
    .map((process) => {
      const { pid, user, name, owner } = process;
      return [pid, user, ownerLabel(owner)?.text, name, memory(process)].filter(Boolean).join('  ');
    })
    .join('\n');
  return (
    <div className="chips" title={title}>
      {chips.slice(0, MOST_CHIPS).map(({ key, holder, name, place, count }) => (
        <span key={key} className="chip">
          <span className="chip-line">
            <span className="chip-owner">{holder}</span>
            {name !== null && <span className="chip-name">{name}</span>}
            {count > 1 && <span className="quiet">×{count}</span>}
          </span>
          {place !== null && <span className="chip-place">{place}</span>}
        </span>
      ))}
      {chips.length > MOST_CHIPS && (
        <span className="chip chip-more">{t('web.owners.more', { n: chips.length - MOST_CHIPS })}</span>
      )}
    </div>
  );
}

/** Pods that have the GPU and do nothing on it. */
function AllottedChips({ pods }: { pods: readonly ApiPod[] }) {
  const t = useText();
  const names = [...new Set(pods.map(podName))];
  return (
    <div className="chips" title={names.join('\n')}>
      {names.slice(0, MOST_CHIPS).map((name) => (
        <span key={name} className="chip chip-idle">
          <span className="chip-line">
            <span className="chip-owner">{name}</span>
          </span>
          <span className="chip-place">{t('web.allotted.idle')}</span>
        </span>
      ))}
      {names.length > MOST_CHIPS && (
        <span className="chip chip-more">{t('web.owners.more', { n: names.length - MOST_CHIPS })}</span>
      )}
    </div>
  );
}
