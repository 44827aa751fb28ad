import { memo, useState } from 'react';
import { CONDITIONS, type Condition } from '../../../src/client/condition.ts';
import { utilisationOf } from '../../../src/client/gpu-reading.ts';
import type { ApiGpu } from '../../../src/model/api.ts';
import { quantityText } from '../../../src/model/format.ts';
import type { PageTranslate } from '../../../src/model/i18n/page-messages.ts';
import type { FleetRow } from '../session/session.ts';
import { conditionWord } from '../shell/condition-word.ts';
import { ConditionGlyph } from '../shell/glyph.tsx';
import { Link } from '../shell/link.tsx';
import { useLang, useText } from '../state/app-context.ts';
import { GpuTable } from './gpu-table.tsx';

interface HeatGridProps {
  readonly host: string;
  /** In index order: in a grid a GPU is found by its place, so nothing moves at all. */
  readonly rows: readonly FleetRow[];
}

/** Many GPUs at a glance: one cell each, lighter or darker by utilisation; the one pointed at is spelt out below. */
export const HeatGrid = memo(function HeatGrid({ host, rows }: HeatGridProps) {
  const t = useText();
  const [pointed, setPointed] = useState<string | null>(null);
  const shown = rows.find(({ gpu }) => gpu.uuid === pointed) ?? worstOf(rows);
  return (
    <>
      <section className="heat">
        <h2 className="heat-host">
          {host} <span className="quiet">{countWords(rows, t)}</span>
        </h2>
        <ul className="heat-cells">
          {rows.map(({ gpu, condition, instances }) => (
            <HeatCell key={gpu.uuid} gpu={gpu} condition={condition} parts={instances.length} onPoint={setPointed} />
          ))}
        </ul>
        <HeatLegend />
      </section>
      {shown !== undefined && (
        <section className="heat-shown">
          <h2>
            {t('web.heat.shown', { index: shown.gpu.index })} <span className="quiet">{t('web.heat.shown-help')}</span>
          </h2>
          <GpuTable rows={[shown]} />
        </section>
      )}
    </>
  );
});

function countWords(rows: readonly FleetRow[], t: PageTranslate): string {
  const parts = rows.reduce((sum, { instances }) => sum + instances.length, 0);
  const cards = t('web.gpus.count', { n: rows.length });
  return parts === 0 ? cards : [cards, t('web.mig.count', { n: parts })].join(t('web.list.comma'));
}

interface HeatCellProps {
  readonly gpu: ApiGpu;
  readonly condition: Condition;
  /** MIG instances on it. */
  readonly parts: number;
  readonly onPoint: (uuid: string) => void;
}

const HeatCell = memo(function HeatCell({ gpu, condition, parts, onPoint }: HeatCellProps) {
  const t = useText();
  const lang = useLang();
  const ratio = utilisationOf(gpu);
  const shown =
    ratio === null ? (parts > 0 ? `MIG ×${parts}` : '–') : quantityText(Math.round(ratio * 100) / 100, 'ratio', lang);
  const state = conditionWord(condition, t);
  return (
    <li>
      <Link
        to={{ route: { view: 'gpu', uuid: gpu.uuid } }}
        className={`heat-cell heat-${heatStep(ratio)} row-${condition}`}
        aria-label={t('web.heat.cell', { index: gpu.index, state, utilisation: shown })}
        onMouseEnter={() => onPoint(gpu.uuid)}
        onFocus={() => onPoint(gpu.uuid)}
      >
        <span className="heat-index">{gpu.index}</span>
        {condition !== 'busy' && condition !== 'free' && <ConditionGlyph condition={condition} />}
        <span className="heat-value">{shown}</span>
      </Link>
    </li>
  );
});

function HeatLegend() {
  const lang = useLang();
  return (
    <div className="heat-legend quiet" aria-hidden="true">
      {quantityText(0, 'ratio', lang)}
      {[0, 1, 2, 3, 4, 5].map((step) => (
        <span key={step} className={`heat-step heat-${step}`} />
      ))}
      {quantityText(1, 'ratio', lang)}
    </div>
  );
}

/** The GPU spelt out while none is pointed at. */
function worstOf(rows: readonly FleetRow[]): FleetRow | undefined {
  const rank = ({ condition }: FleetRow) => CONDITIONS.indexOf(condition);
  return rows.toSorted((a, b) => rank(a) - rank(b))[0];
}

/** Six steps of lightness: more cannot be told apart. `none` is hatched. */
function heatStep(ratio: number | null): number | 'none' {
  return ratio === null ? 'none' : Math.min(5, Math.floor(ratio * 6));
}
