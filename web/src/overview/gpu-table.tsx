import { type MouseEvent, memo } from 'react';
import type { FleetRow } from '../session/session.ts';
import { StateTag } from '../shell/state-tag.tsx';
import { useApp, useText } from '../state/app-context.ts';
import { PowerCell, ReasonsCell, TemperatureCell, UtilisationCell } from './cells.tsx';
import { MemoryCell } from './memory-cell.tsx';
import { OwnerChips } from './owner-chips.tsx';
import { RowName } from './row-name.tsx';

/** A row per GPU, in the order given, and below it one per MIG instance on it. */
export const GpuTable = memo(function GpuTable({ rows }: { rows: readonly FleetRow[] }) {
  const t = useText();
  return (
    <table className="gpus">
      <caption className="unseen">{t('web.gpus')}</caption>
      <thead>
        <tr>
          <th scope="col">GPU</th>
          <th scope="col">{t('web.column.state')}</th>
          <th scope="col">{t('web.column.utilisation')}</th>
          <th scope="col">{t('web.column.memory')}</th>
          <th scope="col">{t('web.chart.temperature')}</th>
          <th scope="col">{t('web.chart.power')}</th>
          <th scope="col">{t('web.column.reasons')}</th>
          <th scope="col">{t('web.column.owners')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.flatMap(({ gpu, condition, error, instances }) => [
          <GpuRow key={gpu.uuid} gpu={gpu} condition={condition} error={error} instances={instances.length} />,
          ...instances.map((part) => (
            <GpuRow key={part.gpu.uuid} gpu={part.gpu} condition={part.condition} error={part.error} instances={0} />
          )),
        ])}
      </tbody>
    </table>
  );
});

interface GpuRowProps extends Pick<FleetRow, 'gpu' | 'condition' | 'error'> {
  /** How many MIG instances the card has. */
  readonly instances: number;
}

const GpuRow = memo(function GpuRow({ gpu, condition, error, instances }: GpuRowProps) {
  const t = useText();
  const { navigation } = useApp();
  const place = { route: { view: 'gpu', uuid: gpu.uuid } } as const;
  // The link in the row does the same for the keyboard.
  const open = (event: MouseEvent<HTMLTableRowElement>) => {
    if (event.defaultPrevented || window.getSelection()?.isCollapsed === false) return;
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) navigation.push(place);
  };
  return (
    <tr className={`row row-${condition}${gpu.mig === null ? '' : ' row-part'}`} onClick={open}>
      <th scope="row">
        <RowName gpu={gpu} instances={instances} />
      </th>
      <td className="cell-state">
        <StateTag gpu={gpu} condition={condition} error={error} namesReasons={false} />
      </td>
      <td className="cell-utilisation">
        <UtilisationCell gpu={gpu} />
      </td>
      <td className="cell-memory" data-label={t('web.column.memory')}>
        <MemoryCell gpu={gpu} />
      </td>
      <td className="cell-temperature" data-label={t('web.chart.temperature')}>
        <TemperatureCell gpu={gpu} />
      </td>
      <td className="cell-power" data-label={t('web.chart.power')}>
        <PowerCell gpu={gpu} />
      </td>
      <td className="cell-reasons" data-label={t('web.column.reasons')}>
        <ReasonsCell gpu={gpu} />
      </td>
      <td className="cell-owners" data-label={t('web.column.owners')}>
        <OwnerChips gpu={gpu} />
      </td>
    </tr>
  );
});
