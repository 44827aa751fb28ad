import { expect, test } from 'vitest';
import { answerWords } from './answer-words.ts';

test('an answer of another server is one line that steers no terminal', () => {
  expect(answerWords('  out of\r\n\tbounds \u001b[31mred\u0007\u009b0m ')).toBe('out of bounds [31mred 0m');
  expect(answerWords(`${' '.repeat(500)}${'x'.repeat(500)}`)).toBe('x'.repeat(200));
  expect(answerWords('样本过旧')).toBe('样本过旧');
  expect(answerWords('\0\n')).toBe('');
});
