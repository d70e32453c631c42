import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';
import type { HttpDrain } from './http-drain.js';
import { closeStalledConnections } from './stalled-connections.js';
import { rawResponse, refusalOfUnparsed } from './unparsed-request.js';

const { bodyBytes, lingerMs } = LIMITS.gateway;
const NO_TUNNELS = new SettleError('method_not_allowed', 'This server opens no tunnels.', {
  allow: 'GET, HEAD, OPTIONS, POST, PUT, DELETE',
});

/** Node reads this property and does not declare it. */
type HalfOpenServer = Server & { httpAllowHalfOpen: boolean };

/**
 * Decides what becomes of the connections of an HTTP server. Every whole request is answered, in order: also when its
 * sender has closed its own side, and when what follows on the connection cannot be read. The latter is refused after
 * these answers, and then the connection closes. A connection on which nothing is read closes as well, see
 * `closeStalledConnections`. To be called before the server listens.
 */
export function guardConnections(server: Server, http: HttpDrain): void {
  const refused = new WeakSet<Duplex>();
  const refuse = (socket: Duplex, refusal: SettleError | null): void => {
    refused.add(socket);
    closeAfterResponses(socket, http, refusal);
  };
  (server as HalfOpenServer).httpAllowHalfOpen = true;
  // Node would leave out those that are too many without a word. Who reads the request counts them.
  server.maxHeadersCount = 0;
  closeStalledConnections(server);
  server.on('connection', (socket: Socket) => void socket.once('close', () => endResponsesOn(socket, http)));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // The parser reports everything that arrives after its first error once more.
    if (refused.has(socket)) return;
    if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
    else refuse(socket, refusalOfUnparsed(error));
  });
  // Without a listener Node destroys the connection, and with it the answers to earlier requests.
  server.on('connect', (_request, socket) => {
    socket.on('error', () => undefined).resume();
    refuse(socket, NO_TUNNELS);
  });
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    // Whoever is not asked to send the body may leave it out: what comes next would be taken for it.
    if (Number(request.headers['content-length'] ?? 0) > bodyBytes) response.setHeader('connection', 'close');
    else response.writeContinue();
    server.emit('request', request, response);
  });
}

/**
 * Ends the responses that wait for an earlier one on a connection that has closed. Node leaves them as they are: they
 * would count as in progress for good.
 */
function endResponsesOn(socket: Socket, http: HttpDrain): void {
  for (const response of http.responsesOn(socket)) {
    // Node ends the one that the connection was sending.
    if (response.socket !== null) continue;
    response.destroy();
    response.emit('close');
  }
}

/** Waits for the responses to whole requests. One whose body cannot be read gets the refusal instead, unless it has begun. */
function closeAfterResponses(socket: Duplex, http: HttpDrain, refusal: SettleError | null): void {
  const next = http.responsesOn(socket).find(({ req, headersSent }) => req.complete || headersSent);
  if (next !== undefined) {
    next.once('close', () => closeAfterResponses(socket, http, next.req.complete ? refusal : null));
    return;
  }
  if (!socket.writable) return;
  socket.end(refusal === null ? '' : rawResponse(refusal));
  // A connection that closes with unread bytes is reset, and what was sent last may be lost: read on for a moment.
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
}
