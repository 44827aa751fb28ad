import { constants, createGunzip, createZstdDecompress } from 'node:zlib';
import { ZstdFrames } from './zstd-frames.ts';

/** Bytes of a file as they come; null at its end. */
export type NextBytes = () => Promise<Uint8Array | null>;

/** Output that waits for its reader; more is not decompressed meanwhile. */
const MOST_WAITING = 4;

/** True for the first bytes of what gzip or zstd wrote. */
export function compressionIn(head: Uint8Array): 'gzip' | 'zstd' | null {
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip';
  return head[0] === 0x28 && head[1] === 0xb5 && head[2] === 0x2f && head[3] === 0xfd ? 'zstd' : null;
}

/**
 * Decompresses what `next` gives. A file that ends early, as that of a recorder that was killed, is read as far as it
 * goes; so is one that is damaged further on.
 */
export function decompressed(next: NextBytes, kind: 'gzip' | 'zstd'): NextBytes {
  const stream =
    kind === 'gzip'
      ? createGunzip({ finishFlush: constants.Z_SYNC_FLUSH })
      : createZstdDecompress({ finishFlush: constants.ZSTD_e_continue });
  const frames = kind === 'zstd' ? new ZstdFrames() : null;
  const waiting: Uint8Array[] = [];
  const output: Uint8Array[] = [];
  let isEnded = false;
  let isInputEnded = false;
  /** What was written last has been decompressed: only then comes more, so that no more than that is held. */
  let isTaken = true;
  let wake = (): void => {};
  stream.on('data', (chunk: Uint8Array) => {
    output.push(chunk);
    if (output.length >= MOST_WAITING) stream.pause();
    wake();
  });
  const end = (): void => {
    isEnded = true;
    wake();
  };
  stream.on('end', end);
  stream.on('error', end);
  stream.on('close', end);

  const feed = async (): Promise<void> => {
    if (waiting.length === 0) {
      const bytes = await next();
      if (isEnded) return;
      if (bytes === null) {
        isInputEnded = true;
        stream.end();
        return;
      }
      // What is given is only lent.
      const own = Uint8Array.from(bytes);
      waiting.push(...(frames === null ? [own] : frames.split(own)));
    }
    isTaken = false;
    stream.write(waiting.shift(), () => {
      isTaken = true;
      wake();
    });
  };
  return async () => {
    while (output.length === 0 && !isEnded) {
      stream.resume();
      if (isTaken && !isInputEnded) await feed();
      const mustWait = output.length === 0 && !isEnded && (isInputEnded || !isTaken);
      if (mustWait) await new Promise<void>((resolve) => (wake = resolve));
    }
    return output.shift() ?? null;
  };
}
