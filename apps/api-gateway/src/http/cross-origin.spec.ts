import { call, startGatewayUnderTest, type GatewayUnderTest } from '../../test/gateway.fixture.js';

const ALLOWED = 'https://app.example.com';
const PREFLIGHT = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGatewayUnderTest(() => ['access_profile'], { rateLimits: null });
});
afterAll(() => gateway.close());

const send = (path: string, origin: string, method = 'GET', headers = {}) =>
  call(gateway.url + path, { method, headers: { origin, ...headers } });

describe('calls from other origins', () => {
  // Shows request-47
  it.each(['/v1/payments', '/sandbox/v1/payments'])(
    'given an origin that the operator has configured, when its script sends a preflight request for %s, then the response allows it',
    async (path) => {
      const answer = await send(path, ALLOWED, 'OPTIONS', PREFLIGHT);
      expect([answer.status, answer.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS, POST']);
      expect(answer.headers.get('access-control-allow-origin')).toBe(ALLOWED);
      expect(answer.headers.get('access-control-allow-headers')).toContain('authorization');
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    },
  );

  // Shows request-47
  it.each([
    ['/v1/me', 401],
    ['/sandbox/v1/me', 401],
    ['/sandbox/v1/oauth/access_token', 200],
    ['/.well-known/oauth-authorization-server', 200],
    ['/openapi.json', 200],
    ['/v1/nope', 404],
    ['/v1/%', 400],
    ['/sandbox/v1/users/%zz', 400],
  ])('given such an origin, when its script requests %s, then it can read the response', async (path, status) => {
    const answer = await send(path, ALLOWED);
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([status, ALLOWED]);
    expect(answer.headers.get('vary')).toBe('origin');
    expect(answer.headers.get('access-control-expose-headers')).toContain('x-request-id');
  });

  it.each(['/v1/payments', '/sandbox/v1/payments', '/openapi.json'])(
    'given another origin, when its script sends a preflight request for %s, then nothing is allowed to it',
    async (path) => {
      const answer = await send(path, 'https://evil.example', 'OPTIONS', PREFLIGHT);
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([204, null]);
    },
  );

  it.each(['/account', '/', '/docs', '/v10/me', '/%'])(
    'given an allowed origin, when its script requests %s, then it cannot read the page',
    async (path) => {
      expect((await send(path, ALLOWED)).headers.get('access-control-allow-origin')).toBeNull();
    },
  );
});
