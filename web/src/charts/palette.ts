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

/** The colour of the second line in a chart of a GPU: grey, unless that is the colour of the GPU itself. */
export function secondColour(palette: Palette, index: number): string {
  return index % palette.series.length === palette.series.length - 1 ? gpuColour(palette, 0) : palette.second;
}

/** A `#rrggbb` colour with an opacity of 0–1. */
export function withAlpha(colour: string, alpha: number): string {
  const byte = Math.round(alpha * 255);
  return colour + byte.toString(16).padStart(2, '0');
}
