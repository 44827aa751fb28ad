/** The package brings no types of its own. */
declare module 'snappyjs' {
  /** Block format of Snappy. */
  export function compress(data: Uint8Array): Uint8Array;
  export function uncompress(data: Uint8Array, maxLength?: number): Uint8Array;
}
