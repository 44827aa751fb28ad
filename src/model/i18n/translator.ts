import { fill, type Lang, type Params, type Text } from './text.ts';

type Table = Readonly<Record<string, Text>>;

/** Names of the `{parameters}` in a template. */
type ParamsIn<Template extends string> = Template extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamsIn<Rest>
  : never;

/** The parameters a message needs: none for most, and a missing or misspelt one does not compile. */
type ParamsOf<Messages extends Table, Key extends keyof Messages> = ParamsIn<Messages[Key]['en']>;

type ArgumentsOf<Messages extends Table, Key extends keyof Messages> = [ParamsOf<Messages, Key>] extends [never]
  ? []
  : [params: Readonly<Record<ParamsOf<Messages, Key>, string | number>>];

/** The sentences of a table in one language, by their keys. */
export type TranslateOf<Messages extends Table> = <Key extends keyof Messages>(
  key: Key,
  ...args: ArgumentsOf<Messages, Key>
) => string;

/** Makes {@link TranslateOf} for a table: whoever needs only some of the messages carries only these. */
export function translatorOf<Messages extends Table>(messages: Messages, lang: Lang): TranslateOf<Messages> {
  return (key, ...args) => fill(messages[key]![lang], args[0] as Params | undefined);
}
