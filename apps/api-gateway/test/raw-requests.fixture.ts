import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export async function connectTo(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname.replace(/[[\]]/g, ''));
  await once(socket, 'connect');
  return socket;
}

/**
 * Everything that comes back for these bytes until the connection is closed. The gateway closes it after a while
 * at the latest; a request with `connection: close` makes it close at once.
 */
export async function answerTo(url: string, bytes: string | Buffer): Promise<string> {
  const socket = await connectTo(url);
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  // The response was sent before the whole request was read; the rest arrives at a closed connection.
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(bytes);
  await closed;
  return answer;
}

/** Status of the first response, and the error code if it has one. */
export function outcomeOf(answer: string): { readonly status: number; readonly code: string | null } {
  const [, status = '0'] = /^HTTP\/1\.1 (\d{3}) /.exec(answer) ?? [];
  const [, code = null] = /"code":"([a-z_]+)"\}\}$/.exec(answer) ?? [];
  return { status: Number(status), code };
}
