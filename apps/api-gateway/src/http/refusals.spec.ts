import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { connect } from 'node:net';
import type { Scope } from '@settle/contracts';
import { eventually } from '@settle/testing';
import {
  FORM,
  call as callUrl,
  post,
  startGatewayUnderTest,
  type Answer,
  type GatewayUnderTest,
} from '../../test/gateway.fixture.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const scopesByToken = new Map<string, Scope[]>([
  [sha256('all'), ['make_payments', 'access_profile']],
  [sha256('profile'), ['access_profile']],
  [sha256('payer'), ['make_payments']],
  [sha256('mail'), ['access_email']],
]);

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGatewayUnderTest((hash) => scopesByToken.get(hash) ?? null);
});
afterAll(() => gateway.close());

const call = (path: string, init?: RequestInit): Promise<Answer> => callUrl(gateway.url + path, init);

describe('methods of pages', () => {
  it.each(['PUT', 'PATCH', 'OPTIONS', 'PROPFIND', 'TRACE', 'QUERY'])(
    'given %s, when a page is asked with it, then auth-service says what it takes',
    async (method) => {
      const before = gateway.pageRequests.length;
      const status = await new Promise((resolve, reject) => {
        request(`${gateway.url}/account`, { method }, (answer) => resolve(answer.resume().statusCode))
          .once('error', reject)
          .end();
      });
      expect([status, gateway.pageRequests.slice(before).map(({ url }) => url)]).toEqual([200, ['/account']]);
    },
  );
});

