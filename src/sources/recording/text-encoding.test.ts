import { expect, test } from 'vitest';
import { Utf16Converter } from './text-encoding.ts';

function convert(bytes: Uint8Array, chunkLength: number): Uint8Array {
  const out: number[] = [];
  const converter = new Utf16Converter((chunk) => out.push(...chunk));
  for (let at = 0; at < bytes.length; at += chunkLength) converter.push(bytes.slice(at, at + chunkLength));
  converter.end();
  return Uint8Array.from(out);
}

const text = 'name, utilization.gpu [%]\r\n显卡 α, 5 %\r\n';
const littleEndian = Buffer.from(`\ufeff${text}`, 'utf16le');

test('UTF-16 of either byte order becomes UTF-8, in chunks of any length', () => {
  const bigEndian = Buffer.from(littleEndian).swap16();
  for (const encoded of [littleEndian, bigEndian]) {
    for (const length of [1, 2, 3, 7, 1000]) {
      expect(new TextDecoder().decode(convert(encoded, length))).toBe(text);
    }
  }
});

test('everything else passes through, valid UTF-8 or not', () => {
  const check = (...bytes: number[]) => expect([...convert(Uint8Array.from(bytes), 1)]).toEqual(bytes);
  check();
  check(0xff);
  check(0x61, 0xff, 0xfe, 0x80);
  check(0xef, 0xbb, 0xbf, 0x61);
});
