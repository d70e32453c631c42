import { LIMITS } from '@settle/config';
import { aliceProfile, call, startGatewayUnderTest, type GatewayUnderTest } from '../../test/gateway.fixture.js';
import { connectTo, outcomeOf } from '../../test/raw-requests.fixture.js';

const { headersTimeoutMs, requestTimeoutMs } = LIMITS.gateway;
/** Late connections are looked for once a second. */
const EARLY_MS = 3_500;
/** The rest is for a busy machine: what is not closed for its time stays open. */
const LATE_MS = 25_000;
const TRICKLE_EVERY_MS = 500;

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGatewayUnderTest(() => ['access_profile']);
  gateway.answers['getProfile'] = () => Promise.resolve(aliceProfile);
});
afterAll(() => gateway.close());

/** Sends the first text at once and the second a letter at a time. Returns the response and when the connection was closed. */
async function held(start: string, trickle = ''): Promise<{ readonly answer: string; readonly openMs: number }> {
  const socket = await connectTo(gateway.url);
  const sinceMs = performance.now();
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  socket.on('error', () => undefined);
  socket.write(start);
  const letters = [...trickle];
  const timer = setInterval(() => socket.writable && socket.write(letters.shift() ?? 'x'), TRICKLE_EVERY_MS);
  if (trickle === '') clearInterval(timer);
  await new Promise((resolve) => socket.once('close', resolve));
  clearInterval(timer);
  return { answer, openMs: performance.now() - sinceMs };
}

describe('requests that do not come to an end', () => {
  const head = 'POST /v1/payments HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-www-form-urlencoded\r\n';
  const rows: [string, number, number, string, string][] = [
    ['silence', headersTimeoutMs, 0, '', ''],
    ['half a head', headersTimeoutMs, 0, 'GET /v1/me HTTP/1.1\r\nhost: x\r\n', ''],
    ['a head, a letter at a time', headersTimeoutMs, 0, 'GET /v1/me HTTP/1.1\r\nhost: x\r\nx-long: ', 'xx'],
    ['half a body', requestTimeoutMs, 0, `${head}content-length: 9\r\n\r\na=`, ''],
    ['a body, a letter at a time', requestTimeoutMs, 0, `${head}content-length: 900\r\n\r\na=`, 'xx'],
    ['a chunk, a letter at a time', requestTimeoutMs, 0, `${head}transfer-encoding: chunked\r\n\r\nfff\r\n`, 'xx'],
    ['a body too large that goes on', requestTimeoutMs, 413, `${head}content-length: 900000\r\n\r\na=`, 'xx'],
    [
      'a body for nothing that goes on',
      requestTimeoutMs,
      404,
      'POST /no HTTP/1.1\r\nhost: x\r\ncontent-length: 99\r\n\r\n',
      'xx',
    ],
  ];

  // Shows request-49
  it('given them, when their time is up, then their connections are closed and others are answered', async () => {
    const open = rows.map(([, , , start, trickle]) => held(start, trickle));
    expect((await call(`${gateway.url}/v1/me?access_token=t`)).status).toBe(200);
    const closed = await Promise.all(open);
    const outcomes = closed.map(({ answer, openMs }, index) => {
      const [name, limitMs = 0] = rows[index] ?? [];
      const isInTime = openMs > limitMs - EARLY_MS && openMs < limitMs + LATE_MS;
      return [name, isInTime ? 'in time' : openMs, outcomeOf(answer).status];
    });
    expect(outcomes).toEqual(rows.map(([name, , status]) => [name, 'in time', status]));
    expect((await call(`${gateway.url}/v1/me?access_token=t`)).status).toBe(200);
  });
});
