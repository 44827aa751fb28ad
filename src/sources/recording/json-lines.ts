const MEMBER = /^\s*(?:[[{\]}],?|"[^"]*"\s*:|[[{]\s*["[{])/;

/** How many of the lines may be of JSON that has all of these keys; 0 where one is missing. */
export function jsonLines(head: readonly string[], keys: readonly RegExp[]): number {
  if (!keys.every((key) => head.some((line) => key.test(line)))) return 0;
  return head.filter((line) => MEMBER.test(line)).length;
}

/** Where the time of a document that has none may stand: in front of it. */
export function documentStart(line: string): 'start' | null {
  return /^[[{]/.test(line) ? 'start' : null;
}
