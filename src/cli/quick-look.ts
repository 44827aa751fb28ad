import { localServers } from '../app/local-server.ts';

/**
 * True for a command line that is going to read the GPUs of this machine as soon as it can: `smi`, and `stat` where no running
 * `serve` is there to be asked.
 */
export function isQuickLook(argv: readonly string[], env: NodeJS.ProcessEnv): boolean {
  const [name, ...words] = argv;
  if (name !== 'stat' && name !== 'smi') return false;
  const isElsewhere = words.some(
    (word, i) =>
      /^(?:--(?:help(?:-query-\S+)?|remote|server|host)(?:=|$)|-h$)/.test(word) ||
      (word.startsWith('--source=') && !isDriver(word.slice('--source='.length))) ||
      (word === '--source' && !isDriver(words[i + 1])),
  );
  if (isElsewhere) return false;
  if (name === 'smi') return true;
  const isForced = words.some((word) => /^--(?:no-server|nvml-library|source)(?:=|$)/.test(word));
  return isForced || localServers(env).length === 0;
}

function isDriver(source: string | undefined): boolean {
  return source === 'auto' || source === 'nvml';
}
