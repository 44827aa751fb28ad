import type { ApiGpu } from '../../../src/model/api.ts';
import type { ApiLink } from '../../../src/model/api-device.ts';
import { quantityText } from '../../../src/model/format.ts';
import { Bar } from '../shell/bar.tsx';
import { Link } from '../shell/link.tsx';
import { Missing } from '../shell/missing.tsx';
import { useLang, useSession, useText } from '../state/app-context.ts';
import { useStore } from '../state/store.ts';

/** The speed of each fan; nothing where there is none, or none is known. */
export function Fans({ fans }: { fans: ApiGpu['details']['fans'] }) {
  const t = useText();
  const lang = useLang();
  if (fans === null || fans.length === 0) return null;
  return (
    <section>
      <h2>{t('web.fans')}</h2>
      <dl className="facts">
        {fans.map(({ ratio, absent }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a fan is known by its number alone
          <div key={i}>
            <dt>{t('web.fan', { n: i + 1 })}</dt>
            <dd>
              {ratio === null ? (
                <Missing reason={absent ?? 'error'} />
              ) : (
                <div className="stacked">
                  {quantityText(ratio, 'ratio', lang)}
                  <Bar share={ratio} />
                </div>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** The NVLink ports of a GPU: where they lead, and what went wrong on them. */
export function NvLinks({ links }: { links: readonly ApiLink[] | null }) {
  const t = useText();
  if (links === null || links.length === 0) return null;
  const up = links.filter(({ isActive }) => isActive).length;
  return (
    <section>
      <h2>
        {t('web.links')} <span className="quiet">{t('web.links.up-of', { up, all: links.length })}</span>
      </h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard */}
      <section className="wide-table" tabIndex={0} aria-label={t('web.links')}>
        <table className="list">
          <thead>
            <tr>
              <th scope="col">{t('web.links.port')}</th>
              <th scope="col">{t('web.column.state')}</th>
              <th scope="col">{t('web.links.peer')}</th>
              <th scope="col">{t('web.links.crc')}</th>
              <th scope="col">{t('web.links.replays')}</th>
              <th scope="col">{t('web.links.recoveries')}</th>
            </tr>
          </thead>
          <tbody>
            {links.map((link) => (
              <LinkRow key={link.link} link={link} />
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}

function LinkRow({ link }: { link: ApiLink }) {
  const t = useText();
  return (
    <tr>
      <th scope="row">{link.link}</th>
      <td className={link.isActive ? undefined : 'quiet'}>{t(link.isActive ? 'web.links.up' : 'web.links.down')}</td>
      <td>
        <Peer busId={link.peerBusId} />
      </td>
      <ErrorCount link={link} id="crcErrors" />
      <ErrorCount link={link} id="replayErrors" />
      <ErrorCount link={link} id="recoveryErrors" />
    </tr>
  );
}

/** The GPU at the other end, or the bus id of what is no GPU of this machine, such as a switch. */
function Peer({ busId }: { busId: string | null }) {
  const fleet = useStore(useSession().fleet);
  if (busId === null) return <span className="quiet">–</span>;
  const gpu = fleet?.state.gpus.find(({ pciBusId, mig }) => pciBusId === busId && mig === null);
  if (gpu === undefined) return <code>{busId}</code>;
  return (
    <Link to={{ route: { view: 'gpu', uuid: gpu.uuid } }} title={busId}>
      GPU {gpu.index}
    </Link>
  );
}

function ErrorCount({ link, id }: { link: ApiLink; id: 'crcErrors' | 'replayErrors' | 'recoveryErrors' }) {
  const count = link[id];
  if (count === null) {
    return (
      <td>
        <Missing reason={link.absent[id] ?? 'error'} />
      </td>
    );
  }
  return <td className={count > 0 ? 'warning' : undefined}>{count}</td>;
}
