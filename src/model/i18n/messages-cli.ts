import type { Text } from './text.ts';

/** What the command line prints. */
export const CLI_MESSAGES = {} as const satisfies Record<string, Text>;
