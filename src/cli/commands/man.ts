import type { Command } from 'commander';
import type { Context } from '../context.ts';

export function addMan(program: Command, context: Context, whole: () => Promise<Command>): void {
  const { t, print } = context;
  program
    .command('man')
    .description(t('man.about'))
    .action(async () => {
      const { manualPage } = await import('../completion/man-page.ts');
      print(manualPage(await whole(), context).trimEnd());
    });
}
