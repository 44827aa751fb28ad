import { memo } from 'react';
import { readingOf, reasonOf } from '../../../src/client/gpu-reading.ts';
import type { ApiGpu } from '../../../src/model/api.ts';
import { bytesOf, quantityText } from '../../../src/model/format.ts';
import { percent } from '../shell/bar.tsx';
import { Missing } from '../shell/missing.tsx';
import { useLang, useText } from '../state/app-context.ts';
import { memoryShares } from './memory-shares.ts';

/** Used of total memory, with a bar split by owner and what the driver keeps for itself at its end. */
export function MemoryCell({ gpu }: { gpu: ApiGpu }) {
  const [used, total] = [readingOf(gpu, 'memory_used_bytes'), readingOf(gpu, 'memory_total_bytes')];
  if (used === null) return <Missing reason={reasonOf(gpu, 'memory_used_bytes')} />;
  if (total === null) return <Missing reason={reasonOf(gpu, 'memory_total_bytes')} />;
  const shares = memoryShares(gpu);
  const key = shares.map(({ key: owner, share }) => `${owner} ${percent(share)}`).join();
  const reserved = readingOf(gpu, 'memory_reserved_bytes');
  return <MemoryBar used={used} total={total} reserved={reserved} shares={shares} sharesKey={key} />;
}

interface MemoryBarProps {
  readonly used: number;
  readonly total: number;
  readonly reserved: number | null;
  readonly shares: ReturnType<typeof memoryShares>;
  /** Says when the shares look different. */
  readonly sharesKey: string;
}

const MemoryBar = memo(
  function MemoryBar({ used, total, reserved, shares }: MemoryBarProps) {
    const t = useText();
    const lang = useLang();
    const { part, whole, unit } = bytesOf(used, total);
    const kept = reserved === null ? '' : t('web.memory.reserved', { bytes: quantityText(reserved, 'bytes', lang) });
    const title = [
      ...shares.map(({ owner, share }) => `${owner ?? t('web.memory.other')} ${quantityText(share, 'ratio', lang)}`),
      ...(kept === '' ? [] : [kept]),
    ].join('\n');
    return (
      <div className="stacked" title={title}>
        <span>
          <span className="figure">{part}</span>
          <span className="quiet">
            {' / '}
            {whole} {unit}
          </span>
        </span>
        <span className="bar" aria-hidden="true">
          {shares.map(({ key, owner, share }) => (
            <span key={key} className={owner === null ? 'bar-rest' : 'bar-part'} style={{ width: percent(share) }} />
          ))}
          {reserved !== null && <span className="bar-reserved" style={{ width: percent(reserved / total) }} />}
        </span>
      </div>
    );
  },
  (a, b) => a.used === b.used && a.total === b.total && a.reserved === b.reserved && a.sharesKey === b.sharesKey,
);
