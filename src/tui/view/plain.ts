import type { Line } from '../text/span.ts';

/** What stands for characters of the messages on a terminal that has only those of ASCII. */
const PLAIN: Readonly<Record<string, string>> = {
  ...{ '–': '-', '—': '-', '…': '.', '·': '.', '×': 'x', '°': ' ', '↑': '^', '↓': 'v', '←': '<', '→': '>', '−': '-' },
};
const OTHER = /[–—…·×°↑↓←→−]/g;

/** The lines without these characters; words of other scripts stay, as whoever reads them has a terminal for them. */
export function plainLines(lines: readonly Line[]): readonly Line[] {
  return lines.map((line) =>
    line.map((each) => {
      const text = each.text.replace(OTHER, (char) => PLAIN[char] ?? char);
      return text === each.text ? each : { ...each, text };
    }),
  );
}
