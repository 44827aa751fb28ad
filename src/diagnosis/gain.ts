/** More than this many times as fast is not predicted of any program. */
export const MOST_GAIN = 20;
