import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import protobuf from 'protobufjs';
import { uncompress } from 'snappyjs';
import type { Millis } from '../../model/reading.ts';
import { OWN_SERIES } from './names.ts';

const REQUEST = protobuf
  .parse(`syntax = "proto3";
  message WriteRequest { repeated TimeSeries timeseries = 1; }
  message TimeSeries { repeated Label labels = 1; repeated Sample samples = 2; }
  message Label { string name = 1; string value = 2; }
  message Sample { double value = 1; int64 timestamp = 2; }`)
  .root.lookupType('WriteRequest');

/** How a request to write is answered. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text?: string;
  readonly delayMs?: number;
  /** It takes the data and the connection breaks. */
  readonly isLost?: boolean;
}

/** For tests only: an engine that answers as it is told, which real ones do not. It knows which ticks it has taken. */
export class ScriptedEngine {
  readonly #server: Server;
  /** Times of the ticks of each request that was taken, and of each that was asked. */
  readonly taken: Millis[] = [];
  readonly asked: (readonly Millis[])[] = [];
  readonly logins: (string | undefined)[] = [];
  questions = 0;
  /** The answer to a request with these ticks. */
  answer: (ticks: readonly Millis[]) => Answer = () => ({ status: 204 });
  isAnsweringQuestions = true;

  private constructor() {
    this.#server = createServer((request, response) => {
      void (request.url === '/api/v1/write' ? this.#write(request, response) : this.#query(request, response));
    });
  }

  static async start(): Promise<ScriptedEngine> {
    const engine = new ScriptedEngine();
    await new Promise<void>((done) => engine.#server.listen(0, '127.0.0.1', done));
    return engine;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }

  async #write(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const ticks = ticksIn(await buffer(request));
    this.asked.push(ticks);
    this.logins.push(request.headers.authorization);
    const { status, headers = {}, text = '', delayMs = 0, isLost = false } = this.answer(ticks);
    if (delayMs > 0) await new Promise((done) => setTimeout(done, delayMs));
    if (status < 300 && !response.destroyed) this.taken.push(...ticks);
    if (isLost) response.destroy();
    else response.writeHead(status, headers).end(text);
  }

  async #query(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await buffer(request);
    this.questions++;
    if (!this.isAnsweringQuestions) {
      response.writeHead(404).end();
      return;
    }
    const values = this.taken.map((at) => [at / 1000, '1']);
    const data = { resultType: 'matrix', result: values.length === 0 ? [] : [{ metric: {}, values }] };
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ status: 'success', data }));
  }
}

interface Series {
  readonly labels: readonly { readonly name: string; readonly value: string }[];
  readonly samples: readonly { readonly timestamp: number }[];
}

function ticksIn(body: Uint8Array): readonly Millis[] {
  const message = REQUEST.toObject(REQUEST.decode(uncompress(body)), { longs: Number, defaults: true, arrays: true });
  const own = (message['timeseries'] as readonly Series[]).filter(({ labels }) =>
    labels.some(({ name, value }) => name === '__name__' && value === OWN_SERIES.tick),
  );
  return own.flatMap(({ samples }) => samples.map(({ timestamp }) => timestamp));
}
