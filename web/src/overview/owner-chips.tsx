import { memo } from 'react';
import type { ApiGpu, ApiProcess } from '../../../src/model/api.ts';
import { quantityText } from '../../../src/model/format.ts';
import { Missing } from '../shell/missing.tsx';
import { useLang, useText } from '../state/app-context.ts';
import { ownerOf } from './memory-shares.ts';

const MOST_CHIPS = 2;

/** Who uses the GPU: user and command of its largest processes, and how many more there are. */
export function OwnerChips({ gpu }: { gpu: ApiGpu }) {
  if (gpu.processesAbsent !== null) return <Missing reason={gpu.processesAbsent} />;
  return <Chips processes={gpu.processes} />;
}

interface Chip {
  readonly key: string;
  readonly owner: string;
  readonly name: string | null;
  readonly count: number;
}

/** Processes of one user with one name are one chip: the workers of a training job. */
function chipsOf(processes: readonly ApiProcess[]): readonly Chip[] {
  const chips = new Map<string, Chip>();
  const largestFirst = [...processes].sort((a, b) => (b.memoryBytes ?? 0) - (a.memoryBytes ?? 0));
  for (const process of largestFirst) {
    const owner = ownerOf(process);
    const key = JSON.stringify([owner, process.name]);
    chips.set(key, { key, owner, name: process.name, count: (chips.get(key)?.count ?? 0) + 1 });
  }
  return [...chips.values()];
}

const Chips = memo(function Chips({ processes }: { processes: readonly ApiProcess[] }) {
  const t = useText();
  const lang = useLang();
  const chips = chipsOf(processes);
  const memory = ({ memoryBytes }: ApiProcess) =>
    memoryBytes === null ? '' : quantityText(memoryBytes, 'bytes', lang);
  const title = processes
    .map((process) => [process.pid, process.user, process.name, memory(process)].filter(Boolean).join('  '))
    .join('\n');
  return (
    <div className="chips" title={title}>
      {chips.slice(0, MOST_CHIPS).map(({ key, owner, name, count }) => (
        <span key={key} className="chip">
          <span className="chip-owner">{owner}</span>
          {name !== null && <span className="chip-name">{name}</span>}
          {count > 1 && <span className="quiet">×{count}</span>}
        </span>
      ))}
      {chips.length > MOST_CHIPS && (
        <span className="chip chip-more">{t('web.owners.more', { n: chips.length - MOST_CHIPS })}</span>
      )}
    </div>
  );
});
