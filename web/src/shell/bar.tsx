import { memo } from 'react';

/** A share of a whole as a thin bar; decoration of the figures beside it. `share` beyond 1 fills it. */
export const Bar = memo(function Bar({ share }: { share: number }) {
  return (
    <span className="bar" aria-hidden="true">
      <span className="bar-part" style={{ width: percent(share) }} />
    </span>
  );
});

export function percent(share: number): string {
  return `${(Math.max(0, Math.min(1, share)) * 100).toFixed(1)}%`;
}
