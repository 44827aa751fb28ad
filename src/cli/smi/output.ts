import { createWriteStream } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { AppError, detailOf } from '../../model/errors.ts';
import { errnoText } from '../../model/i18n/errno-words.ts';
import type { Context } from '../context.ts';

/** Where lines go. */
export interface Output {
  write(lines: readonly string[]): void;
  /** Resolves once the reader has taken what was written. */
  drained(): Promise<void>;
  close(): Promise<void>;
}

/** Standard output, or a file that is written anew. Throws FILE_UNWRITABLE where it cannot be. */
export async function openOutput(path: string | null, { print }: Context): Promise<Output> {
  if (path === null) {
    return {
      write: (lines) => {
        if (lines.length > 0) print(lines.join('\n'));
      },
      drained: () => drainedOf(process.stdout),
      close: async () => {},
    };
  }
  const file = createWriteStream(path);
  let failure: NodeJS.ErrnoException | null = null;
  const opened = Promise.withResolvers<void>();
  file.once('open', () => opened.resolve());
  file.on('error', (error) => {
    failure = error;
    opened.resolve();
  });
  const check = (): void => {
    if (failure !== null) throw unwritable(path, failure);
  };
  await opened.promise;
  check();
  return {
    write: (lines) => {
      for (const line of lines) file.write(`${line}\n`);
    },
    drained: async () => {
      check();
      await drainedOf(file);
    },
    close: async () => {
      await new Promise<void>((resolve) => file.end(resolve));
      check();
    },
  };
}

function unwritable(path: string, failure: NodeJS.ErrnoException): AppError {
  const detail = errnoText(failure.code ?? '', 'en') ?? detailOf(failure);
  return new AppError('FILE_UNWRITABLE', { path, detail, directory: dirname(resolve(path)) });
}

async function drainedOf(stream: NodeJS.WritableStream & { writableNeedDrain: boolean }): Promise<void> {
  if (!stream.writableNeedDrain) return;
  await new Promise<void>((resolve) => {
    stream.once('drain', resolve);
    stream.once('error', () => resolve());
  });
}
