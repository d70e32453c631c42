import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request as it arrived at the path. */
export interface PassedRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** `request`: the request arrived and is not passed on. `answer`: the other side has answered, and its answer is not passed back. */
export type HeldAt = 'request' | 'answer';

interface Trap {
  readonly at: HeldAt;
  readonly isMeant: (request: PassedRequest) => boolean;
  readonly caught: () => void;
}

/** Headers of one connection, and those that `fetch` writes itself. */
const NOT_PASSED = new Set(['host', 'connection', 'keep-alive', 'transfer-encoding', 'content-length', 'expect']);

/** The HTTP path to one side. It can hold a request at an exact point, lose answers, and drop everything. */
export class HttpPath {
  readonly #held = new Set<IncomingMessage>();
  readonly #requests: PassedRequest[] = [];
  #target = '';
  #trap: Trap | null = null;
  #losesAnswersTo: Trap['isMeant'] = () => false;
  #isAway = false;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async listen(): Promise<HttpPath> {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const path = new HttpPath(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', (request, response) => {
      // A client that was killed, and a side that is away, end the connection.
      path.#pass(request, response).catch(() => request.socket.destroy());
    });
    return path;
  }

  /** @param url where requests are passed on to, without a slash at the end */
  leadTo(url: string): void {
    this.#target = url;
  }

  /** The requests so far, in order. */
  get requests(): readonly PassedRequest[] {
    return this.#requests;
  }

  /** Holds the next request that is meant, and everything after it. Resolves once it is held. */
  holdNext(at: HeldAt, isMeant: Trap['isMeant']): Promise<void> {
    return new Promise((caught) => {
      this.#trap = { at, isMeant, caught };
    });
  }

  /** Ends every held request without an answer, and passes on all later ones. */
  release(): void {
    this.#trap = null;
    this.#losesAnswersTo = () => false;
    this.#isAway = false;
    for (const request of this.#held) request.socket.destroy();
    this.#held.clear();
  }

  /** Passes on requests that are meant, and ends their connections without the answer, until `release`. */
  loseAnswers(isMeant: Trap['isMeant']): void {
    this.#losesAnswersTo = isMeant;
  }

  /** Ends every connection at once, until `release`. */
  goAway(): void {
    this.#isAway = true;
  }

  async close(): Promise<void> {
    this.release();
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const passed = await readRequest(request);
    this.#requests.push(passed);
    if (this.#isAway) return void request.socket.destroy();
    if (this.#isHeld('request', passed)) return void this.#held.add(request);
    const { method, headers, body } = passed;
    const hasBody = body !== '' || method === 'POST' || method === 'PUT';
    const answer = await fetch(this.#target + passed.path, {
      ...{ method, headers, redirect: 'manual' },
      ...(hasBody ? { body } : {}),
    });
    const answered = Buffer.from(await answer.arrayBuffer());
    if (this.#losesAnswersTo(passed)) return void request.socket.destroy();
    if (this.#isHeld('answer', passed)) return void this.#held.add(request);
    const kept = [...answer.headers].filter(([name]) => !NOT_PASSED.has(name) && name !== 'content-encoding');
    response.writeHead(answer.status, Object.fromEntries(kept)).end(answered);
  }

  /** Once a request is held at its point, no other one passes that point either: the process is about to be killed. */
  #isHeld(at: HeldAt, request: PassedRequest): boolean {
    const trap = this.#trap;
    if (trap === null || trap.at !== at || !trap.isMeant(request)) return false;
    trap.caught();
    this.#trap = { ...trap, isMeant: () => true };
    return true;
  }
}

async function readRequest(request: IncomingMessage): Promise<PassedRequest> {
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    typeof value === 'string' && !NOT_PASSED.has(name) ? [[name, value] as const] : [],
  );
  const { method = 'GET', url: path = '/' } = request;
  return { method, path, headers: Object.fromEntries(headers), body: await text(request) };
}
