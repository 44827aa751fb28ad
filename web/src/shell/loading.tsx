import { useText } from '../state/app-context.ts';
import { useAfter } from '../state/clock-hooks.ts';

/** Nothing for the first 300 ms, then the outline of what is to come. */
export function Loading({ rows }: { rows: number }) {
  const t = useText();
  const visible = useAfter(300);
  return (
    <div className="loading" aria-busy="true">
      <span className="unseen" role="status">
        {t('web.loading')}
      </span>
      {visible &&
        Array.from({ length: rows }, (_, row) => `row ${row}`).map((key) => <div key={key} className="loading-row" />)}
    </div>
  );
}
