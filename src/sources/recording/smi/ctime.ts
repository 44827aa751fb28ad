const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const CTIME =
  /(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {1,2}(\d{1,2}) (\d{2}):(\d{2}):(\d{2}) (\d{4})\s*$/;

/**
 * Reads `Wed Aug 12 21:54:00 2026` at the end of a text, as nvidia-smi writes dates in every locale. Gives the local time
 * in milliseconds as if it were UTC, or NaN.
 */
export function readCtime(text: string): number {
  const found = CTIME.exec(text);
  if (found === null) return Number.NaN;
  const [, month = '', day, hour, minute, second, year] = found;
  const at = Date.UTC(Number(year), MONTHS.indexOf(month), Number(day), Number(hour), Number(minute), Number(second));
  // A day that does not exist would become one of the next month.
  const isReal = new Date(at).getUTCDate() === Number(day) && Number(hour) < 24 && Number(minute) < 60;
  return isReal && Number(year) >= 1990 ? at : Number.NaN;
}
