import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Backend } from './backend.js';
import { NO_REQUEST, NO_INSTANCE_AVAILABLE, refusalOfLost, refuse } from './refusal.js';

/** These speak of one connection, and there are two. */
const CONNECTION_HEADER =
  /^(?:connection|keep-alive|proxy-connection|proxy-authenticate|expect|te|trailer|transfer-encoding|upgrade)$/i;
/** Code of undici's error for a request that it will not send to any server. */
const UNFIT = 'UND_ERR_INVALID_ARG';
/** What a client says about its own way here is not to be believed. */
const FORWARDING_HEADER = /^(?:forwarded|x-forwarded-.*|x-real-ip)$/i;

/**
 * What becomes of what a request says about its way: clients' own word is replaced by their address, a trusted
 * proxy's is added to, and that of a process of ours stands.
 */
export type Forwarding = 'replaced' | 'added to' | 'kept';

export interface ProxiedRequestOptions {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Chooses the next instance; null if none is left. */
  readonly choose: (tried: ReadonlySet<Backend>) => Backend | null;
  readonly forwarding: Forwarding;
  /** Called once, when no instance works on the request any more. */
  readonly onOver: () => void;
}

/**
 * The way of one request to an instance and of its answer back, both as they come. An instance that refuses the
 * connection is passed over; a request of which a byte may have been sent is never sent again.
 */
export class ProxiedRequest implements Dispatcher.DispatchHandler {
  readonly #tried = new Set<Backend>();
  readonly #options: ProxiedRequestOptions;
  readonly #headers: string[];
  readonly #body: Readable | null;
  #controller: Dispatcher.DispatchController | null = null;
  /** The instance that works on the request; null once it has answered. */
  #backend: Backend | null = null;
  #isOver = false;

  constructor(options: ProxiedRequestOptions) {
    this.#options = options;
    this.#headers = forwardedHeaders(options);
    this.#body = bodyOf(options.request);
    options.response.once('close', () => {
      this.#end();
      if (options.response.writableFinished) options.request.unpipe().resume();
      else this.#controller?.abort(new Error('The client has gone'));
    });
  }

  /** Hands the request to `backend`. */
  through(backend: Backend): void {
    const { request } = this.#options;
    this.#tried.add(backend);
    this.#leave();
    this.#backend = backend;
    backend.inProgress += 1;
    backend.pool.dispatch(
      {
        method: request.method as Dispatcher.HttpMethod,
        path: request.url ?? '/',
        headers: this.#headers,
        body: this.#body,
      },
      this,
    );
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#options.response.destroyed) controller.abort(new Error('The client has gone'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    for (const name of Object.keys(headers)) if (CONNECTION_HEADER.test(name)) delete headers[name];
    this.#options.response.writeHead(status, headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { response } = this.#options;
    if (response.write(chunk)) return;
    const backend = this.#backend;
    controller.pause();
    response.once('drain', () => {
      backend?.resume(response);
      controller.resume();
    });
    backend?.pause(response);
  }

  /** The instance is done: when the client reads the rest does not concern it. */
  onResponseEnd(): void {
    this.#end();
    this.#options.response.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: NodeJS.ErrnoException): void {
    const { request, response, choose } = this.#options;
    const isSendable = !response.destroyed && error.code !== UNFIT && this.#controller === null;
    const next = isSendable ? choose(this.#tried) : null;
    if (next !== null) {
      this.through(next);
      return;
    }
    this.#end();
    if (response.destroyed) return;
    if (error.code === UNFIT) refuse(response, NO_REQUEST);
    else if (this.#controller === null) refuse(response, NO_INSTANCE_AVAILABLE);
    // Half an answer can only be broken off.
    else if (response.headersSent) response.destroy();
    else refuse(response, refusalOfLost(request.method ?? ''));
  }

  #end(): void {
    this.#leave();
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.onOver();
  }

  #leave(): void {
    const backend = this.#backend;
    if (backend === null) return;
    this.#backend = null;
    backend.inProgress -= 1;
    backend.resume(this.#options.response);
  }
}

/**
 * The body on its way. An answer may come before its end; then the stream it goes through is destroyed and the rest of
 * it read for nothing. Were it the request itself that is destroyed, the client's connection would break, after an
 * answer that lets the client go on using it.
 */
function bodyOf(request: IncomingMessage): Readable | null {
  return hasBody(request) ? request.pipe(new PassThrough()) : null;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Names and values in turn, as they came but for those that hold for the other connection and those about the way. */
function forwardedHeaders({ request, forwarding }: ProxiedRequestOptions): string[] {
  const { rawHeaders, socket } = request;
  const forwarded: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (CONNECTION_HEADER.test(name) || (forwarding === 'replaced' && FORWARDING_HEADER.test(name))) continue;
    forwarded.push(name, rawHeaders[at + 1] ?? '');
  }
  // A further line of one header continues those before it.
  if (forwarding !== 'kept') forwarded.push('x-forwarded-for', socket.remoteAddress ?? '');
  return forwarded;
}
