import { Agent, type IncomingMessage, request } from 'node:http';

/** A request as it goes out: nothing of it is put right. Texts are octets (latin1). */
export interface RawRequest {
  readonly method: string;
  /** With the query. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const ANSWER_WITHIN_MS = 20_000;

class ClosedBetweenRequests extends Error {}

/** Sends requests to one address, over kept connections. */
export class RawCaller {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  /** @param origin scheme, host and port */
  constructor(private readonly origin: string) {}

  /** A connection may be closed for having been idle just when a request goes out on it: that one goes out again. */
  send(message: RawRequest): Promise<RawAnswer> {
    return this.#once(message).catch((error: unknown) => {
      if (error instanceof ClosedBetweenRequests) return this.#once(message);
      throw error;
    });
  }

  #once({ method, target, headers, body }: RawRequest): Promise<RawAnswer> {
    const { hostname, port } = new URL(this.origin);
    const octets = Buffer.from(body, 'latin1');
    const given = new Map<string, string[]>();
    for (const [name, value] of headers) given.set(name, [...(given.get(name) ?? []), value]);
    if (octets.length > 0) given.set('content-length', [String(octets.length)]);
    return new Promise((resolve, reject) => {
      const sent = request({
        ...{ method, hostname, port, path: target, agent: this.#agent, timeout: ANSWER_WITHIN_MS },
        headers: Object.fromEntries(given),
      });
      sent.once('timeout', () => sent.destroy(new Error(`There was no answer within ${ANSWER_WITHIN_MS} ms`)));
      sent.once('error', (error: NodeJS.ErrnoException) => {
        reject(sent.reusedSocket && error.code === 'ECONNRESET' ? new ClosedBetweenRequests() : error);
      });
      sent.once('response', (response) => {
        const chunks: Buffer[] = [];
        const answer = () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: headersOf(response),
            text: Buffer.concat(chunks).toString(),
          });
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', answer);
        // Headers too large to be read leave the method unknown: that answer has a body.
        if (method === 'HEAD') answer();
      });
      sent.end(octets);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

function headersOf({ headersDistinct }: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct))
    for (const value of values) headers.append(name, value);
  return headers;
}
