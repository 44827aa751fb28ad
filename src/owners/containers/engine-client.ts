import type { IncomingMessage } from 'node:http';

/** What a container engine knows of a container. */
export interface ContainerFacts {
  readonly name: string | null;
  readonly image: string | null;
  readonly labels: Readonly<Record<string, string>>;
  /** By what the engine calls itself, since Podman also answers under Docker's address. */
  readonly engine: 'docker' | 'podman' | null;
}

/** An engine's answer about one container; `unknown` where it has no such container. */
export type EngineAnswer = ContainerFacts | 'unknown';

/** Descriptions of containers are some ten kilobytes. */
const MAX_ANSWER_BYTES = 1 << 20;

/** What is kept of the labels of one container. */
const MAX_LABELS = 64;
const MAX_LABEL_LENGTH = 1024;

/**
 * Asks the engine behind a unix socket about a container. It only ever sends `GET /containers/ID/json`, which Docker and
 * Podman answer alike. Rejects where the engine cannot be reached, is too slow, or gives no sensible answer.
 */
export async function askEngine(socketPath: string, id: string, timeoutMs: number): Promise<EngineAnswer> {
  // Anything else could be made to mean another request.
  if (!/^[0-9a-f]{64}$/.test(id)) return 'unknown';
  // Not imported: an import looks at every export of `node:http`, and one of them brings in all of `fetch`.
  const { request } = process.getBuiltinModule('node:http');
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(
      {
        socketPath,
        path: `/containers/${id}/json`,
        method: 'GET',
        agent: false,
        headers: { host: 'localhost' },
        signal,
      },
      resolve,
    );
    // A name that is still to come keeps no command from ending.
    sent.on('socket', (socket) => socket.unref());
    sent.on('error', reject);
    sent.end();
  });
  if (response.statusCode === 404) {
    response.destroy();
    return 'unknown';
  }
  if (response.statusCode !== 200) {
    response.destroy();
    throw new Error(`HTTP ${response.statusCode}`);
  }
  return readFacts(JSON.parse(await readBody(response)), id, engineOf(response.headers['server']));
}

async function readBody(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response) {
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES) throw new Error('answer too long');
    chunks.push(chunk);
  }
  if (!response.complete) throw new Error('answer cut off');
  return Buffer.concat(chunks).toString('utf8');
}

function engineOf(server: string | readonly string[] | undefined): ContainerFacts['engine'] {
  if (typeof server !== 'string') return null;
  if (server.startsWith('Libpod/')) return 'podman';
  return server.startsWith('Docker/') ? 'docker' : null;
}

function readFacts(answer: unknown, id: string, engine: ContainerFacts['engine']): ContainerFacts {
  const container = asRecord(answer);
  // An engine also answers to names and to beginnings of ids: this must be the very container.
  if (container?.['Id'] !== id) throw new Error('another container');
  const config = asRecord(container['Config']);
  return {
    // Docker puts a slash before it, from the time of links between containers.
    name: asText(container['Name'])?.replace(/^\//, '') || null,
    image: asText(config?.['Image']) || null,
    labels: readLabels(config?.['Labels']),
    engine,
  };
}

function readLabels(value: unknown): Readonly<Record<string, string>> {
  const labels: [string, string][] = [];
  for (const [key, label] of Object.entries(asRecord(value) ?? {})) {
    const text = asText(label);
    // A shortened label would be a wrong one.
    if (text === null || Math.max(key.length, text.length) > MAX_LABEL_LENGTH) continue;
    if (labels.push([key, text]) === MAX_LABELS) break;
  }
  return Object.fromEntries(labels);
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
}

function asText(value: unknown): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a text with these would steer a terminal.
  return typeof value === 'string' && !/[\0-\x1f\x7f-\x9f]/.test(value) ? value : null;
}
