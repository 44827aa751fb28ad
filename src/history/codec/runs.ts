import type { ByteReader, ByteWriter } from './bytes.ts';

/** Codes of one byte that mostly stay the same, as pairs of a code and how often it follows. */

export function writeRuns(writer: ByteWriter, codes: Uint8Array, count: number): void {
  for (let at = 0; at < count; ) {
    const start = at;
    const code = codes[at];
    while (at < count && codes[at] === code) at++;
    writer.byte(code!);
    writer.varint(at - start);
  }
}

/** Fills `out`; throws a RangeError where the runs are more or fewer than it has room for. */
export function readRuns(reader: ByteReader, out: Uint8Array): void {
  let at = 0;
  while (at < out.length) {
    const code = reader.byte();
    const count = reader.varint();
    if (count === 0 || at + count > out.length) throw new RangeError('runs of codes that do not fit');
    out.fill(code, at, at + count);
    at += count;
  }
}
