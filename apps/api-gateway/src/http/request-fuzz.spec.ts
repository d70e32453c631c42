import { settlesWithin } from '@settle/concurrency';
import { ERROR_CATALOGUE, type ErrorCode } from '@settle/contracts';
import fc from 'fast-check';
import { aliceProfile, settled, startGatewayUnderTest, type GatewayUnderTest } from '../../test/gateway.fixture.js';
import { connectTo } from '../../test/raw-requests.fixture.js';

const RUNS = 2_000;
const ANSWER_WITHIN_MS = 20_000;
const SECRET = 'sEcReT-t0ken_0123456789abcdefghijklmnopqrst';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGatewayUnderTest(() => ['access_profile', 'make_payments'], { rateLimits: null });
  gateway.answers['getProfile'] = () => Promise.resolve(aliceProfile);
  gateway.answers['listPayments'] = () => Promise.resolve({ payments: [], next: null });
  gateway.answers['listFriends'] = () => Promise.resolve({ friends: [], next: null });
  gateway.answers.createPayment = (command) => Promise.resolve({ payment: settled(command), balanceCents: 1 });
});
afterAll(() => gateway.close());

const mostly = (usual: readonly string[], odd: fc.Arbitrary<string>, weight: number): fc.Arbitrary<string> =>
  fc.oneof({ weight, arbitrary: fc.constantFrom(...usual) }, { weight: 1, arbitrary: odd });
const bytes = fc.uint8Array({ maxLength: 40 }).map((octets) => Buffer.from(octets).toString('latin1'));
const escaped = bytes.map((text) => encodeURIComponent(text));

const names = ['user_id', 'email', 'phone', 'note', 'amount', 'audience', 'action', 'limit', 'before', 'access_token'];
const texts = [SECRET, '1852942301724180481', '-1.50', '1', 'pay', 'approve', 'hi', 'a@example.com', '4155550101'];
const name = mostly(names, fc.oneof(escaped, bytes), 20);
const value = mostly([...texts, '2026-01-31', '', '%', '%ff', '%00', '+'], fc.oneof(escaped, bytes), 8);
const fields = fc
  .array(
    fc.tuple(name, value).map((pair) => pair.join('=')),
    { maxLength: 6 },
  )
  .map((pairs) => pairs.join('&'));
const asked = fc.constantFrom('user_id=1852942301724180481&note=hi&amount=1', 'action=deny', '');
const form = fc.tuple(asked, fields).map((parts) => parts.filter((part) => part !== '').join('&'));
const json = fc.oneof(
  fc.json({ maxDepth: 20 }),
  fc
    .dictionary(name, fc.oneof(fc.constantFrom(...texts), fc.double(), fc.jsonValue()))
    .map((object) => JSON.stringify(object)),
  form.map((text) => `{"${text.replaceAll('=', '":"').replaceAll('&', '","')}"}`),
);

const paths = ['/v1/me', '/v1/payments', '/v1/payments/1852942301724180481', '/v1/users/1852942301724180481/friends'];
const oddPaths = ['/v1/users/1', '/', '/v1/oauth/authorize', '/nope', '*', 'http://x/v1/me', '/v1/me/', '//', '/v1/%'];
const path = mostly([...paths, ...paths, ...oddPaths], bytes, 30);
const target = fc
  .tuple(path, fc.oneof(fc.constant(''), fields))
  .map((parts) => parts.filter((part) => part !== '').join('?'));
const method = mostly(['GET', 'POST', 'PUT', 'GET', 'POST', 'HEAD', 'OPTIONS', 'DELETE', 'PATCH'], bytes, 40);
const types = ['application/json', 'application/x-www-form-urlencoded'];
const type = mostly([...types, ...types, 'application/json; charset=latin1', 'text/xml', ''], bytes, 30);
const authorization = mostly([`Bearer ${SECRET}`, `Bearer ${SECRET}`, 'Basic eA==', 'Bearer'], bytes, 30);
const others = ['expect: 100-continue', 'expect: x', 'connection: upgrade', 'upgrade: x', 'host: y'];
const framing = ['transfer-encoding: chunked', 'content-encoding: br', 'content-length: 5', 'connection: close'];
const header = mostly([...others, ...framing], bytes, 30);
const request = fc.record({
  method,
  target,
  version: mostly(['HTTP/1.1', 'HTTP/1.0'], bytes, 40),
  type: fc.option(type),
  authorization: fc.option(authorization),
  headers: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(header, { maxLength: 4 }) },
  ),
  body: fc.oneof({ weight: 3, arbitrary: form }, { weight: 3, arbitrary: json }, { weight: 1, arbitrary: bytes }),
  hasLength: mostly(['yes'], fc.constant('no'), 8),
});
type Request = typeof request extends fc.Arbitrary<infer Value> ? Value : never;

function written({ method, target, version, type, authorization, headers, body, hasLength }: Request): Buffer {
  const octets = Buffer.from(body, 'utf8');
  const head = [`${method} ${target} ${version}`, 'host: x', ...headers];
  if (hasLength === 'yes') head.push(`content-length: ${octets.length}`);
  if (type !== null) head.push(`content-type: ${type}`);
  if (authorization !== null) head.push(`authorization: ${authorization}`);
  return Buffer.concat([Buffer.from([...head, '', ''].join('\r\n'), 'latin1'), octets]);
}

/** All that is answered until the gateway has nothing more to say: the sender has closed its half. */
async function conversation(message: Buffer): Promise<string> {
  const socket = await connectTo(gateway.url);
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.end(message);
  if (await settlesWithin(closed, ANSWER_WITHIN_MS)) return answer;
  socket.destroy();
  throw new Error(`The connection was still open after ${ANSWER_WITHIN_MS} ms; until then came: ${answer}`);
}

describe('requests of any bytes', () => {
  // Shows request-8, request-50
  it('given them, when they arrive, then each is answered by the catalogue or cut off, and no secret comes back', async () => {
    const statuses = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(request, async (sent) => {
        const answer = await conversation(written(sent));
        expect(answer).not.toContain(SECRET);
        for (const [, status] of answer.matchAll(/(?:^|\r\n\r\n|\})HTTP\/1\.1 (\d{3}) /g)) {
          statuses.set(Number(status), (statuses.get(Number(status)) ?? 0) + 1);
          expect(Number(status)).toBeLessThan(500);
        }
        for (const [, code] of answer.matchAll(/"code":"([^"]*)"\}\}/g)) {
          const { status } = ERROR_CATALOGUE[code as ErrorCode];
          expect(answer).toContain(`HTTP/1.1 ${status} `);
        }
      }),
      { numRuns: RUNS },
    );
    expect([200, 204, 400, 401, 404, 405, 415].filter((status) => !statuses.has(status))).toEqual([]);
    expect(gateway.logged.join('')).not.toContain(SECRET);
  }, 120_000);
});
