import { join, resolve } from 'node:path';
import { systemClock } from '../../model/clock.ts';
import { translator } from '../../model/i18n/messages.ts';
import type { Context } from '../context.ts';
import { parseRequest } from './arguments.ts';
import { runRequest } from './run.ts';

const LOGS = resolve(import.meta.dirname, '../../../testdata/logs');

/** For tests only: path of a recorded log. */
export function log(name: string): string {
  return join(LOGS, name);
}

export interface Printed {
  readonly out: string;
  readonly err: string;
  readonly exit: number;
}

/** For tests only: runs `gpulse smi` with some words in this process. What cannot be printed at all is thrown. */
export async function run(...words: string[]): Promise<Printed> {
  const out: string[] = [];
  const err: string[] = [];
  const context: Context = {
    lang: 'en',
    t: translator('en'),
    clock: systemClock,
    print: (line) => void out.push(`${line}\n`),
    warn: (line) => void err.push(`${line}\n`),
    color: false,
  };
  const exit = await runRequest(parseRequest(words), context);
  return { out: out.join(''), err: err.join(''), exit };
}

/** For tests only: the same on a recorded log, with its times in UTC. */
export function replay(name: string, ...words: string[]): Promise<Printed> {
  return run('--source', `replay:${name.startsWith('/') ? name : log(name)}`, '--time-zone', 'UTC', ...words);
}
