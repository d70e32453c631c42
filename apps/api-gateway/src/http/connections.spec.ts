import { once } from 'node:events';
import type { Socket } from 'node:net';
import { DEMO_USERS } from '@settle/contracts';
import { eventually } from '@settle/testing';
import {
  FORM,
  aliceProfile,
  settled,
  startGatewayUnderTest,
  type GatewayUnderTest,
} from '../../test/gateway.fixture.js';
import { connectTo } from '../../test/raw-requests.fixture.js';

let gateway: GatewayUnderTest;
let payments: number;
let letGo: () => void;
let socket: Socket;
let text: string;

beforeAll(async () => {
  gateway = await startGatewayUnderTest(() => ['access_profile', 'make_payments'], { rateLimits: null });
});
afterAll(() => gateway.close());

beforeEach(async () => {
  payments = 0;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  gateway.answers['getBalance'] = () => Promise.resolve({ balanceCents: 990 });
  gateway.answers['getProfile'] = () => Promise.resolve(aliceProfile);
  gateway.answers.createPayment = async (command) => {
    payments += 1;
    await held;
    return { payment: settled(command), balanceCents: 990 };
  };
  socket = await connectTo(gateway.url);
  text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
});
afterEach(() => {
  letGo();
  socket.destroy();
});

const statuses = (): string[] => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status = '']) => status);
const begun = (count: number): Promise<void> => eventually(() => expect(payments).toBe(count));

async function ended(): Promise<void> {
  if (!socket.readableEnded) await once(socket, 'end');
}

const body = `user_id=${DEMO_USERS.bob.id}&note=caf\u00e9&amount=0.10`;

function payment({ length = Buffer.byteLength(body), headers = [] as readonly string[] } = {}): string {
  const head = [
    'POST /v1/payments HTTP/1.1',
    'host: x',
    'authorization: Bearer t',
    `content-type: ${FORM}`,
    ...headers,
  ];
  return `${head.join('\r\n')}\r\ncontent-length: ${length}\r\n\r\n${body}`;
}

describe('the connection of a payment', () => {
  it('given a length in characters, when the payment is made, then it is answered before its last byte is refused', async () => {
    socket.write(payment({ length: body.length }));
    await begun(1);
    letGo();
    await ended();
    expect(statuses()).toEqual(['200', '400']);
    expect(text).toMatch(/"status":"settled"[^]*"amount":0\.1[^]*"code":"invalid_request"/);
  });

  it('given payments one behind the other, when bytes that are no request follow, then each is answered first', async () => {
    socket.write(`${payment()}${payment()}${payment()}\x16\x03\x01`);
    await begun(3);
    letGo();
    await ended();
    expect(statuses()).toEqual(['200', '200', '200', '400']);
  });

  it('given a payment, when its sender closes its own side, then it is answered', async () => {
    socket.end(payment());
    await begun(1);
    letGo();
    await ended();
    expect(statuses()).toEqual(['200']);
  });

  it('given a payment whose key is header 2,500, when it is sent, then it is refused, not made without the key', async () => {
    const fillers = Array.from({ length: 2_494 }, () => 'a:');
    socket.write(payment({ headers: [...fillers, 'idempotency-key: k'] }));
    await eventually(() => expect(statuses()).toEqual(['431']));
    expect([payments, text.includes('"headers_too_large"')]).toEqual([0, true]);
  });

  it('given a body too large that waits to be asked for, when it is announced, then it is refused at once', async () => {
    socket.write(payment({ length: 65_537, headers: ['expect: 100-continue'] }).slice(0, -body.length));
    await ended();
    expect(statuses()).toEqual(['413']);
  });
});

describe('the connection of a page', () => {
  it('given a page request, when its sender closes its own side, then it is answered', async () => {
    socket.end('GET /account HTTP/1.1\r\nhost: x\r\n\r\n');
    await ended();
    expect(statuses()).toEqual(['200']);
  });

  it.each([
    ['half a body', 'POST /v1/oauth/access_token HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\na='],
    ['half a body in chunks', 'POST /account HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n9\r\na='],
    ['a request', 'GET /account HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['a request with a body', `POST /account HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\na=b`],
    ['half a payment', payment().slice(0, -5)],
  ])('given %s, when a reset follows, then a client that has gone is logged, and no error', async (_name, bytes) => {
    const before = gateway.logged.length;
    const logged = () => gateway.logged.slice(before).map((line) => JSON.parse(line) as { level: string; msg: string });
    await new Promise((sent) => socket.write(bytes, sent));
    socket.resetAndDestroy();
    await eventually(() => expect(logged().some(({ msg }) => msg === 'request')).toBe(true));
    await new Promise(setImmediate);
    expect(logged().filter(({ level }) => level !== 'info')).toEqual([]);
  });
});
