import { GROUNDS, type Ground, TONES, type Tone } from './span.ts';

export const THEMES = ['dark', 'light', 'mono'] as const;
export type ThemeName = (typeof THEMES)[number];

/** How many colours the terminal has. */
export type Depth = 16 | 256;

type Palette = { readonly [Key in Tone]: string } & { readonly [Key in `on-${Ground}`]: string };

/** SGR parameters. Text in its own colour is left to the terminal, which knows what can be read on its ground. */
const PALETTES: Readonly<Record<Exclude<ThemeName, 'mono'>, Readonly<Record<Depth, Palette>>>> = {
  dark: {
    256: {
      ...{ text: '', quiet: '38;5;245', strong: '1', title: '1', accent: '38;5;75' },
      ...{ critical: '1;38;5;210', warning: '38;5;215', waste: '38;5;141', chart: '38;5;109', peak: '38;5;66' },
      ...{ 'on-none': '', 'on-fill': '48;5;24', 'on-track': '48;5;236', 'on-selected': '48;5;237' },
      ...{ 'on-bar': '48;5;235', 'on-alarm': '48;5;52' },
    },
    16: {
      ...{ text: '', quiet: '90', strong: '1', title: '1', accent: '96' },
      ...{ critical: '1;91', warning: '93', waste: '95', chart: '36', peak: '36' },
      ...{ 'on-none': '', 'on-fill': '44', 'on-track': '', 'on-selected': '7', 'on-bar': '4', 'on-alarm': '7' },
    },
  },
  light: {
    256: {
      ...{ text: '', quiet: '38;5;242', strong: '1', title: '1', accent: '38;5;25' },
      ...{ critical: '1;38;5;124', warning: '38;5;94', waste: '38;5;91', chart: '38;5;24', peak: '38;5;67' },
      ...{ 'on-none': '', 'on-fill': '48;5;153', 'on-track': '48;5;254', 'on-selected': '48;5;252' },
      ...{ 'on-bar': '48;5;255', 'on-alarm': '48;5;224' },
    },
    16: {
      ...{ text: '', quiet: '90', strong: '1', title: '1', accent: '34' },
      ...{ critical: '1;31', warning: '33', waste: '35', chart: '34', peak: '34' },
      ...{ 'on-none': '', 'on-fill': '46', 'on-track': '', 'on-selected': '7', 'on-bar': '4', 'on-alarm': '7' },
    },
  },
};

/** Without colour: weight, underlining and inversion only. */
const MONO: Palette = {
  ...{ text: '', quiet: '2', strong: '1', title: '1', accent: '1', critical: '1', warning: '1', waste: '', chart: '' },
  ...{ peak: '2', 'on-none': '', 'on-fill': '7', 'on-track': '', 'on-selected': '7', 'on-bar': '4', 'on-alarm': '7' },
};

/** Looks by style number, see {@link styleOf}: each a complete escape sequence that needs nothing before it. */
export type Theme = readonly string[];

/** A tone on a ground as one small number, as frames hold it; 0 is plain text. */
export function styleOf(tone: Tone, ground: Ground): number {
  return TONE_NUMBERS[tone] + GROUND_NUMBERS[ground];
}

const TONE_NUMBERS = Object.fromEntries(TONES.map((tone, i) => [tone, i * GROUNDS.length])) as Record<Tone, number>;
const GROUND_NUMBERS = Object.fromEntries(GROUNDS.map((ground, i) => [ground, i])) as Record<Ground, number>;

export function createTheme(name: ThemeName, depth: Depth): Theme {
  const palette = name === 'mono' ? MONO : PALETTES[name][depth];
  return TONES.flatMap((tone) =>
    GROUNDS.map((ground) => {
      const codes = [palette[tone], palette[`on-${ground}`]].filter((code) => code !== '');
      return `\x1b[0${codes.map((code) => `;${code}`).join('')}m`;
    }),
  );
}
