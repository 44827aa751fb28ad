import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { AppError, detailOf } from '../model/errors.ts';

/**
 * Names that a process holds for as long as it lives, seen by all users of a machine: abstract sockets of Linux. The kernel
 * gives a name to one process at a time and takes it back however that process ends, so nothing can be left over. They are
 * those of a network namespace: a container with a network of its own has names of its own.
 */

/** How long the holder of a name may take to say who it is. */
const ANSWER_MS = 500;
const LONGEST_ANSWER = 65_536;

/** A name that is held. */
export interface HeldName {
  release(): Promise<void>;
  /** Hands the name to a process that keeps it from now on. */
  handTo(keeper: NameKeeper): Promise<void>;
}

/** Takes names over. */
interface NameKeeper {
  take(info: string, server: Server): Promise<void>;
}

/** Takes a name; null where somebody has it. Whoever asks its holder is told `info`. Throws NO_QUEUE. */
export async function holdName(name: string, info: object): Promise<HeldName | null> {
  const text = JSON.stringify(info);
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.end(text);
  });
  const isHeld = await new Promise<boolean>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(new AppError('NO_QUEUE', { detail: detailOf(error) }, { cause: error }));
    });
    server.listen({ path: `\0${name}` }, () => resolve(true));
  });
  if (!isHeld) return null;
  // To be asked by others is no reason to go on living.
  server.unref();
  const release = (): Promise<void> => closed(server);
  return {
    release,
    async handTo(keeper) {
      await keeper.take(text, server);
      await release();
    },
  };
}

/** A program for Node: holds the names that it is sent, and answers for them, until its time is over. */
const KEEPER = `
process.on('message', (text, server) => {
  server.on('connection', (socket) => socket.on('error', () => {}).end(text));
  process.send('held');
});
process.on('disconnect', () => setTimeout(() => process.exit(), Number(process.argv[1])));
`;

/** Leaves names behind for `ms` milliseconds, at no moment of which anybody else can take them. Throws NO_QUEUE. */
export async function leaveBehind(names: readonly HeldName[], ms: number): Promise<void> {
  const child = spawn(process.execPath, ['-e', KEEPER, String(Math.round(ms))], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // It outlives the terminal, and has nothing from its parent.
    detached: true,
    cwd: '/',
    env: {},
  });
  const take = (text: string, server: Server): Promise<void> =>
    new Promise((resolve, reject) => {
      const fail = (error: unknown): void =>
        reject(new AppError('NO_QUEUE', { detail: detailOf(error) }, { cause: error }));
      child.once('message', () => resolve());
      child.once('error', fail);
      child.once('exit', (code) => fail(new Error(`the keeper ended with ${code}`)));
      child.send(text, server, (error) => error !== null && fail(error));
    });
  for (const name of names) await name.handTo({ take });
  child.disconnect();
  child.unref();
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

/** Every name that begins so and is held now. */
export async function namesHeld(prefix: string): Promise<readonly string[]> {
  let table: string;
  try {
    table = await readFile('/proc/net/unix', 'utf8');
  } catch (error) {
    throw new AppError('NO_QUEUE', { detail: detailOf(error) }, { cause: error });
  }
  const names = table.split('\n').flatMap((line) => /@(.+?)@*$/.exec(line)?.[1] ?? []);
  // Every connection to a socket has a line of its own.
  return [...new Set(names.filter((name) => name.startsWith(prefix)))];
}

/** What the holder of a name says; null where it does not answer, or is gone. */
export function askHolder(name: string): Promise<unknown> {
  return new Promise((resolve) => {
    const socket = connect({ path: `\0${name}` });
    let text = '';
    const end = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(parsed(text));
    };
    const timer = setTimeout(end, ANSWER_MS);
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (text.length > LONGEST_ANSWER) end();
    });
    socket.on('error', end);
    socket.on('end', end);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
