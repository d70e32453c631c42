import { Agent, type IncomingMessage, request } from 'node:http';

/** A request that is sent without correction. Texts are octets (latin1). */
export interface RawRequest {
  readonly method: string;
  /** The path with the query. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

export interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const RESPONSE_TIMEOUT_MS = 20_000;

class ClosedBetweenRequests extends Error {}

/** Sends requests to one address over keep-alive connections. */
export class RawCaller {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  /** @param origin scheme, host and port */
  constructor(private readonly origin: string) {}

  /** Sends the request, and again if the server closed an idle connection at that moment. */
  send(message: RawRequest): Promise<RawResponse> {
    return this.#once(message).catch((error: unknown) => {
      if (error instanceof ClosedBetweenRequests) return this.#once(message);
      throw error;
    });
  }

  #once({ method, target, headers, body }: RawRequest): Promise<RawResponse> {
    const { hostname, port } = new URL(this.origin);
    const octets = Buffer.from(body, 'latin1');
    const given = new Map<string, string[]>();
    for (const [name, value] of headers) given.set(name, [...(given.get(name) ?? []), value]);
    if (octets.length > 0) given.set('content-length', [String(octets.length)]);
    return new Promise((resolve, reject) => {
      const sent = request({
        ...{ method, hostname, port, path: target, agent: this.#agent, timeout: RESPONSE_TIMEOUT_MS },
        headers: Object.fromEntries(given),
      });
      sent.once('timeout', () => sent.destroy(new Error(`There was no response within ${RESPONSE_TIMEOUT_MS} ms`)));
      sent.once('error', (error: NodeJS.ErrnoException) => {
        reject(sent.reusedSocket && error.code === 'ECONNRESET' ? new ClosedBetweenRequests() : error);
      });
      sent.once('response', (response) => {
        const chunks: Buffer[] = [];
        const respond = () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: headersOf(response),
            text: Buffer.concat(chunks).toString(),
          });
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', respond);
        // If the headers were too large, the server does not know the method and sends a body.
        if (method === 'HEAD') respond();
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
