import { statSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';

/** Whether a socket may be used: `absent` where there is none. */
export async function socketAccess(path: string): Promise<'ok' | 'refused' | 'absent'> {
  try {
    // Most machines have none of them, and they are looked for again and again: an exception each time is dear.
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return 'absent';
    // Connecting takes the right to write.
    await access(path, constants.R_OK | constants.W_OK);
    return 'ok';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'refused' : 'absent';
  }
}
