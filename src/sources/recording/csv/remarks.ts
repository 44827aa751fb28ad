import type { FormatContext } from '../rows.ts';
import type { CsvPlan } from './plan.ts';

const MOST_TITLES = 12;
const MOST_INFERRED_TITLES = 40;
const LONGEST_TITLE = 40;

/** Tells the reader of a recording what was assumed to read records by this plan. */
export function remarkOn(plan: CsvPlan, inferredTitles: readonly string[] | null, context: FormatContext): void {
  const { report, zone } = context;
  if (plan.kind === 'other') return;
  if (inferredTitles !== null) {
    remarkOnInference(inferredTitles, context);
  } else if (plan.ignored.length > 0) {
    report.remark('notice.columns-ignored', { columns: list(plan.ignored) });
  }
  if (plan.hasLocalTime) report.remark('notice.times-local', { zone: zone.zone });
  remarkOnIdentity(plan, context);
}

/** All columns are named: what was worked out has to be checked by a person. */
function remarkOnInference(titles: readonly string[], { report }: FormatContext): void {
  const columns = list(
    titles.map((title) => title || '?'),
    MOST_INFERRED_TITLES,
  );
  const positions = titles.flatMap((title, position) => (title === '' ? [String(position + 1)] : []));
  if (positions.length === 0) report.remark('notice.columns-inferred', { columns });
  else {
    report.remark('notice.columns-inferred-partly', { columns, positions: list(positions, MOST_INFERRED_TITLES) });
  }
}

function remarkOnIdentity({ identity, section }: CsvPlan, { report }: FormatContext): void {
  const { uuid, busId, index, name, misleading } = identity;
  if (misleading !== null) {
    report.remark('notice.identity-ignored', { columns: list(misleading.titles), used: misleading.used });
  }
  if (uuid !== -1 || busId !== -1 || index !== -1) return;
  if (section.places !== null) report.remark('notice.gpus-by-place', { count: section.places.count });
  else report.remark(name === -1 ? 'notice.one-gpu-assumed' : 'notice.gpu-per-name');
}

function list(titles: readonly string[], most = MOST_TITLES): string {
  const shown = titles.slice(0, most).map((title) => title.slice(0, LONGEST_TITLE));
  const more = titles.length - shown.length;
  return shown.join(', ') + (more > 0 ? `, … (+${more})` : '');
}
