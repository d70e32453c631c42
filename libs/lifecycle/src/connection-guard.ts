import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';
import type { HttpDrain } from './http-drain.js';
import { closeStalledConnections } from './stalled-connections.js';
import { buildUnparsedRefusal, closeWithResponse } from './unparsed-request.js';

const { bodyBytes } = LIMITS.gateway;
const NO_TUNNELS = new SettleError('method_not_allowed', 'This server opens no tunnels.', {
  allow: 'GET, HEAD, OPTIONS, POST, PUT, DELETE',
});

/** Node reads this property and does not declare it. */
type HalfOpenServer = Server & { httpAllowHalfOpen: boolean };

/**
 * Handles the connections of an HTTP server. Every complete request is answered, in order, even if its sender has
 * closed its side or if unreadable bytes follow; those are refused after these responses, and the connection closes. A
 * connection whose client reads nothing is closed, see `closeStalledConnections`. Call it before the server listens.
 */
export function guardConnections(server: Server, http: HttpDrain): void {
  const refused = new WeakSet<Duplex>();
  const refuse = (socket: Duplex, refusal: SettleError | null): void => {
    refused.add(socket);
    closeAfterResponses(socket, http, refusal);
  };
  (server as HalfOpenServer).httpAllowHalfOpen = true;
  // Node would silently drop headers beyond a limit; the code that reads the request counts them.
  server.maxHeadersCount = 0;
  closeStalledConnections(server);
  server.on('connection', (socket: Socket) => void socket.once('close', () => endResponsesOn(socket, http)));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // The parser reports everything after its first error again.
    if (refused.has(socket)) return;
    if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
    else refuse(socket, buildUnparsedRefusal(error));
  });
  // Without a listener Node destroys the connection, and the responses to earlier requests with it.
  server.on('connect', (_request, socket) => {
    socket.on('error', () => undefined).resume();
    refuse(socket, NO_TUNNELS);
  });
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    // A client that was not asked for the body may omit it: the next bytes would be taken for it.
    if (Number(request.headers['content-length'] ?? 0) > bodyBytes) response.setHeader('connection', 'close');
    else response.writeContinue();
    server.emit('request', request, response);
  });
}

/**
 * Ends the responses that wait for an earlier one on a closed connection. Older versions of Node leave them open: they
 * would count as in progress forever.
 */
function endResponsesOn(socket: Socket, http: HttpDrain): void {
  for (const response of http.responsesOn(socket)) {
    // Node ends the response that the connection was sending.
    if (response.socket !== null) continue;
    response.destroy();
    response.emit('close');
  }
}

/**
 * Waits for the responses to complete requests. A request whose body cannot be read gets the refusal instead, unless
 * its response has begun.
 */
function closeAfterResponses(socket: Duplex, http: HttpDrain, refusal: SettleError | null): void {
  const next = http.responsesOn(socket).find(({ req, headersSent }) => req.complete || headersSent);
  if (next !== undefined) {
    next.once('close', () => closeAfterResponses(socket, http, next.req.complete ? refusal : null));
    return;
  }
  if (socket.writable) closeWithResponse(socket, refusal);
}
