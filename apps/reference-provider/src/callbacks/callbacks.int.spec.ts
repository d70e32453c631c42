import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMessageSecret, parseChange, verifyMessage } from '@settle/provider-api';
import { eventually } from '@settle/testing';
import { SECOND_MS, startProvider, type RunningProvider } from '../../test/provider.fixture.js';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const secrets = [createMessageSecret(), createMessageSecret()];
let receiver: Server;
let received: Received[];
/** The status with which the receiver answers. */
let status: number;
let running: RunningProvider;

beforeEach(async () => {
  [received, status] = [[], 204];
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(status).end();
    });
  });
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  const { port } = receiver.address() as AddressInfo;
  running = await startProvider({ secrets, callbackUrl: `http://127.0.0.1:${port}/provider/callbacks` });
});
afterEach(async () => {
  await running.close();
  receiver.closeAllConnections();
  receiver.close();
});

const idOf = ({ headers }: Received) => headers['webhook-id'];

describe('callbacks', () => {
  it('given an object, when it changes, then a callback with its version arrives, signed by both secrets', async () => {
    await running.client.charge('c1', 'test-card-1');
    const callback = await eventually(() => {
      expect(received).toHaveLength(1);
      return received[0]!;
    });
    expect(parseChange(JSON.parse(callback.body))).toMatchObject({ kind: 'charge', key: 'c1', version: 1 });
    const nowSeconds = running.clock.nowMs / SECOND_MS;
    for (const secret of secrets) {
      const id = verifyMessage(callback.headers, callback.body, { secrets: [secret], nowSeconds });
      expect(id).toBe(idOf(callback));
    }
  });

  it('given a receiver that refuses, when time passes, then the same callback is sent until it is received', async () => {
    status = 503;
    await running.client.charge('c1', 'test-card-1');
    for (const attempts of [1, 2, 3]) {
      await eventually(() => {
        // The pause grows with each attempt, and is stored only after the answer: time moves until the next one is due.
        if (received.length < attempts) running.clock.nowMs += SECOND_MS;
        expect(received.length).toBeGreaterThanOrEqual(attempts);
      });
    }
    status = 204;
    const before = received.length;
    await eventually(() => {
      running.clock.nowMs += SECOND_MS;
      expect(received.length).toBeGreaterThan(before);
    });
    expect(new Set(received.map(idOf)).size).toBe(1);
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
  });

  it('given a callback that was not received, when the provider starts again, then it is sent again', async () => {
    status = 500;
    await running.client.charge('c1', 'test-card-1');
    await eventually(() => expect(received.length).toBeGreaterThan(0));
    await running.restart();
    status = 200;
    const before = received.length;
    await eventually(() => {
      running.clock.nowMs += SECOND_MS;
      expect(received.length).toBeGreaterThan(before);
    });
    expect(new Set(received.map(idOf)).size).toBe(1);
  });
});
