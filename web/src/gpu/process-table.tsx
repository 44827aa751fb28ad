import { memo, type ReactNode, useState } from 'react';
import { readingOf } from '../../../src/client/gpu-reading.ts';
import type { ApiGpu } from '../../../src/model/api.ts';
import type { ApiFigures, ApiProcess } from '../../../src/model/api-process.ts';
import { ago, dateTime, quantityText } from '../../../src/model/format.ts';
import { ownerLabel } from '../../../src/model/owner-label.ts';
import { Bar } from '../shell/bar.tsx';
import { ArrowGlyph } from '../shell/glyph.tsx';
import { useLang, useSession, useText } from '../state/app-context.ts';
import { ProcessDetails } from './process-details.tsx';

/** Columns that only some sources fill, and that are left out where none of the processes has a value. */
type Extra = 'owner' | 'sm' | 'cpu' | 'hostMemory' | 'started';

const HAS: Readonly<Record<Extra, (process: ApiProcess) => boolean>> = {
  owner: ({ owner }) => ownerLabel(owner) !== null,
  sm: ({ smRatio }) => smRatio !== null,
  cpu: ({ cpuRatio }) => cpuRatio !== null,
  hostMemory: ({ hostMemoryBytes }) => hostMemoryBytes !== null,
  started: ({ startedAt }) => startedAt !== null,
};

const EXTRAS = Object.keys(HAS) as Extra[];

/** Who is on the card now, or was when the recording ended. */
export function ProcessTable({ gpu, recorded }: { gpu: ApiGpu; recorded: boolean }) {
  const t = useText();
  const { processes, processesAbsent, processesPartial } = gpu;
  if (processesAbsent !== null) {
    return <p className="quiet">{t('web.process.absent', { reason: t(`absent.${processesAbsent}`) })}</p>;
  }
  return (
    <>
      {processesPartial !== null && (
        <p className="warning">{t('web.process.partial', { reason: t(`absent.${processesPartial}`) })}</p>
      )}
      {processes.length === 0 ? (
        processesPartial === null && (
          <p className="quiet">{t(recorded ? 'web.process.none-last' : 'web.process.none')}</p>
        )
      ) : (
        <Table processes={processes} total={readingOf(gpu, 'memory_total_bytes')} />
      )}
    </>
  );
}

function Table({ processes, total }: { processes: readonly ApiProcess[]; total: number | null }) {
  const t = useText();
  const extras = EXTRAS.filter((extra) => processes.some(HAS[extra]));
  const has = (extra: Extra) => extras.includes(extra);
  const largestFirst = [...processes].sort((a, b) => (b.memoryBytes ?? 0) - (a.memoryBytes ?? 0));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard
    <section className="wide-table" tabIndex={0} aria-label={t('web.gpu.processes')}>
      <table className="list processes">
        <thead>
          <tr>
            <th scope="col">{t('web.process.name')}</th>
            <th scope="col" className="number">
              PID
            </th>
            <th scope="col">{t('web.process.user')}</th>
            {has('owner') && <th scope="col">{t('web.process.owner')}</th>}
            <th scope="col">{t('web.column.memory')}</th>
            {has('sm') && <Head title={t('web.process.sm-help')}>{t('web.process.sm')}</Head>}
            {has('cpu') && <Head title={t('web.process.cpu-help')}>{t('web.process.cpu')}</Head>}
            {has('hostMemory') && <Head>{t('web.process.host-memory')}</Head>}
            {has('started') && <Head>{t('web.process.started')}</Head>}
          </tr>
        </thead>
        <tbody>
          {largestFirst.map((process) => (
            <ProcessRows
              key={`${process.pid} ${process.kind}`}
              process={process}
              total={total}
              extras={extras.join()}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Head({ title, children }: { title?: string; children: ReactNode }) {
  return (
    <th scope="col" className="number" title={title}>
      {children}
    </th>
  );
}

interface ProcessRowsProps {
  readonly process: ApiProcess;
  readonly total: number | null;
  /** The columns shown, as one text, so that it compares. */
  readonly extras: string;
}

/** A process, and below it on demand all else that is known of it. */
const ProcessRows = memo(function ProcessRows({ process, total, extras }: ProcessRowsProps) {
  const t = useText();
  const lang = useLang();
  const [open, setOpen] = useState(false);
  const { pid, user, name, kind, memoryBytes } = process;
  const shown = extras.split(',');
  const label = ownerLabel(process.owner);
  return (
    <>
      <tr>
        <td>
          <button
            type="button"
            className="expander"
            aria-expanded={open}
            aria-label={t('web.process.details', { pid })}
            title={t('web.process.details', { pid })}
            onClick={() => setOpen(!open)}
          >
            <ArrowGlyph direction={open ? 'down' : 'right'} />
          </button>
          {name ?? <span className="quiet">{t('web.process.unknown')}</span>}
          {kind !== 'compute' && <span className="quiet"> · {t(`web.process.kind.${kind}`)}</span>}
        </td>
        <td className="number">{pid}</td>
        <td>{user ?? <span className="quiet">{t('web.process.unknown')}</span>}</td>
        {shown.includes('owner') && (
          <td className="process-owner">
            {label !== null && (
              <>
                <span className="quiet">{t(`owner.${label.kind}`)}</span> {label.text}
              </>
            )}
          </td>
        )}
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
        {shown.includes('sm') && <FigureCell process={process} id="smRatio" />}
        {shown.includes('cpu') && <FigureCell process={process} id="cpuRatio" />}
        {shown.includes('hostMemory') && <FigureCell process={process} id="hostMemoryBytes" />}
        {shown.includes('started') && <Started at={process.startedAt} />}
      </tr>
      {open && (
        <tr className="process-more">
          <td colSpan={4 + shown.filter(Boolean).length}>
            <ProcessDetails process={process} />
          </td>
        </tr>
      )}
    </>
  );
});

function FigureCell({ process, id }: { process: ApiProcess; id: keyof ApiFigures }) {
  const lang = useLang();
  const value = process[id];
  if (value === null) return <td className="number quiet">–</td>;
  const text = id.endsWith('Ratio') ? `${Math.round(value * 100)}%` : quantityText(value, 'bytes', lang);
  return <td className="number">{text}</td>;
}

/** How long ago, as of when the row was last drawn: it is looked up, not watched. */
function Started({ at }: { at: number | null }) {
  const lang = useLang();
  const now = useSession().textNow();
  if (at === null) return <td className="number quiet">–</td>;
  return (
    <td className="number" title={dateTime(at)}>
      {now === null ? dateTime(at) : ago(at, now, lang)}
    </td>
  );
}
