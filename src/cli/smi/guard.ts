/** Puts `--` behind the word `smi`, so that commander hands all that follows to it as it is. */
export function guardSmi(argv: readonly string[]): readonly string[] {
  const at = argv.findIndex((word, i) => !word.startsWith('--lang') && argv[i - 1] !== '--lang');
  if (argv[at] !== 'smi' || argv[at + 1] === '--') return argv;
  return [...argv.slice(0, at + 1), '--', ...argv.slice(at + 1)];
}
