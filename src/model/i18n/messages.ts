import { CLI_MESSAGES } from './messages-cli.ts';
import { EVENT_MESSAGES } from './messages-events.ts';
import { NOTICE_MESSAGES } from './messages-notices.ts';
import { WEB_MESSAGES } from './messages-web.ts';
import { WORD_MESSAGES } from './messages-words.ts';
import { fill, type Lang, type Params, type Text } from './text.ts';

/** Every sentence a person reads, apart from errors, which carry codes and stand in `errors.ts`. */
export const MESSAGES = {
  ...WORD_MESSAGES,
  ...EVENT_MESSAGES,
  ...NOTICE_MESSAGES,
  ...CLI_MESSAGES,
  ...WEB_MESSAGES,
} as const satisfies Record<string, Text>;

export type MessageKey = keyof typeof MESSAGES;

/** Names of the `{parameters}` in a template. */
type ParamsIn<Template extends string> = Template extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamsIn<Rest>
  : never;

/** The parameters a message needs: none for most, and a missing or misspelt one does not compile. */
type ParamsOf<Key extends MessageKey> = ParamsIn<(typeof MESSAGES)[Key]['en']>;

type Arguments<Key extends MessageKey> = [ParamsOf<Key>] extends [never]
  ? []
  : [params: Readonly<Record<ParamsOf<Key>, string | number>>];

/** The sentence for a key in one language. */
export function translate<Key extends MessageKey>(lang: Lang, key: Key, ...args: Arguments<Key>): string {
  return fill(MESSAGES[key][lang], args[0] as Params | undefined);
}

/** {@link translate} bound to one language, as views and commands use it. */
export type Translate = <Key extends MessageKey>(key: Key, ...args: Arguments<Key>) => string;

export function translator(lang: Lang): Translate {
  return (key, ...args) => translate(lang, key, ...args);
}