describe('refusals of the edge', () => {
  const bearer = { authorization: 'Bearer all' };
  const deep = `${'{"a":'.repeat(17)}1${'}'.repeat(17)}`;
  const cases: [string, [string, RequestInit], number, string][] = [
    ['an unknown path', ['/nope', {}], 404, 'resource_not_found'],
    ['a route that the sandbox has not', ['/sandbox/v1/nope', { headers: bearer }], 404, 'resource_not_found'],
    ['a wrong method in the sandbox', ['/sandbox/v1/me', { method: 'PUT' }], 405, 'method_not_allowed'],
    ['an unknown path with a bad body', ['/v1/nope', post('<x>', 'text/xml')], 404, 'resource_not_found'],
    ['a picture that cannot be', ['/pictures/%3Cb%3E.svg', {}], 404, 'resource_not_found'],
    ['an empty id', ['/v1/payments/?access_token=all', {}], 404, 'resource_not_found'],
    ['an empty id before a name', ['/v1/users//friends?access_token=all', {}], 404, 'resource_not_found'],
    ['a wrong method', ['/v1/payments', { method: 'DELETE' }], 405, 'method_not_allowed'],
    ['a large body', ['/v1/payments', post('x'.repeat(65_537), FORM)], 413, 'payload_too_large'],
    ['a large body of any kind', ['/v1/payments', post('x'.repeat(65_537), 'text/xml')], 413, 'payload_too_large'],
    ['a long URL', [`/v1/me?x=${'y'.repeat(8_200)}`, {}], 414, 'uri_too_long'],
    ['an unknown media type', ['/v1/payments', post('<x>', 'text/xml')], 415, 'unsupported_media_type'],
    ['a broken escape in the path', ['/v1/%zz', {}], 400, 'invalid_request'],
    ['a broken escape in the query, before the token', ['/v1/me?a=%zz', {}], 400, 'invalid_request'],
    ['broken JSON', ['/v1/payments', post('{"a":', 'application/json')], 400, 'invalid_request'],
    ['JSON that is no object', ['/v1/payments', post('[1]', 'application/json')], 400, 'invalid_request'],
    ['JSON nested too deep', ['/v1/payments', post(deep, 'application/json')], 400, 'invalid_request'],
    ['a JSON key sent twice', ['/v1/payments', post('{"a":1,"a":2}', 'application/json')], 400, 'invalid_request'],
    ['a field sent twice', ['/v1/payments', post('a=1&a=2', FORM)], 400, 'invalid_request'],
    ['a field in query and body', ['/v1/payments?a=1', post('a=1', FORM, bearer)], 400, 'invalid_request'],
    ['no token', ['/v1/me', {}], 401, 'missing_token'],
    ['an unknown token', ['/v1/me?access_token=x', {}], 401, 'invalid_token'],
    ['a token in two places', ['/v1/me?access_token=all', { headers: bearer }], 400, 'invalid_request'],
    [
      'a missing scope, before parameters',
      ['/v1/payments?access_token=profile', { method: 'POST' }],
      403,
      'insufficient_scope',
    ],
    ['a missing parameter', ['/v1/payments?access_token=all', { method: 'POST' }], 400, 'missing_parameter'],
    [
      'a null beside the header',
      ['/v1/payments', post('{"access_token":null}', 'application/json', bearer)],
      400,
      'missing_parameter',
    ],
    ['a malformed id', ['/v1/payments/7?access_token=all', {}], 404, 'resource_not_found'],
    [
      'a parameter of a payment that is not there',
      ['/v1/payments/7?access_token=all', { method: 'PUT' }],
      400,
      'missing_parameter',
    ],
  ];

  // Shows limit-2
  it.each(cases)('given %s, when it is sent, then the catalogue answers', async (_name, request, status, code) => {
    const answer = await call(...request);
    expect([answer.status, answer.json.error?.code]).toEqual([status, code]);
    expect(Object.keys(answer.json)).toEqual(['error']);
    expect(Object.keys(answer.json.error ?? {}).sort()).toEqual(['code', 'message']);
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.headers.get('cache-control')).toBe('no-store, private');
  });

  it('given another media type, when a body is refused, then the message names each type that is accepted', async () => {
    const { json } = await call('/v1/payments', post('<x>', 'text/xml'));
    for (const type of [FORM, 'application/json', 'multipart/form-data']) expect(json.error?.message).toContain(type);
  });

  // Shows request-8
  it('given addresses that lead nowhere, when they are asked for, then no token of theirs is logged', async () => {
    const before = gateway.logged.length;
    for (const path of ['/v1/payments/', '/v1/users//friends', '/pictures/', '/nope', '/v1/%zz']) {
      await call(`${path}?access_token=canary`);
    }
    const logged = (): string[] => gateway.logged.slice(before);
    await eventually(() => expect(logged()).toHaveLength(5));
    expect(logged().join('')).not.toContain('canary');
  });

  it('given headers beyond 16 KiB, when they are sent, then 431 comes before the connection closes', async () => {
    const { hostname, port } = new URL(gateway.url);
    const text = await new Promise<string>((resolve, reject) => {
      let received = '';
      const socket = connect(Number(port), hostname.replace(/[[\]]/g, ''));
      socket.on('data', (chunk) => (received += chunk.toString()));
      socket.on('error', reject);
      socket.on('close', () => resolve(received));
      socket.write(`GET /v1/me HTTP/1.1\r\nhost: x\r\nx-big: ${'y'.repeat(17_000)}\r\n\r\n`);
    });
    expect(text).toMatch(/^HTTP\/1\.1 431 [\s\S]*"code":"headers_too_large"/);
  });

  // Shows limit-3
  it('given an invalid token, when a request is refused, then WWW-Authenticate contains only what the client may know', async () => {
    const challenge = async (path: string): Promise<string | null> =>
      (await call(path)).headers.get('www-authenticate');
    expect(await challenge('/v1/me')).toBe('Bearer');
    expect(await challenge('/v1/me?access_token=x')).toBe('Bearer error="invalid_token"');
    const lacking = 'Bearer error="insufficient_scope", scope=';
    expect(await challenge('/v1/users/1/friends?access_token=payer')).toBe(`${lacking}"access_friends"`);
    expect(await challenge('/v1/payments?access_token=mail')).toBe(`${lacking}"access_payment_history"`);
  });

  it('given a known path, when OPTIONS or HEAD is sent, then Allow or the headers of GET come', async () => {
    const options = await call('/v1/payments/1', { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS, PUT']);
    expect((await call('/v1/me', { method: 'HEAD' })).status).toBe(401);
    expect((await call('/', { method: 'HEAD' })).status).toBe(200);
  });
});
