import { expect, test } from 'vitest';
import { DEVICE_METRICS, MACHINE_METRICS } from '../../src/model/catalogue.ts';
import { LANGUAGES } from '../../src/model/i18n/text.ts';
import { GRAFANA_FILES } from './grafana-files.ts';
import { type Board, boardOf, panelsOf } from './test-board.ts';

const BOARDS: readonly (readonly [path: string, board: Board])[] = Object.entries(GRAFANA_FILES).map(([path, text]) => [
  path,
  boardOf(text()),
]);

/** Panel types that Grafana has dropped or will: they need a plug-in that is no longer loaded. */
const DEPRECATED = ['graph', 'singlestat', 'table-old', 'grafana-piechart-panel', 'grafana-worldmap-panel'];

test.each(BOARDS)('%s: panels have ids of their own, and places that do not overlap', (_path, board) => {
  const ids = board.panels.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)]);
  const taken = new Set<string>();
  for (const { gridPos, title } of board.panels) {
    expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        expect([title, taken.has(`${x} ${y}`)]).toEqual([title, false]);
        taken.add(`${x} ${y}`);
      }
    }
  }
});

test.each(BOARDS)(
  '%s: every panel says what it is, has a unit, and is of a type that Grafana keeps',
  (_path, board) => {
    for (const panel of panelsOf(board)) {
      expect(DEPRECATED).not.toContain(panel.type);
      expect(panel.title).not.toBe('');
      expect([panel.title, (panel.description ?? '').length > 5]).toEqual([panel.title, true]);
      expect(panel.fieldConfig?.defaults.unit).toBeTruthy();
      expect(panel.datasource?.uid).toBe(`\${datasource}`);
    }
  },
);

test.each(BOARDS)('%s: every variable that is used is there', (_path, board) => {
  const known = board.templating.list.map(({ name }) => name);
  expect(known).toEqual(['datasource', 'host', 'gpu']);
  const text = JSON.stringify(board.panels.map(({ targets, datasource }) => [targets, datasource]));
  for (const [, plain, braced] of text.matchAll(/\$(?:([a-z_]\w*)|\{(\w+))/gi)) {
    const name = plain ?? braced ?? '';
    if (!name.startsWith('__')) expect(known).toContain(name);
    else expect(['__rate_interval', '__range']).toContain(name);
  }
});

test.each(BOARDS)('%s: lines of devices are named by host and GPU', (_path, board) => {
  for (const { title, type, targets } of panelsOf(board)) {
    if (type === 'stat' || type === 'table') continue;
    for (const { legendFormat, expr } of targets) {
      if (!/gpulse_device_info/.test(expr) || /by \((?:host|user)\)/.test(expr)) continue;
      expect([title, legendFormat]).toEqual([title, expect.stringContaining('{{host}} {{device}}')]);
    }
  }
});

test.each(BOARDS)('%s: links lead to boards of the same language', (path, board) => {
  const lang = path.endsWith('.zh.json') ? 'zh' : 'en';
  const uids = BOARDS.filter(([other]) => other.endsWith('.zh.json') === (lang === 'zh')).map(([, { uid }]) => uid);
  const links = panelsOf(board).flatMap(({ fieldConfig }) => fieldConfig?.defaults.links ?? []);
  for (const { url } of links) expect(uids).toContain(/^\/d\/([\w-]+)\?/.exec(url)?.[1]);
  if (!/gpu\.(?:zh\.)?json$/.test(path)) expect(links.length).toBeGreaterThan(0);
  expect(board.tags).toEqual(board.links[0]?.tags);
});

test('every series is one that gpulse exports', () => {
  const exported = new Set([...DEVICE_METRICS, ...MACHINE_METRICS].map(({ id }) => `gpulse_${id}`));
  const other =
    /^gpulse_(?:device|owner|source|clock_event_active|sink|xid|nvlink_link|metric_absent|processes|interval|data_age|tick|missed_ticks|reading_errors)/;
  for (const [, board] of BOARDS) {
    for (const { expr } of panelsOf(board).flatMap(({ targets }) => targets)) {
      for (const [name] of expr.matchAll(/gpulse_\w+/g)) {
        if (!other.test(name)) expect(exported).toContain(name);
      }
    }
  }
});

test('languages differ in words only', () => {
  const [english, chinese] = LANGUAGES.map((lang) =>
    BOARDS.filter(([path]) => path.endsWith('.zh.json') === (lang === 'zh')).map(([, board]) =>
      panelsOf(board).map(({ id, type, gridPos, targets }) => [id, type, gridPos, targets.map(({ expr }) => expr)]),
    ),
  );
  expect(english).toEqual(chinese);
  const titles = BOARDS.filter(([path]) => path.endsWith('.zh.json')).flatMap(([, board]) =>
    panelsOf(board).map(({ description }) => description ?? ''),
  );
  expect(titles.filter((title) => !/[\u4e00-\u9fff]/.test(title))).toEqual([]);
});
