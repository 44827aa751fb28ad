import { readingOf } from '../../../src/client/gpu-reading.ts';
import type { ApiGpu, ApiProcess } from '../../../src/model/api.ts';
import { quantityText } from '../../../src/model/format.ts';
import { Bar } from '../shell/bar.tsx';
import { useLang, useText } from '../state/app-context.ts';

/** Who is on the card now, or was when the recording ended. */
export function ProcessTable({ gpu, recorded }: { gpu: ApiGpu; recorded: boolean }) {
  const t = useText();
  if (gpu.processesAbsent !== null) {
    return <p className="quiet">{t('web.process.absent', { reason: t(`absent.${gpu.processesAbsent}`) })}</p>;
  }
  if (gpu.processes.length === 0)
    return <p className="quiet">{t(recorded ? 'web.process.none-last' : 'web.process.none')}</p>;
  const total = readingOf(gpu, 'memory_total_bytes');
  const largestFirst = [...gpu.processes].sort((a, b) => (b.memoryBytes ?? 0) - (a.memoryBytes ?? 0));
  return (
    <table className="processes">
      <thead>
        <tr>
          <th scope="col">{t('web.process.user')}</th>
          <th scope="col">{t('web.process.name')}</th>
          <th scope="col" className="number">
            PID
          </th>
          <th scope="col">{t('web.process.kind')}</th>
          <th scope="col">{t('web.column.memory')}</th>
        </tr>
      </thead>
      <tbody>
        {largestFirst.map((process) => (
          <ProcessRow key={`${process.pid} ${process.kind}`} process={process} total={total} />
        ))}
      </tbody>
    </table>
  );
}

function ProcessRow({ process, total }: { process: ApiProcess; total: number | null }) {
  const t = useText();
  const lang = useLang();
  const { pid, user, name, kind, memoryBytes } = process;
  return (
    <tr>
      <td>{user ?? <span className="quiet">{t('web.process.unknown')}</span>}</td>
      <td>{name ?? <span className="quiet">{t('web.process.unknown')}</span>}</td>
      <td className="number">{pid}</td>
      <td className="quiet">{t(`web.process.kind.${kind}`)}</td>
      <td>
        {memoryBytes === null ? (
          <span className="quiet">{t('absent.not-supported')}</span>
        ) : (
          <div className="stacked">
            {quantityText(memoryBytes, 'bytes', lang)}
            {total !== null && total > 0 && <Bar share={memoryBytes / total} />}
          </div>
        )}
      </td>
    </tr>
  );
}
