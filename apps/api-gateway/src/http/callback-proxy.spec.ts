import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startGatewayUnderTest, type GatewayUnderTest } from '../../test/gateway.fixture.js';

const PATH = '/provider/callbacks';
const HEADERS = {
  'webhook-id': 'm1',
  'webhook-timestamp': '1800000000',
  'webhook-signature': 'v1,AAAA',
  'content-type': 'application/json',
};

let received: {
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}[];
let answer: (response: ServerResponse) => void;
let gateway: GatewayUnderTest;
const payments = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    received.push({ url: request.url, headers: request.headers, body: Buffer.concat(chunks).toString() });
    answer(response);
  });
});

async function start(isConfigured: boolean): Promise<void> {
  const { port } = payments.address() as AddressInfo;
  gateway = await startGatewayUnderTest(() => null, {}, isConfigured ? `http://127.0.0.1:${port}` : null);
}

const post = (body: string, headers: Record<string, string> = HEADERS) =>
  fetch(gateway.url + PATH, { method: 'POST', headers, body });

beforeAll(() => new Promise<void>((resolve) => void payments.listen(0, '127.0.0.1', resolve)));
afterAll(() => void payments.close());
beforeEach(() => {
  received = [];
  answer = (response) => void response.writeHead(204).end();
});
afterEach(async () => {
  payments.closeAllConnections();
  await gateway.close();
});

describe('callbacks of the payment provider', () => {
  it('given no provider, when a callback arrives, then it is answered 404', async () => {
    await start(false);
    expect((await post('{}')).status).toBe(404);
    expect(received).toEqual([]);
  });

  it('given a provider, when a callback arrives without a token, then its bytes and signature are passed on, and nothing else', async () => {
    await start(true);
    const body = '{ "key":"ä" , "a":1.0 }';
    expect((await post(body, { ...HEADERS, authorization: 'Bearer x', cookie: 'a=b' })).status).toBe(204);
    const [{ url, headers, body: passed }] = received as [(typeof received)[0]];
    expect([url, passed]).toEqual([PATH, body]);
    expect(headers).toMatchObject(HEADERS);
    expect(Object.keys(headers)).not.toEqual(expect.arrayContaining([expect.stringMatching(/authorization|cookie/)]));
  });

  it.each([
    [401, 401],
    [400, 400],
    [413, 413],
    [503, 503],
    [302, 503],
    [200, 503],
  ])(
    'given payments-service that answers %i, when a callback arrives, then it is answered %i',
    async (status, seen) => {
      await start(true);
      answer = (response) => void response.writeHead(status, { location: '/' }).end('text');
      expect((await post('{}')).status).toBe(seen);
    },
  );

  it('given a lost answer, when a callback arrives, then it is answered 503', async () => {
    await start(true);
    answer = (response) => void response.destroy();
    expect((await post('{}')).status).toBe(503);
  });

  it('given a body above 64 KiB, when it arrives, then it is refused and not passed on', async () => {
    await start(true);
    expect((await post('x'.repeat(65_537))).status).toBe(413);
    expect(received).toEqual([]);
  });

  it('given another method, when it is requested, then it is answered 405 with the method that is allowed', async () => {
    await start(true);
    const response = await fetch(gateway.url + PATH);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'OPTIONS, POST']);
  });
});
