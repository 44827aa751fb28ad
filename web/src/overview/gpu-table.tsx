import { type MouseEvent, memo } from 'react';
import type { Condition } from '../../../src/client/condition.ts';
import type { ApiGpu } from '../../../src/model/api.ts';
import { metric } from '../../../src/model/catalogue.ts';
import { shortDeviceName } from '../../../src/model/format.ts';
import type { FleetRow } from '../session/session.ts';
import { GpuSwatch } from '../shell/gpu-swatch.tsx';
import { Link } from '../shell/link.tsx';
import { useApp, useLang, useText } from '../state/app-context.ts';
import { PowerCell, ReasonsCell, StateTag, TemperatureCell, UtilisationCell } from './cells.tsx';
import { MemoryCell } from './memory-cell.tsx';
import { OwnerChips } from './owner-chips.tsx';

/** A row per GPU, in the order given. */
export const GpuTable = memo(function GpuTable({ rows }: { rows: readonly FleetRow[] }) {
  const t = useText();
  const lang = useLang();
  return (
    <table className="gpus">
      <caption className="unseen">{t('web.gpus')}</caption>
      <thead>
        <tr>
          <th scope="col">GPU</th>
          <th scope="col">{t('web.column.state')}</th>
          <th scope="col">{t('web.column.utilisation')}</th>
          <th scope="col">{t('web.column.memory')}</th>
          <th scope="col">{metric('temperature_celsius').label[lang]}</th>
          <th scope="col">{metric('power_watts').label[lang]}</th>
          <th scope="col">{t('web.column.reasons')}</th>
          <th scope="col">{t('web.column.owners')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ gpu, condition }) => (
          <GpuRow key={gpu.uuid} gpu={gpu} condition={condition} />
        ))}
      </tbody>
    </table>
  );
});

const GpuRow = memo(function GpuRow({ gpu, condition }: { gpu: ApiGpu; condition: Condition }) {
  const t = useText();
  const lang = useLang();
  const { navigation } = useApp();
  const place = { route: { view: 'gpu', uuid: gpu.uuid } } as const;
  // The link in the row does the same for the keyboard.
  const open = (event: MouseEvent<HTMLTableRowElement>) => {
    if (event.defaultPrevented || window.getSelection()?.isCollapsed === false) return;
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) navigation.push(place);
  };
  return (
    <tr className={`row row-${condition}`} onClick={open}>
      <th scope="row">
        <GpuSwatch index={gpu.index} />
        <Link to={place} className="row-link" aria-label={t('web.gpu.open', { index: gpu.index, name: gpu.name })}>
          <span className="row-index">{gpu.index}</span>
          <span className="row-name" title={`${gpu.name}\n${gpu.uuid}`}>
            {shortDeviceName(gpu.name)}
          </span>
        </Link>
      </th>
      <td className="cell-state">
        <StateTag condition={condition} />
      </td>
      <td className="cell-utilisation">
        <UtilisationCell gpu={gpu} />
      </td>
      <td className="cell-memory" data-label={t('web.column.memory')}>
        <MemoryCell gpu={gpu} />
      </td>
      <td className="cell-temperature" data-label={metric('temperature_celsius').label[lang]}>
        <TemperatureCell gpu={gpu} />
      </td>
      <td className="cell-power" data-label={metric('power_watts').label[lang]}>
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
