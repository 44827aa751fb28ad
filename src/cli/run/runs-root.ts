import { defaultDataDirectory } from '../../app/config.ts';
import { AppError } from '../../model/errors.ts';
import { isDirectory } from '../../runs/make-directory.ts';
import { runsDirectory } from '../../runs/run-store.ts';

/** Where runs are kept below `--data`, or below the usual directory. */
export function runsRoot(data: string | undefined): string {
  return runsDirectory(data ?? defaultDataDirectory(process.env));
}

/** The same, to look for runs. Throws RUNS_NO_DIRECTORY where `--data` names no directory. */
export async function existingRunsRoot(data: string | undefined): Promise<string> {
  const root = runsRoot(data);
  if (data !== undefined && !(await isDirectory(data))) throw new AppError('RUNS_NO_DIRECTORY', { path: data });
  return root;
}
