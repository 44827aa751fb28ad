import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type SseMessage, SseParser } from './sse-parser.ts';

function parse(text: string): SseMessage[] {
  return new SseParser().push(text);
}

test('fields, several data lines, comments and ids', () => {
  const check = (text: string, want: SseMessage[]) => expect(parse(text)).toEqual(want);
  check('event: tick\nid: 7\ndata: {"a":1}\n\n', [{ event: 'tick', id: '7', data: '{"a":1}' }]);
  check('data:no space\n\n', [{ event: 'message', id: '', data: 'no space' }]);
  check('data:  two spaces\n\n', [{ event: 'message', id: '', data: ' two spaces' }]);
  check('data: a\ndata: b\n\n', [{ event: 'message', id: '', data: 'a\nb' }]);
  check('data\n\n', [{ event: 'message', id: '', data: '' }]);
  check(': heartbeat\n\n', []);
  check('event: tick\n\n', []);
  check('data: cut off', []);
  check('data: cut off\n', []);
  check('id: 1\ndata: a\n\ndata: b\n\n', [
    { event: 'message', id: '1', data: 'a' },
    { event: 'message', id: '1', data: 'b' },
  ]);
  check('event: x\n\ndata: the name is forgotten\n\n', [{ event: 'message', id: '', data: 'the name is forgotten' }]);
  check('retry: 5\nunknown: x\ndata: a\n\n', [{ event: 'message', id: '', data: 'a' }]);
});

test('the messages do not depend on where the stream is cut, nor on the kind of line end', () => {
  const line = fc.string({ unit: fc.constantFrom('a', ':', ' ', '显', '{', '"'), maxLength: 6 });
  const message = fc.record({ event: line, data: fc.array(line, { minLength: 1, maxLength: 3 }), id: line });
  fc.assert(
    fc.property(
      fc.array(message, { maxLength: 4 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.array(fc.nat(), { maxLength: 8 }),
      (messages, end, cuts) => {
        const text = messages
          .map(({ event, data, id }) =>
            [`event: ${event}`, `id: ${id}`, ...data.map((each) => `data: ${each}`), '', ''].join(end),
          )
          .join('');
        const parser = new SseParser();
        const at = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length];
        const got = at.slice(1).flatMap((stop, i) => parser.push(text.slice(at[i], stop)));
        // A CR at the very end may be half a line end: the message is complete once more arrives.
        expect([...got, ...parser.push('\n')].slice(0, messages.length)).toEqual(
          messages.map(({ event, data, id }) => ({ event: event || 'message', data: data.join('\n'), id })),
        );
      },
    ),
  );
});
