import { constants, createGzip, createZstdCompress } from 'node:zlib';

type Compression = 'none' | 'gzip' | 'zstd';

/** The compression that the end of a file name stands for. */
export function compressionOf(path: string): Compression {
  if (/\.gz$/i.test(path)) return 'gzip';
  return /\.zst$/i.test(path) ? 'zstd' : 'none';
}

/** Compresses text piece by piece. What has been given out can be read whatever becomes of the rest. */
export interface Compressor {
  add(text: string): Promise<Buffer>;
  /** The bytes that end the file. */
  end(): Promise<Buffer>;
}

export function createCompressor(compression: Compression): Compressor {
  if (compression === 'none') return { add: async (text) => Buffer.from(text), end: async () => Buffer.alloc(0) };
  const isGzip = compression === 'gzip';
  const stream = isGzip ? createGzip() : createZstdCompress();
  const flush = isGzip ? constants.Z_SYNC_FLUSH : constants.ZSTD_e_flush;
  let chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const take = (): Buffer => {
    const bytes = Buffer.concat(chunks);
    chunks = [];
    return bytes;
  };
  return {
    async add(text) {
      stream.write(text);
      await new Promise<void>((resolve) => stream.flush(flush, () => resolve()));
      return take();
    },
    async end() {
      const ended = new Promise<void>((resolve) => stream.once('end', () => resolve()));
      stream.end();
      await ended;
      return take();
    },
  };
}
