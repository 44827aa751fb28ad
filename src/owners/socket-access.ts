import { access, constants } from 'node:fs/promises';

/** Whether a socket may be used: `absent` where there is none. */
export async function socketAccess(path: string): Promise<'ok' | 'refused' | 'absent'> {
  try {
    // Connecting takes the right to write.
    await access(path, constants.R_OK | constants.W_OK);
    return 'ok';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'refused' : 'absent';
  }
}
