import type { Lang, Text } from '../../src/model/i18n/text.ts';

/** Short names of the boards, in the order of their links. */
export const BOARD_TITLES = {
  fleet: { en: 'GPUs: fleet', zh: 'GPU：集群总览' },
  node: { en: 'GPUs: one node', zh: 'GPU：单节点' },
  gpu: { en: 'GPUs: one GPU', zh: 'GPU：单卡' },
  owners: { en: 'GPUs: jobs and owners', zh: 'GPU：作业与归属' },
  health: { en: 'GPUs: health', zh: 'GPU：健康状况' },
} as const satisfies Readonly<Record<string, Text>>;

export type BoardName = keyof typeof BOARD_TITLES;

/** Stays the same for ever: links and bookmarks are made of it. */
export function boardUid(board: BoardName, lang: Lang): string {
  return lang === 'en' ? `gpulse-${board}` : `gpulse-${board}-${lang}`;
}

/** Boards of one language link to each other by this. */
export function boardTag(lang: Lang): string {
  return lang === 'en' ? 'gpulse' : `gpulse-${lang}`;
}

/** Where a label comes from: the row of a table, or the series of a line. */
type Place = 'row' | 'series';

/** Address of another board for the host, and the GPU where it is about one, that was clicked on. */
export function boardLink(
  board: BoardName,
  lang: Lang,
  place: Place,
): { readonly title: string; readonly url: string } {
  const label = (name: string): string =>
    place === 'row' ? `\${__data.fields.${name}}` : `\${__field.labels.${name}}`;
  const gpu = board === 'gpu' ? [`var-gpu=${label('gpu')}`] : [];
  const query = [`\${datasource:queryparam}`, `var-host=${label('host')}`, ...gpu, `\${__url_time_range}`];
  return { title: BOARD_TITLES[board][lang], url: `/d/${boardUid(board, lang)}?${query.join('&')}` };
}
