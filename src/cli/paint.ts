/** Colours of a terminal, by their SGR code. */
const CODES = { red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36, gray: 90 } as const;

export type Color = keyof typeof CODES;

/** Puts text in colour; without colours it leaves it as it is. */
export function paint(isOn: boolean): (color: Color, text: string, isBold?: boolean) => string {
  if (!isOn) return (_color, text) => text;
  return (color, text, isBold = false) => `\u001b[${isBold ? '1;' : ''}${CODES[color]}m${text}\u001b[0m`;
}
