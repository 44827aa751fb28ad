import { Argument, type Command } from 'commander';
import type { CommandWords } from '../completion/command-words.ts';
import type { Context } from '../context.ts';

/** Shells for which there is a completion. */
const SHELLS = ['bash', 'zsh', 'fish'] as const;

type Shell = (typeof SHELLS)[number];

export function addCompletion(program: Command, context: Context, whole: () => Promise<Command>): void {
  const { t } = context;
  program
    .command('completion')
    .description(t('completion.about'))
    .addArgument(new Argument('<SHELL>', t('completion.shell')).choices(SHELLS))
    .action(async (shell: Shell) => {
      const { commandWords } = await import('../completion/command-words.ts');
      context.print((await SCRIPTS[shell](commandWords(await whole()))).trimEnd());
    });
}

const SCRIPTS: Readonly<Record<Shell, (commands: readonly CommandWords[]) => Promise<string>>> = {
  bash: async (commands) => (await import('../completion/bash.ts')).bashCompletion(commands),
  zsh: async (commands) => (await import('../completion/zsh.ts')).zshCompletion(commands),
  fish: async (commands) => (await import('../completion/fish.ts')).fishCompletion(commands),
};
