/** Escape sequences of terminals: colours, cursor movements and character sets. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const ESCAPES = /\u001b(?:\[[0-9;:?]*[ -/]*[@-~]|[()][A-Z0-9]|[=>])|[\u0000-\u0008\u000b-\u001f\u007f]/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/;

/** A line as text, without colours and control characters; tabs are kept. */
export function plainLine(bytes: Uint8Array, start: number, end: number): string {
  return withoutEscapes(Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString());
}

export function withoutEscapes(text: string): string {
  return CONTROL.test(text) ? text.replaceAll(ESCAPES, '') : text;
}
