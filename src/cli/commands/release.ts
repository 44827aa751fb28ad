import type { Command } from 'commander';
import { parseInterval } from '../../app/interval.ts';
import { parseServer, unreachable } from '../../app/server-request.ts';
import { createApi } from '../../client/api.ts';
import { ApiFailure } from '../../client/failure.ts';
import type { ApiRelease } from '../../model/api.ts';
import { AppError } from '../../model/errors.ts';
import { dateTime } from '../../model/format.ts';
import type { Context } from '../context.ts';

interface Flags {
  readonly for: string;
  readonly server: string;
  readonly json?: boolean;
}

const DEFAULT_SERVER = 'http://127.0.0.1:9400/';

/** What the API takes. */
const RELEASE = { min: 1000, max: 86_400_000, expected: '1s … 24h (90s, 5m)' };

export function addRelease(program: Command, context: Context): void {
  const { t } = context;
  program
    .command('release')
    .description(t('release.about'))
    .option('--for <TIME>', t('release.for'), '5m')
    .option('--server <URL>', t('cli.server'), DEFAULT_SERVER)
    .option('--json', t('cli.json'))
    .action((flags: Flags) => {
      const seconds = Math.round(parseInterval('--for', flags.for, RELEASE) / 1000);
      return change(flags, context, (api) => api.release(seconds));
    });
  program
    .command('resume')
    .description(t('resume.about'))
    .option('--server <URL>', t('cli.server'), DEFAULT_SERVER)
    .option('--json', t('cli.json'))
    .action((flags: Flags) => change(flags, context, (api) => api.resume()));
}

async function change(
  { server, json }: Flags,
  { lang, t, print }: Context,
  act: (api: ReturnType<typeof createApi>) => Promise<ApiRelease>,
): Promise<void> {
  const base = parseServer('--server', server);
  let failure: AppError | null = null;
  const connect = async (url: string, init: RequestInit): Promise<Response> => {
    try {
      return await fetch(url, init);
    } catch (error) {
      failure = unreachable(base, error, lang);
      throw failure;
    }
  };
  try {
    const answer = await act(createApi({ base: base.href, lang: () => lang, fetch: connect }));
    const { releasedUntil } = answer;
    if (json) print(JSON.stringify(answer));
    else if (releasedUntil !== null) print(t('release.done', { time: dateTime(releasedUntil) }));
    else print(t('resume.done'));
  } catch (error) {
    if (failure !== null) throw failure;
    if (error instanceof ApiFailure) throw new AppError('SERVER_SAYS', { message: error.message, hint: error.hint });
    throw error;
  }
}
