import { askHolder, type HeldName, holdName, leaveBehind, namesHeld } from './abstract-socket.ts';

const TICKET = 'gpulse/wait/';
const CLAIM = 'gpulse/claim/';

/** One that does not answer so often in a row is suspended, and is not waited for. */
const MOST_SILENCES = 5;

/** Who waits or holds, as others are told: nothing that is not for everybody. */
export interface Party {
  readonly pid: number;
  readonly user: string;
  /** Name of the program, without its arguments. */
  readonly command: string;
  readonly gpus: number;
  /** UUIDs of the devices that would do. */
  readonly candidates: readonly string[];
}

/** GPUs that are held. */
export interface Claim {
  release(): Promise<void>;
  /** Keeps them held for `ms` milliseconds whatever becomes of this process. Throws NO_QUEUE. */
  leave(ms: number): Promise<void>;
}

/**
 * The queue of all who wait for GPUs on this machine. Who came first is served first, except that those who want other
 * GPUs do not wait for each other.
 */
export class Queue {
  readonly #party: Party;
  readonly #name: string;
  #ticket: HeldName | null = null;
  readonly #silences = new Map<string, number>();

  /** `arrival` in nanoseconds of the clock that all processes of the machine share. */
  constructor(party: Party, arrival: bigint) {
    this.#party = party;
    this.#name = `${TICKET}${String(arrival).padStart(20, '0')}-${party.pid}`;
  }

  /** Throws NO_QUEUE. */
  async join(): Promise<void> {
    this.#ticket = await holdName(this.#name, this.#party);
  }

  async leave(): Promise<void> {
    await this.#ticket?.release();
    this.#ticket = null;
  }

  /** Those who came earlier and want one of the same GPUs. */
  async ahead(): Promise<readonly Party[]> {
    const earlier = (await namesHeld(TICKET)).filter((name) => name < this.#name);
    const parties = await Promise.all(earlier.map((name) => this.#partyOf(name)));
    return parties.flatMap((party) => {
      if (party === null) return [];
      const isRival = party.candidates.some((uuid) => this.#party.candidates.includes(uuid));
      return isRival ? [party] : [];
    });
  }

  /** Takes all of these GPUs or none: null where somebody has been faster. */
  async claim(uuids: readonly string[]): Promise<Claim | null> {
    const held: HeldName[] = [];
    const release = async (): Promise<void> => {
      await Promise.all(held.map((one) => one.release()));
    };
    for (const uuid of uuids) {
      const name = await holdName(claimName(uuid), this.#party);
      if (name === null) {
        await release();
        return null;
      }
      held.push(name);
    }
    return { release, leave: (ms) => leaveBehind(held, ms) };
  }

  async #partyOf(name: string): Promise<Party | null> {
    const answer = await askHolder(name);
    const party = partyIn(answer);
    if (party !== null) {
      this.#silences.delete(name);
      return party;
    }
    const silences = (this.#silences.get(name) ?? 0) + 1;
    this.#silences.set(name, silences);
    // Whoever does not answer at once still has the right of way.
    return silences < MOST_SILENCES
      ? { pid: 0, user: '?', command: '?', gpus: 1, candidates: this.#party.candidates }
      : null;
  }
}

/** Who holds which of these GPUs, by UUID; null for a holder that does not say. Throws NO_QUEUE. */
export async function claims(uuids: readonly string[]): Promise<ReadonlyMap<string, Party | null>> {
  const names = new Set(await namesHeld(CLAIM));
  const held = uuids.filter((uuid) => names.has(claimName(uuid)));
  const parties = await Promise.all(held.map((uuid) => askHolder(claimName(uuid))));
  return new Map(held.map((uuid, i) => [uuid, partyIn(parties[i])]));
}

/** A UUID that was made up may hold anything. */
function claimName(uuid: string): string {
  return CLAIM + encodeURIComponent(uuid).slice(0, 90);
}

/** Any program may take a name and answer what it likes. */
function partyIn(answer: unknown): Party | null {
  if (typeof answer !== 'object' || answer === null) return null;
  const { pid, user, command, gpus, candidates } = answer as Record<string, unknown>;
  if (typeof pid !== 'number' || typeof user !== 'string' || typeof command !== 'string') return null;
  const uuids = Array.isArray(candidates) ? candidates.filter((uuid) => typeof uuid === 'string') : [];
  return {
    pid,
    user: plainWord(user),
    command: plainWord(command),
    gpus: typeof gpus === 'number' ? gpus : 1,
    candidates: uuids,
  };
}

const LONGEST_WORD = 40;

/** A name that cannot do anything to a terminal. */
function plainWord(word: string): string {
  return word.replaceAll(/\p{C}/gu, '').slice(0, LONGEST_WORD);
}
