import type { Command } from 'commander';
import { parseInterval } from '../../app/config.ts';
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

export function addRelease(program: Command, context: Context): void {
  const { t } = context;
  program
    .command('release')
    .description(t('release.about'))
    .option('--for <TIME>', t('release.for'), '5m')
    .option('--server <URL>', t('cli.server'), DEFAULT_SERVER)
    .option('--json', t('cli.json'))
    .action((flags: Flags) => {
      const seconds = Math.max(1, Math.round(parseInterval('--for', flags.for) / 1000));
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
  if (!URL.canParse(server)) throw new AppError('BAD_OPTION', { option: '--server', value: server, expected: 'URL' });
  const base = server.endsWith('/') ? server : `${server}/`;
  try {
    const answer = await act(createApi({ base, lang: () => lang }));
    const { releasedUntil } = answer;
    if (json) print(JSON.stringify(answer));
    else if (releasedUntil !== null) print(t('release.done', { time: dateTime(releasedUntil) }));
    else print(t('resume.done'));
  } catch (error) {
    if (error instanceof ApiFailure) throw new AppError('SERVER_SAYS', { message: error.message, hint: error.hint });
    throw error;
  }
}
