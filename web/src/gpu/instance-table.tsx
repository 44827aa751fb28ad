import { holderOf } from '../../../src/client/holder.ts';
import type { ApiGpu } from '../../../src/model/api.ts';
import { MemoryCell } from '../overview/memory-cell.tsx';
import type { FleetRow } from '../session/session.ts';
import { sliceWords } from '../shell/device-name.ts';
import { Link } from '../shell/link.tsx';
import { Missing } from '../shell/missing.tsx';
import { StateTag } from '../shell/state-tag.tsx';
import { useText } from '../state/app-context.ts';

/** The MIG instances that a card is cut into. */
export function InstanceTable({ instances }: { instances: readonly FleetRow[] }) {
  const t = useText();
  if (instances.length === 0) return <p className="quiet">{t('web.mig.none')}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard
    <section className="wide-table" tabIndex={0} aria-label={t('web.mig.instances')}>
      <table className="list">
        <thead>
          <tr>
            <th scope="col">MIG</th>
            <th scope="col">{t('web.column.state')}</th>
            <th scope="col">{t('web.column.memory')}</th>
            <th scope="col">{t('web.column.owners')}</th>
          </tr>
        </thead>
        <tbody>
          {instances.map(({ gpu, condition, error }) => (
            <tr key={gpu.uuid}>
              <th scope="row">
                <Link to={{ route: { view: 'gpu', uuid: gpu.uuid } }} title={gpu.uuid}>
                  {gpu.mig === null ? gpu.name : sliceWords(gpu.mig, t).join(' · ')}
                </Link>
              </th>
              <td>
                <StateTag gpu={gpu} condition={condition} error={error} />
              </td>
              <td>
                <MemoryCell gpu={gpu} />
              </td>
              <td>
                <Holders gpu={gpu} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Holders({ gpu: { processes, processesAbsent } }: { gpu: ApiGpu }) {
  const t = useText();
  if (processesAbsent !== null) return <Missing reason={processesAbsent} />;
  const names = new Set(processes.map((process) => holderOf(process) ?? `pid ${process.pid}`));
  return <>{[...names].join(t('web.list.comma'))}</>;
}
