import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { printable } from './command-line.ts';

/** Longest wait for a directory server. */
const TIMEOUT_MS = 3000;

/**
 * Asks the host's name service (LDAP, SSSD, systemd) for a login name, or resolves to null where it knows none. Node has
 * no getpwuid(3), which `getent` is the command of. It never rejects.
 */
export async function askNameService(uid: number): Promise<string | null> {
  const { execFile } = await import('node:child_process');
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const child = execFile('getent', ['passwd', String(uid)], { signal }, (error, stdout) => {
      const [name, , found] = error === null ? stdout.split(':') : [];
      resolve(name && Number(found) === uid ? printable(name) : null);
    });
    // A server that does not answer keeps no command from ending.
    child.unref();
    for (const pipe of [child.stdin, child.stdout, child.stderr]) if (pipe instanceof Socket) pipe.unref();
  });
}

/** Whether the host has a name service beside its passwd file, from nsswitch.conf(5). */
export function hasNameService(path = '/etc/nsswitch.conf'): boolean {
  try {
    const services = /^\s*passwd:([^#\n]*)/m.exec(readFileSync(path, 'utf8'))?.[1] ?? '';
    return services.split(/\s+/).some((service) => /^[a-z]/.test(service) && service !== 'files');
  } catch {
    return false;
  }
}
