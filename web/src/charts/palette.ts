/** Colours for canvases, which cannot read the style sheet's theme-dependent ones. */
export interface Palette {
  readonly text: string;
  readonly quiet: string;
  readonly grid: string;
  readonly surface: string;
  readonly critical: string;
  readonly warning: string;
  readonly info: string;
  /** The second line of a chart, beside that in the colour of the GPU. */
  readonly second: string;
  /** Colour-blind safe series colours after Okabe and Ito. Two are darkened on white, where they would be too faint. */
  readonly series: readonly string[];
}

const LIGHT: Palette = {
  text: '#1a1d21',
  quiet: '#5d6570',
  grid: '#e9ebee',
  surface: '#ffffff',
  critical: '#c0182b',
  warning: '#b26a00',
  info: '#8a929c',
  second: '#6b7684',
  series: ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#c98a00', '#3a9bd1', '#8f8500', '#5d6570'],
};

const DARK: Palette = {
  text: '#e7e9ec',
  quiet: '#9aa3ae',
  grid: '#252a31',
  surface: '#15181c',
  critical: '#ff7a80',
  warning: '#f0b23e',
  info: '#727b86',
  second: '#a7b0bb',
  series: ['#3d93da', '#e8743b', '#1fb98c', '#d98fb8', '#e69f00', '#93d3f7', '#f0e442', '#aab3be'],
};

export function paletteFor(dark: boolean): Palette {
  return dark ? DARK : LIGHT;
}

/** The colour of a GPU, the same in every view. */
export function gpuColour(palette: Palette, index: number): string {
  return palette.series[index % palette.series.length] ?? palette.text;
}

/** Colours of the lines in a chart of a GPU. */
export interface LineColours {
  readonly main: string;
  readonly second: string;
  readonly third: string;
  readonly fourth: string;
}

/** Positions of colours that can be told apart whatever the first line is: blue, vermillion, green. */
const [BLUE, VERMILLION, GREEN] = [0, 1, 2];
/** GPUs with a blue line of their own, or beside it. */
const BLUISH: readonly number[] = [0, 5, 7];

/**
 * The first line has the colour of the GPU, the second is grey, unless that is the colour of the GPU itself; the others
 * have colours that are neither.
 */
export function lineColours(palette: Palette, index: number): LineColours {
  const { series, text } = palette;
  const position = index % series.length;
  const isGrey = position === series.length - 1;
  const third = BLUISH.includes(position) ? VERMILLION : BLUE;
  const fourth = position === GREEN ? VERMILLION : GREEN;
  return {
    main: gpuColour(palette, index),
    second: isGrey ? (series[BLUE] ?? text) : palette.second,
    third: series[third] ?? text,
    fourth: series[fourth] ?? text,
  };
}

/** A `#rrggbb` colour with an opacity of 0–1. */
export function withAlpha(colour: string, alpha: number): string {
  const byte = Math.round(alpha * 255);
  return colour + byte.toString(16).padStart(2, '0');
}
