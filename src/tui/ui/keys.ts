import type { TOP_MESSAGES } from '../../model/i18n/messages-top.ts';

type TopKey = keyof typeof TOP_MESSAGES;

type NameOf<Key> = Key extends `top.key.${infer Name}` ? Name : never;
/** What a key does. The help, the bar at the bottom and the documentation are made from this table. */
export type Action = NameOf<TopKey>;

type BarOf<Key> = Key extends `top.bar.${infer Name}` ? Name : never;

export interface KeyBinding {
  readonly action: Action;
  /** Keys as `keyWord` spells them, the one that the bar shows first. */
  readonly keys: readonly string[];
  /** Its word in the bar at the bottom, in the order of this table. */
  readonly bar?: BarOf<TopKey>;
}

export const KEY_BINDINGS: readonly KeyBinding[] = [
  { action: 'help', keys: ['f1', 'h', '?'], bar: 'help' },
  { action: 'setup', keys: ['f2', 'S'], bar: 'setup' },
  { action: 'filter', keys: ['f4', '/', '\\'], bar: 'filter' },
  { action: 'tree', keys: ['f5', 't'], bar: 'tree' },
  { action: 'sort', keys: ['f6', 's', '>'], bar: 'sort' },
  { action: 'kill', keys: ['f9', 'k'], bar: 'kill' },
  { action: 'quit', keys: ['f10', 'q', 'ctrl-c'], bar: 'quit' },
  { action: 'up', keys: ['up'] },
  { action: 'down', keys: ['down'] },
  { action: 'page-up', keys: ['pageup'] },
  { action: 'page-down', keys: ['pagedown'] },
  { action: 'first', keys: ['home', 'g'] },
  { action: 'last', keys: ['end', 'G'] },
  { action: 'left', keys: ['left'] },
  { action: 'right', keys: ['right'] },
  { action: 'switch', keys: ['tab', 'shift-tab'] },
  { action: 'open', keys: ['return'] },
  { action: 'back', keys: ['escape'] },
  { action: 'digit', keys: ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'] },
  { action: 'hide', keys: ['x'] },
  { action: 'show-all', keys: ['a'] },
  { action: 'charts', keys: ['c'] },
  { action: 'events', keys: ['e'] },
  { action: 'shorter', keys: ['['] },
  { action: 'longer', keys: [']'] },
  { action: 'pause', keys: ['space'] },
  { action: 'ascending', keys: ['+'] },
  { action: 'descending', keys: ['-'] },
  { action: 'invert', keys: ['I'] },
  { action: 'sort-utilisation', keys: ['P'] },
  { action: 'sort-memory', keys: ['M'] },
  { action: 'sort-cpu', keys: ['C'] },
  { action: 'sort-pid', keys: ['N'] },
  { action: 'sort-time', keys: ['T'] },
  { action: 'theme', keys: ['b'] },
  { action: 'save', keys: ['f12', 'W'] },
  { action: 'redraw', keys: ['ctrl-l'] },
  { action: 'suspend', keys: ['ctrl-z'] },
];

const BY_KEY = new Map(KEY_BINDINGS.flatMap(({ action, keys }) => keys.map((key) => [key, action] as const)));

/** What a key means outside text fields; undefined for one that means nothing. */
export function actionOf(key: string): Action | undefined {
  return BY_KEY.get(key);
}

const NAMES: Readonly<Record<string, string>> = {
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  pageup: 'PgUp',
  pagedown: 'PgDn',
  home: 'Home',
  end: 'End',
  return: 'Enter',
  escape: 'Esc',
  tab: 'Tab',
  'shift-tab': 'Shift-Tab',
  space: 'Space',
};

/** A key as it is printed on keyboards: `F4`, `Ctrl-C`, `↑`. */
export function keyLabel(key: string): string {
  const control = /^ctrl-(.)$/.exec(key)?.[1];
  if (control !== undefined) return `Ctrl-${control.toUpperCase()}`;
  return NAMES[key] ?? (/^f\d+$/.test(key) ? key.toUpperCase() : key);
}

/** All keys of a binding in one text; the ten digits as a range. */
export function keyLabels({ keys }: KeyBinding): string {
  return keys.length === 10 ? '0–9' : keys.map(keyLabel).join(' ');
}
