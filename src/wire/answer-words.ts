/** What is shown of an answer: enough for a reason. */
const MOST_CHARACTERS = 200;

/**
 * What another server answered, as a reason for people: one line, cut, and without control characters, which would steer a
 * terminal.
 */
export function answerWords(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find.
  const line = text.replace(/[\s\0-\x1f\x7f-\x9f]+/g, ' ').trim();
  return line.slice(0, MOST_CHARACTERS);
}
