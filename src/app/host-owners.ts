import type { Clock } from '../model/clock.ts';
import type { OwnerLookup } from '../model/owner-lookup.ts';
import type { Source } from '../model/ports.ts';
import { HostOwners } from '../owners/host-owners.ts';
import { usualPlaces } from '../owners/places.ts';

/**
 * Finds the owners of a source's processes; null where these are not processes of this machine. `usageMs`: how often the CPU
 * time of a process is read, where the usual is not often enough.
 */
export function hostOwners(source: Source, clock: Clock, usageMs?: number): OwnerLookup | null {
  if (source.origin !== 'live' || source.name.includes('ssh:')) return null;
  return new HostOwners(clock, usualPlaces(process.env), usageMs);
}
