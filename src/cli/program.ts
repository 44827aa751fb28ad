import { Command, type Help, Option } from 'commander';
import { VERSION } from '../app/version.ts';
import { LANGUAGES } from '../model/i18n/text.ts';
import type { Context } from './context.ts';
import { refuseEmptyValues } from './options.ts';

/** Commander's own headings, which it knows in English only. */
const HEADINGS = {
  'Usage:': 'cli.usage',
  'Arguments:': 'cli.arguments',
  'Options:': 'cli.options',
  'Commands:': 'cli.commands',
} as const;

/** Puts a command, or several that belong together, on the program; `whole` gives the program with all commands. */
type Add = (program: Command, context: Context, whole: () => Promise<Command>) => void;

/** Commands by the words that call them. Each is loaded only when it is called: `stat` must start fast. */
interface CommandEntry {
  readonly names: readonly string[];
  load(): Promise<Add>;
}

/** Every command, in the order in which the help lists them. */
const COMMANDS: readonly CommandEntry[] = [
  { names: ['serve'], load: async () => (await import('./commands/serve.ts')).addServe },
  { names: ['stat'], load: async () => (await import('./commands/stat.ts')).addStat },
  { names: ['smi'], load: async () => (await import('./commands/smi.ts')).addSmi },
  { names: ['top'], load: async () => (await import('./commands/top.ts')).addTop },
  { names: ['watch'], load: async () => (await import('./commands/watch.ts')).addWatch },
  { names: ['run'], load: async () => (await import('./commands/run.ts')).addRun },
  { names: ['runs'], load: async () => (await import('./commands/runs.ts')).addRuns },
  { names: ['record'], load: async () => (await import('./commands/record.ts')).addRecord },
  { names: ['export'], load: async () => (await import('./commands/export.ts')).addExport },
  { names: ['wait'], load: async () => (await import('./commands/wait.ts')).addWait },
  { names: ['pick'], load: async () => (await import('./commands/pick.ts')).addPick },
  { names: ['doctor'], load: async () => (await import('./commands/doctor.ts')).addDoctor },
  { names: ['release', 'resume'], load: async () => (await import('./commands/release.ts')).addRelease },
  { names: ['report'], load: async () => (await import('./commands/report.ts')).addReport },
  { names: ['completion'], load: async () => (await import('./commands/completion.ts')).addCompletion },
  { names: ['man'], load: async () => (await import('./commands/man.ts')).addMan },
];

/** The program with the command that `name` calls, or with all of them where it calls none. */
export async function createProgram(name: string | undefined, context: Context): Promise<Command> {
  const { t } = context;
  const program = new Command('gpulse')
    .description(t('cli.about'))
    .version(VERSION, '-V, --version', t('cli.version'))
    .helpCommand('help [command]', t('cli.help-command'))
    // What follows a command that is to be run belongs to it.
    .enablePositionalOptions();
  const called = COMMANDS.filter(({ names }) => name !== undefined && names.includes(name));
  const isNone = name === '-V' || name === '--version';
  for (const { load } of called.length > 0 || isNone ? called : COMMANDS) {
    (await load())(program, context, () => createProgram(undefined, context));
  }
  prepare(program, context);
  return program;
}

/** What `help` was asked about, where it is no command: the help of the program would not say so. */
export function unknownTopic(argv: readonly string[]): string | undefined {
  const words = argv.filter((word, i) => !word.startsWith('--lang') && argv[i - 1] !== '--lang');
  const [name, topic] = words;
  const isKnown =
    topic === undefined ||
    topic.startsWith('-') ||
    topic === 'help' ||
    COMMANDS.some(({ names }) => names.includes(topic));
  return name === 'help' && !isKnown ? topic : undefined;
}

/** What every command, and every command of it, has. Complaints are printed by whoever runs the program. */
function prepare(command: Command, context: Context): void {
  const { t } = context;
  command
    .helpOption('-h, --help', t('cli.help'))
    .addOption(new Option('--lang <LANG>', t('cli.lang')).choices(LANGUAGES))
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .configureHelp({
      styleTitle: (title) => (title in HEADINGS ? t(HEADINGS[title as keyof typeof HEADINGS]) : title),
      argumentDescription: ({ description }) => description,
      optionDescription: (option) => describeOption(option, context),
    });
  refuseEmptyValues(command, context);
  for (const child of command.commands) prepare(child, context);
}

/** The description of an option with its default in words; commander would say "default" in English. */
function describeOption(option: Parameters<Help['optionDescription']>[0], { t }: Context): string {
  const { description, defaultValue } = option;
  const plain = typeof defaultValue === 'string' || typeof defaultValue === 'number';
  return plain ? `${description} ${t('cli.default', { value: defaultValue })}` : description;
}
