import { type ClientRequest, get, type IncomingMessage } from 'node:http';

interface Message {
  readonly event: string;
  readonly id: string;
  readonly data: unknown;
}

/** A reader of the live stream that a test can make slow, with everything it was sent. */
export class TestStream {
  readonly response: IncomingMessage;
  readonly #request: ClientRequest;
  readonly messages: Message[] = [];
  /** What came besides messages: comments and the retry time. */
  readonly others: string[] = [];
  ended = false;
  #rest = '';

  private constructor(request: ClientRequest, response: IncomingMessage) {
    this.#request = request;
    this.response = response;
    response.setEncoding('utf8');
    response.on('data', (piece: string) => {
      const blocks = (this.#rest + piece).split('\n\n');
      this.#rest = blocks.pop() ?? '';
      for (const block of blocks) this.#take(block);
    });
    response.on('error', () => {});
    response.on('close', () => {
      this.ended = true;
    });
  }

  static open(port: number, options: { query?: string; headers?: Record<string, string> } = {}): Promise<TestStream> {
    const path = `/api/v1/stream${options.query ?? ''}`;
    return new Promise((resolve, reject) => {
      const request = get({ host: '127.0.0.1', port, path, agent: false, headers: options.headers ?? {} });
      request.on('response', (response) => resolve(new TestStream(request, response)));
      request.on('error', reject);
    });
  }

  /** Stops reading; what the server sends stays in buffers. */
  pause(): void {
    this.response.pause();
  }

  resume(): void {
    this.response.resume();
  }

  drop(): void {
    this.#request.destroy();
  }

  #take(block: string): void {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? '';
    const data = field('data');
    if (data === '') this.others.push(block);
    else this.messages.push({ event: field('event'), id: field('id'), data: JSON.parse(data) });
  }

  /** Resolves once `holds` does, checking every few milliseconds; rejects after five seconds. */
  async until(holds: (stream: TestStream) => boolean): Promise<void> {
    for (let i = 0; i < 1000; i++) {
      if (holds(this)) return;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error(`the stream never got there, with ${this.messages.length} messages`);
  }

  /** The messages once there are at least so many. */
  async take(count: number): Promise<Message[]> {
    await this.until(({ messages }) => messages.length >= count);
    return this.messages;
  }
}
