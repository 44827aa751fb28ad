import type { FormatContext } from '../rows.ts';
import type { CsvPlan } from './plan.ts';

const MOST_TITLES = 12;
const LONGEST_TITLE = 40;

/** Tells the reader of a recording what was assumed to read records by this plan. */
export function remarkOn(plan: CsvPlan, inferredTitles: readonly string[] | null, context: FormatContext): void {
  const { report, zone } = context;
  if (plan.kind === 'other') return;
  if (inferredTitles !== null) {
    report.remark('notice.columns-inferred', { columns: list(inferredTitles.map((title) => title || '?')) });
  } else if (plan.ignored.length > 0) {
    report.remark('notice.columns-ignored', { columns: list(plan.ignored) });
  }
  if (plan.hasLocalTime) report.remark('notice.times-local', { zone: zone.zone });
  remarkOnIdentity(plan, context);
}

function remarkOnIdentity({ identity, isByPlace, section }: CsvPlan, { report }: FormatContext): void {
  const { uuid, busId, index, name, misleading } = identity;
  if (misleading !== null) {
    report.remark('notice.identity-ignored', { columns: list(misleading.titles), used: misleading.used });
  }
  if (uuid !== -1 || busId !== -1 || index !== -1) return;
  if (isByPlace) report.remark('notice.gpus-by-place', { count: section.rowsPerInstant });
  else report.remark(name === -1 ? 'notice.one-gpu-assumed' : 'notice.gpu-per-name');
}

function list(titles: readonly string[]): string {
  const shown = titles.slice(0, MOST_TITLES).map((title) => title.slice(0, LONGEST_TITLE));
  const more = titles.length - shown.length;
  return shown.join(', ') + (more > 0 ? `, … (+${more})` : '');
}
