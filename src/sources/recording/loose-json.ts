/** The value of a JSON text, or undefined where it is not valid. Members without commas between them are accepted. */
export function parseLoosely(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    try {
      return JSON.parse(text.replaceAll(/("|\d|null|true|false|\}|\])(\s*\n\s*")/g, '$1,$2'));
    } catch {
      return undefined;
    }
  }
}

/** True for an object with keys. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
