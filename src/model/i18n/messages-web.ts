import type { Text } from './text.ts';

/** What the browser shows. */
export const WEB_MESSAGES = {} as const satisfies Record<string, Text>;
