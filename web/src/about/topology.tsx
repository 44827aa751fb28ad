import { useEffect, useMemo, useState } from 'react';
import type { ApiGpu } from '../../../src/model/api.ts';
import type { ApiTopology } from '../../../src/model/api-device.ts';
import type { PageMessageKey } from '../../../src/model/i18n/page-messages.ts';
import { useSession, useText } from '../state/app-context.ts';
import { useStore } from '../state/store.ts';

type TopologyLink = NonNullable<ApiTopology['links']>[number];

/** Where pairs of GPUs are found out about bit by bit, there is more to see after a while. */
const AGAIN_MS = 10_000;

const LEVELS = ['NV', 'XGMI', 'PSB', 'PIX', 'PXB', 'PHB', 'NODE', 'SYS'] as const;

type Level = (typeof LEVELS)[number];

/** How the GPUs reach each other, as a matrix; nothing where there is one GPU only, or nobody can tell. */
export function Topology() {
  const fleet = useStore(useSession().fleet);
  const cards = (fleet?.rows ?? []).map(({ gpu }) => gpu).filter(({ mig }) => mig === null);
  const links = useTopology(cards.map(({ uuid }) => uuid).join());
  if (cards.length < 2 || links === null || links.length === 0) return null;
  return <Matrix cards={cards} links={links} />;
}

/** The links, asked for again when other GPUs are listed; null until they are known. */
function useTopology(uuids: string): readonly TopologyLink[] | null {
  const { api } = useSession();
  const [links, setLinks] = useState<readonly TopologyLink[] | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    const ask = () =>
      api.topology(abort.signal).then(
        (answer) => setLinks(answer.links),
        () => {},
      );
    if (uuids !== '') void ask();
    const timer = setInterval(() => {
      if (!document.hidden && uuids !== '') void ask();
    }, AGAIN_MS);
    return () => {
      clearInterval(timer);
      abort.abort();
    };
  }, [api, uuids]);
  return links;
}

function Matrix({ cards, links }: { cards: readonly ApiGpu[]; links: readonly TopologyLink[] }) {
  const t = useText();
  const byPair = useMemo(() => {
    const pairs = new Map<string, TopologyLink>();
    for (const link of links) pairs.set(`${link.from} ${link.to}`, link).set(`${link.to} ${link.from}`, link);
    return pairs;
  }, [links]);
  return (
    <section className="topology">
      <h2>{t('web.topology')}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard */}
      <section className="wide-table" tabIndex={0} aria-label={t('web.topology')}>
        <table className="matrix">
          <thead>
            <tr>
              <td />
              {cards.map(({ uuid, index }) => (
                <th key={uuid} scope="col">
                  GPU {index}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {cards.map((row) => (
              <tr key={row.uuid}>
                <th scope="row">GPU {row.index}</th>
                {cards.map((column) => (
                  <Cell key={column.uuid} own={row === column} link={byPair.get(`${row.uuid} ${column.uuid}`)} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <Legend links={links} />
    </section>
  );
}

function Cell({ own, link }: { own: boolean; link: TopologyLink | undefined }) {
  const t = useText();
  if (own) return <td className="matrix-own" aria-hidden="true" />;
  if (link === undefined) {
    return (
      <td className="quiet" title={t('web.topology.unknown')}>
        –
      </td>
    );
  }
  const words = [levelWords(link.level, t), link.canPeerRead === false ? t('web.topology.peer-no') : null];
  return (
    <td className={`matrix-${kindOf(link.level) ?? 'other'}`} title={words.filter(Boolean).join('\n')}>
      {link.level}
      {link.canPeerRead === false && <sup>*</sup>}
    </td>
  );
}

/** What the levels in the matrix mean; only those that occur. */
function Legend({ links }: { links: readonly TopologyLink[] }) {
  const t = useText();
  const kinds = LEVELS.filter((kind) => links.some(({ level }) => kindOf(level) === kind));
  return (
    <dl className="legend quiet">
      {kinds.map((kind) => (
        <div key={kind}>
          <dt className={`matrix-${kind}`}>{kind === 'NV' ? 'NV#' : kind}</dt>
          <dd>{t(`web.topology.${kind}`)}</dd>
        </div>
      ))}
      {links.some(({ canPeerRead }) => canPeerRead === false) && (
        <div>
          <dt>*</dt>
          <dd>{t('web.topology.peer-no')}</dd>
        </div>
      )}
    </dl>
  );
}

function kindOf(level: string): Level | undefined {
  return LEVELS.find((kind) => (kind === 'NV' ? /^NV\d+$/.test(level) : level === kind));
}

function levelWords(level: string, t: (key: PageMessageKey & `web.topology.${Level}`) => string): string {
  const kind = kindOf(level);
  return kind === undefined ? level : `${level}: ${t(`web.topology.${kind}`)}`;
}
