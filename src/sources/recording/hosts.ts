import type { Identity } from './log-devices.ts';

/**
 * Keeps the devices of several machines in one log apart, whose indexes and bus ids are the same. Those of the first
 * machine are known as in a log of one.
 */
export class LogHosts {
  #first: string | null = null;
  #hasSeveral = false;

  /** The identity of a device of `host`; unchanged for a UUID, which is different everywhere, and for null. */
  of(host: string | null, identity: Identity): Identity {
    if (host === null) return identity;
    this.#first ??= host;
    this.#hasSeveral ||= host !== this.#first;
    const { uuid, pciBusId, index, name } = identity;
    if (uuid !== null || !this.#hasSeveral) return { ...identity, host };
    const stem = pciBusId ?? index ?? name ?? '0';
    const key = host === this.#first ? `log-${stem}` : `log-${host}-${stem}`;
    return { ...identity, host, uuid: key, isDerived: true };
  }
}
