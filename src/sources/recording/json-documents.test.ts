import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonDocuments, MAX_JSON_BYTES } from './json-documents.ts';
import { parseLoosely } from './loose-json.ts';

/** What is found in a text, cut into lines, or fed as parts of one line. */
function find(text: string, path: readonly string[] = [], part = 0) {
  const found: string[] = [];
  const documents = new JsonDocuments(
    {
      element: (element) => found.push(`element ${element.replaceAll(/\s/g, '')}`),
      document: (rest) => found.push(`document ${rest.replaceAll(/\s/g, '')}`),
      outside: (line) => found.push(`outside ${line}`),
      broken: (_, reason) => found.push(reason),
    },
    path,
  );
  const bytes = new TextEncoder().encode(text);
  if (part > 0) {
    documents.start(bytes, 0, Math.min(part, bytes.length), 1);
    for (let at = part; at < bytes.length; at += part) documents.part(bytes, at, Math.min(at + part, bytes.length), 1);
  } else {
    let number = 1;
    for (const line of text.split('\n')) {
      const lineBytes = new TextEncoder().encode(line);
      documents.line(lineBytes, 0, lineBytes.length, number++);
    }
  }
  documents.end(99);
  return found;
}

test('documents that follow each other, with lines between them', () => {
  expect(find('{"a": 1}\nhello\n{\n "b": "}]{["\n}')).toEqual([
    'document {"a":1}',
    'outside hello',
    'document {"b":"}]{["}',
  ]);
  expect(find('{"a":"\\"}"}')).toEqual(['document {"a":"\\"}"}']);
});

test('elements of the array at the top, and of the one the keys lead to', () => {
  expect(find('[\n {"a": 1},\n {"b": [2]}\n]')).toEqual(['element {"a":1}', 'element {"b":[2]}', 'document [,]']);
  const answer = '{"status":"success","data":{"resultType":"matrix","result":[{"a":[1]},{"b":2}]}}';
  const want = [
    'element {"a":[1]}',
    'element {"b":2}',
    'document {"status":"success","data":{"resultType":"matrix","result":[,]}}',
  ];
  expect(find(answer, ['data', 'result'])).toEqual(want);
  for (const part of [1, 2, 3, 7, 30]) expect(find(answer, ['data', 'result'], part), `${part}`).toEqual(want);
  expect(find('{"other":{"result":[{"a":1}]}}', ['data', 'result'])).toEqual([
    'document {"other":{"result":[{"a":1}]}}',
  ]);
});

test('a document that is cut off does not swallow the next one', () => {
  expect(find('{\n  "a": [\n    1,\n{\n  "b": 2\n}')).toEqual(['truncated', 'document {"b":2}']);
  expect(find('{"a": "half of a str\n{"b": 2}')).toEqual(['truncated', 'document {"b":2}']);
  expect(find('{"a": 1, \n{"b": 2}')).toEqual(['truncated', 'document {"b":2}']);
  expect(find('[\n {"a": 1},\n')).toEqual(['element {"a":1}', 'unclosed']);
  expect(find('[\n {"a": 1')).toEqual(['truncated']);
  expect(find('{"a": [1}\n{"b": 2}')).toEqual(['truncated', 'document {"b":2}']);
});

test('brackets of other logs are no documents', () => {
  expect(find('[0] GeForce\n[ 12.3] NVRM\n[gpu] x')).toEqual([
    'outside [0] GeForce',
    'outside [ 12.3] NVRM',
    'outside [gpu] x',
  ]);
});

test('what is too large is left out, and what follows is read', () => {
  const large = `{"a":"${'x'.repeat(MAX_JSON_BYTES + 10)}"}`;
  expect(find(`[${large},{"b":1}]`, [], 65_536)).toEqual(['too-long', 'element {"b":1}', 'document [,]']);
  expect(find(large, [], 65_536)).toEqual(['too-long']);
});

test('members without commas are read, other faults are not', () => {
  expect(parseLoosely('{\n "a": "1"\n "b": null\n "c": 2\n}')).toEqual({ a: '1', b: null, c: 2 });
  expect(parseLoosely('{"a": }')).toBeUndefined();
});

test('any JSON comes out as it went in, and any text is survived', () => {
  fc.assert(
    fc.property(fc.array(fc.json(), { minLength: 1, maxLength: 5 }), (texts) => {
      const objects = texts.map((text) => JSON.stringify({ v: JSON.parse(text) }));
      expect(find(objects.join('\n'))).toEqual(objects.map((text) => `document ${text.replaceAll(/\s/g, '')}`));
    }),
  );
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', '\n', 'a', '1', ' ') }),
      (text) => void find(text),
    ),
  );
});
