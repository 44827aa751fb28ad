import {
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  DatasourceVariableBuilder,
  type Panel,
  QueryVariableBuilder,
  RowBuilder,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard';
import type { Lang, Text } from '../../src/model/i18n/text.ts';
import { BOARD_TITLES, type BoardName, boardTag, boardUid } from './links.ts';
import type { Section } from './panels.ts';
import { DATA_SOURCE, renderPanel } from './render-panel.ts';

/** One board in every language. */
export interface BoardSpec {
  readonly name: BoardName;
  readonly description: Text;
  /** Whether it is about one GPU rather than about as many as are chosen. */
  readonly isSingle: boolean;
  readonly sections: readonly Section[];
}

const COLUMNS = 24;

/** The JSON that Grafana imports. Ids and places follow from the order, so that a change moves only what follows. */
export function renderBoard(board: BoardSpec, lang: Lang): Dashboard {
  const { name, description, sections } = board;
  const builder = new DashboardBuilder(BOARD_TITLES[name][lang])
    .uid(boardUid(name, lang))
    .description(description[lang])
    .tags([boardTag(lang)])
    .time({ from: 'now-1h', to: 'now' })
    .refresh('30s')
    .tooltip(DashboardCursorSync.Crosshair)
    .variables(variables(board, lang))
    .link(
      new DashboardLinkBuilder(ALL_BOARDS[lang])
        .type(DashboardLinkType.Dashboards)
        .tags([boardTag(lang)])
        .includeVars(true)
        .keepTime(true),
    );
  let [id, y] = [0, 0];
  for (const { title, panels } of sections) {
    id++;
    builder.withRow(new RowBuilder(title[lang]).id(id).gridPos({ x: 0, y, w: COLUMNS, h: 1 }));
    y++;
    let [x, height] = [0, 0];
    for (const spec of panels) {
      if (x + spec.width > COLUMNS) {
        y += height;
        [x, height] = [0, 0];
      }
      id++;
      const panel: Panel = renderPanel(spec, lang, id, { x, y, w: spec.width, h: spec.height });
      builder.withPanel({ build: () => panel });
      x += spec.width;
      height = Math.max(height, spec.height);
    }
    y += height;
  }
  return builder.build();
}

const ALL_BOARDS: Text = { en: 'GPU boards', zh: 'GPU 仪表盘' };
const WORDS = {
  datasource: { en: 'Data source', zh: '数据源' },
  host: { en: 'Host', zh: '主机' },
  gpu: { en: 'GPU', zh: 'GPU' },
} as const satisfies Readonly<Record<string, Text>>;

function variables({ name, isSingle }: BoardSpec, lang: Lang) {
  const isOneHost = isSingle || name === 'node';
  return [
    new DatasourceVariableBuilder('datasource').label(WORDS.datasource[lang]).type('prometheus'),
    list('host', 'label_values(gpulse_source_info, host)', lang, !isOneHost),
    list('gpu', 'label_values(gpulse_device_info{host=~"$host"}, gpu)', lang, !isSingle),
  ];
}

/** A variable whose values are those of a label. "All" stands for every value, those that are still to come included. */
function list(name: 'host' | 'gpu', query: string, lang: Lang, isMany: boolean): QueryVariableBuilder {
  const builder = new QueryVariableBuilder(name)
    .label(WORDS[name][lang])
    .datasource(DATA_SOURCE)
    .query(query)
    .definition(query)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.NaturalAsc)
    .multi(isMany)
    .includeAll(isMany);
  if (!isMany) return builder;
  return builder.allValue('.*').current({ text: ALL[lang], value: '$__all' });
}

const ALL: Text = { en: 'All', zh: '全部' };
