import type { ApiProcess } from '../model/api-process.ts';
import { ownerLabel, podName } from '../model/owner-label.ts';

type Held = Pick<ApiProcess, 'user' | 'owner'>;

/**
 * The one name for whoever holds a GPU with a process: its pod, in which nearly everybody is root, else its user, else
 * whatever it works for; null where nothing of it is known.
 */
export function holderOf({ user, owner }: Held): string | null {
  const pod = owner?.pod ?? null;
  if (pod !== null && pod.name !== null) return podName(pod);
  return user ?? ownerLabel(owner)?.text ?? null;
}
