import { type Reply, type TickReply, tickBytes } from './protocol.ts';

/** What a worker says. A number is a tick of the same GPUs in the same memory as before without news: so many processes. */
export type WorkerMessage = Reply | number;

/** A tick of another size comes seldom; room for a few processes more keeps the memory the same. */
const SLACK_BYTES = 4096;

/**
 * Hands ticks over in memory that both threads see, the same for one after the other: to allocate some, and to pass it on in
 * a message, costs as much as reading a GPU. The next tick is packed only when it is asked for, and whoever asks has
 * copied the one before.
 */
export class TickSender {
  #memory = new SharedArrayBuffer(0);
  /** What the other side knows. */
  #told: TickReply | null = null;

  /** Memory for a tick of so many bytes; it holds what was there before. */
  readonly memory = (bytes: number): SharedArrayBuffer => {
    if (bytes > this.#memory.byteLength) this.#memory = new SharedArrayBuffer(bytes + SLACK_BYTES);
    return this.#memory;
  };

  messageOf(reply: Reply): WorkerMessage {
    if (reply.type !== 'tick') return reply;
    const told = this.#told;
    this.#told = reply;
    const isKnown = told !== null && told.buffer === reply.buffer && told.gpuCount === reply.gpuCount;
    return isKnown && reply.news === null ? reply.processCount : reply;
  }
}

/** The other end: makes replies of messages. */
export class TickReceiver {
  readonly #metrics: number;
  #shared: Uint8Array = new Uint8Array();
  #gpuCount = 0;

  constructor(metrics: number) {
    this.#metrics = metrics;
  }

  /** To be called with every message, before the next tick is asked for. */
  replyOf(message: WorkerMessage): Reply {
    if (typeof message === 'number') {
      const buffer = this.#copy(message);
      return { type: 'tick', buffer, gpuCount: this.#gpuCount, processCount: message, news: null };
    }
    if (message.type !== 'tick') return message;
    this.#shared = new Uint8Array(message.buffer);
    this.#gpuCount = message.gpuCount;
    return { ...message, buffer: this.#copy(message.processCount) };
  }

  #copy(processCount: number): ArrayBuffer {
    const bytes = tickBytes(this.#gpuCount, this.#metrics, processCount);
    const copy = new Uint8Array(bytes);
    copy.set(this.#shared.subarray(0, bytes));
    return copy.buffer;
  }
}
