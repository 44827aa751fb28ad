import { type Command, Option } from 'commander';
import { AppError } from '../../model/errors.ts';
import type { Context } from '../context.ts';
import { parseSpan } from '../run/spans.ts';
import { CHOICE_FORMATS, type ChoiceFormat, choiceText } from '../wait/choice-text.ts';
import { addRequestOptions, type RequestFlags, requestOf } from '../wait/request-options.ts';
import { startWaiter } from '../wait/start-waiter.ts';

interface Flags extends RequestFlags {
  readonly format: ChoiceFormat;
  readonly json?: boolean;
  readonly hold: string;
}

export function addPick(program: Command, context: Context): void {
  const { t } = context;
  addRequestOptions(program.command('pick').description(t('pick.about')), '0s', context)
    .addOption(new Option('--format <FORMAT>', t('pick.format')).choices(CHOICE_FORMATS).default('uuid'))
    .option('--json', t('cli.json'))
    .option('--hold <TIME>', t('pick.hold'), '0s')
    .action((flags: Flags) => pick(flags, context));
}

async function pick(flags: Flags, context: Context): Promise<void> {
  const { print, clock } = context;
  const request = requestOf(flags);
  const holdMs = parseSpan('--hold', flags.hold, 0);
  let free = 0;
  let isEnough = false;
  // Who asks for a time of idleness has to wait that long.
  const until = clock.monotonic() + request.idleMs;
  const waiter = await startWaiter(flags, request, context, {
    command: [],
    isQueued: false,
    isTaking: holdMs > 0,
    isLastLook: () => clock.monotonic() >= until,
    show: ({ standings, ahead }) => {
      // What is free is for those who wait for it.
      free = ahead.length > 0 ? 0 : standings.filter(({ isFree }) => isFree).length;
    },
  });
  try {
    const granted = await waiter.granted();
    isEnough = granted.devices.length > 0;
    await granted.claim?.leave(holdMs);
    if (isEnough) print(choiceText(granted, flags.json === true ? 'json' : flags.format));
  } finally {
    await waiter.stop();
  }
  if (!isEnough) throw new AppError('NO_FREE_GPU', { found: free, wanted: request.gpus });
}
