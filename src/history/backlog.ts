/** Bytes and age beyond which ticks are dropped rather than queued: a stuck disk must not eat the memory. */
const MAX_BYTES = 16 * 2 ** 20;
const MAX_AGE_MS = 120_000;

interface Sent {
  readonly ticks: number;
  readonly bytes: number;
  /** On the monotonic clock. */
  readonly at: number;
}

/** What has been sent to the worker and is not on the disk yet, oldest first. */
export class Backlog {
  readonly #sent: Sent[] = [];
  #bytes = 0;

  get isEmpty(): boolean {
    return this.#sent.length === 0;
  }

  add(ticks: number, bytes: number, now: number): void {
    this.#sent.push({ ticks, bytes, at: now });
    this.#bytes += bytes;
  }

  /** Takes the oldest batch out and returns its number of ticks. */
  settle(): number {
    const oldest = this.#sent.shift();
    this.#bytes -= oldest?.bytes ?? 0;
    return oldest?.ticks ?? 0;
  }

  /** Takes everything out and returns the number of ticks. */
  settleAll(): number {
    let ticks = 0;
    while (this.#sent.length > 0) ticks += this.settle();
    return ticks;
  }

  hasRoomFor(bytes: number, now: number): boolean {
    const oldest = this.#sent[0];
    return this.#bytes + bytes <= MAX_BYTES && (oldest === undefined || now - oldest.at <= MAX_AGE_MS);
  }
}
