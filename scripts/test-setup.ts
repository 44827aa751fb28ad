/** Builds what the tests load, once per run. */
export function setup(): void {}
