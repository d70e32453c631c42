import { createHash } from 'node:crypto';
import { RequestMethod } from '@nestjs/common';
import { GUARDS_METADATA, METHOD_METADATA, MODULE_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { readSettings } from '@settle/config';
import { DEMO_USERS, SCOPES, SettleError, type ErrorCode, type Scope } from '@settle/contracts';
import { InMemoryBus, MessageClient } from '@settle/messaging';
import { createLogger } from '@settle/observability';
import { GatewayModule, grantsFrom } from '../gateway.module.js';
import { call, startGatewayUnderTest, type GatewayUnderTest } from '../../test/gateway.fixture.js';
import { Admission } from '../limits/admission.js';
import { AppRequests } from '../limits/app-requests.js';
import { RateLimits } from '../limits/rate-limits.js';
import { RequestSlots } from '../limits/request-slots.js';
import { AccessTokenGuard } from './access-token.guard.js';

const READING_PAYMENTS: Scope[] = ['access_payment_history', 'access_profile', 'make_payments'];

/** Where the interface is. */
// Shows sandbox-1
const BASE_PATHS = ['/v1', '/sandbox/v1'];

/** Every call that asks for a token, and the scopes of which any one lets it in. */
const CALLS: Readonly<Record<string, readonly Scope[]>> = Object.fromEntries(
  BASE_PATHS.flatMap((base) => [
    [`GET ${base}/me`, ['access_profile']],
    [`GET ${base}/users/:userId`, ['access_profile']],
    [`GET ${base}/users/:userId/friends`, ['access_friends', 'access_profile']],
    [`GET ${base}/payments`, READING_PAYMENTS],
    [`POST ${base}/payments`, ['make_payments']],
    [`GET ${base}/payments/:paymentId`, READING_PAYMENTS],
    [`PUT ${base}/payments/:paymentId`, ['make_payments']],
  ]),
);

/** And those that ask for none. */
const OPEN = [
  '/docs',
  '/docs/:version/:file',
  '/docs/errors.md',
  '/docs/interface.md',
  '/docs/sandbox.md',
  '/docs/start.js',
  '/openapi.json',
  '/pictures/:file',
];

interface Credential {
  readonly given: string;
  readonly request: { readonly query?: string; readonly token?: string };
  readonly code: ErrorCode;
}

const CREDENTIALS: readonly Credential[] = [
  { given: 'no token', request: {}, code: 'missing_token' },
  { given: 'an empty token', request: { query: 'access_token=' }, code: 'missing_token' },
  { given: 'an unknown token', request: { token: 'canary' }, code: 'invalid_token' },
  { given: 'a token that cannot be one', request: { token: '%00<canary>' }, code: 'invalid_token' },
  // Shows error-27
  { given: 'an expired token', request: { token: 'canary-of-old' }, code: 'expired_token' },
  // Shows error-28
  { given: 'a revoked token', request: { token: 'canary-taken-back' }, code: 'revoked_token' },
  { given: 'a token in two places', request: { token: 'all', query: 'access_token=all' }, code: 'invalid_request' },
];

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');
const STATUSES: Partial<Record<ErrorCode, number>> = { invalid_request: 400, insufficient_scope: 403 };

let gateway: GatewayUnderTest;
beforeAll(async () => {
  const known = new Map<string, Scope[]>([
    [hashOf('all'), [...SCOPES]],
    ...SCOPES.map((scope): [string, Scope[]] => [hashOf(scope), [scope]]),
    ...SCOPES.map((scope): [string, Scope[]] => [hashOf(`all but ${scope}`), SCOPES.filter((one) => one !== scope)]),
  ]);
  gateway = await startGatewayUnderTest((tokenSha256) => {
    if (tokenSha256 === hashOf('canary-of-old')) throw new SettleError('expired_token', 'It has expired.');
    if (tokenSha256 === hashOf('canary-taken-back')) throw new SettleError('revoked_token', 'It was revoked.');
    if (tokenSha256 === hashOf('of the sandbox')) return { scopes: [...SCOPES], environment: 'sandbox' };
    return known.get(tokenSha256) ?? null;
  });
});
afterAll(() => gateway.close());

async function ask(name: string, { query = '', token }: Credential['request'], isHead = false) {
  const [method = '', path = ''] = name.split(' ');
  const url = `${gateway.url}${path.replaceAll(/:\w+/g, DEMO_USERS.bob.id)}?${query}`;
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return call(url, { method: isHead ? 'HEAD' : method, headers });
}

/** The routes of the controllers, and whether each requires a token. */
function routes(): { name: string; isGuarded: boolean }[] {
  const bus = new InMemoryBus({ logger: createLogger({ level: 'silent', service: 'spec' }) });
  const settings = readSettings({});
  const client = new MessageClient(bus);
  const grants = grantsFrom(client, settings);
  const slots = new RequestSlots({ total: 1, perAddress: 1 });
  const rateLimits = new RateLimits(null);
  const admission = new Admission({ rateLimits, slots, grants, appRequests: new AppRequests() });
  const { controllers = [] } = GatewayModule.with({ settings, client, grants, admission });
  const ofDecorator = (Reflect.getMetadata(MODULE_METADATA.CONTROLLERS, GatewayModule) ?? []) as typeof controllers;
  return [...controllers, ...ofDecorator].flatMap((controller) => {
    const bases = [Reflect.getMetadata(PATH_METADATA, controller) as string | string[]].flat();
    const guardsOf = (target: object) => (Reflect.getMetadata(GUARDS_METADATA, target) ?? []) as unknown[];
    const prototype = controller.prototype as Record<string, object>;
    return Object.getOwnPropertyNames(prototype)
      .map((key) => prototype[key] as object)
      .filter((handler) => Reflect.hasMetadata(METHOD_METADATA, handler))
      .flatMap((handler) => {
        const method = RequestMethod[Number(Reflect.getMetadata(METHOD_METADATA, handler))] ?? '';
        const isGuarded = [...guardsOf(controller), ...guardsOf(handler)].includes(AccessTokenGuard);
        const below = [Reflect.getMetadata(PATH_METADATA, handler) as string | string[]].flat();
        const paths = bases.flatMap((base) => below.map((path) => `/${base}/${path}`));
        return paths.map((path) => {
          const name = path.replaceAll(/\/+/g, '/').replace(/(.)\/$/, '$1');
          return { name: `${method} ${name}`, isGuarded };
        });
      });
  });
}

describe('access by scope', () => {
  // Shows scope-16
  it('given every route of the gateway, then it stands in the table, and asks for a token if it should', () => {
    const all = routes();
    const guarded = all.filter(({ isGuarded }) => isGuarded).map(({ name }) => name);
    const open = all.filter(({ isGuarded }) => !isGuarded).map(({ name }) => name);
    expect(guarded.sort()).toEqual(Object.keys(CALLS).sort());
    expect(open.sort()).toEqual(OPEN.map((path) => `GET ${path}`));
  });

  const refused = Object.keys(CALLS).flatMap((name) => CREDENTIALS.map((credential) => ({ name, ...credential })));
  // Shows scope-11
  it.each(refused)('given $given, when $name is called, then $code, the second time too', async (row) => {
    const status = STATUSES[row.code] ?? 401;
    for (const isHead of [false, false, row.name.startsWith('GET')]) {
      const answer = await ask(row.name, row.request, isHead);
      expect([answer.status, answer.json.error?.code]).toEqual([status, isHead ? undefined : row.code]);
      expect(answer.headers.has('www-authenticate')).toBe(status === 401);
      expect(answer.json.error?.message ?? '').not.toContain('canary');
    }
  });

  const edges = BASE_PATHS.flatMap((base) => CREDENTIALS.map((credential) => ({ base, ...credential })));
  it.each(edges)(
    'given $given, when what takes no token is asked for below $base, then it makes no difference',
    async (row) => {
      const answers = ['GET /nowhere', 'DELETE /me', 'OPTIONS /me'].map(async (edge) => {
        const { status, json, headers } = await ask(edge.replace('/', `${row.base}/`), row.request);
        return [status, json.error?.code, headers.get('allow')];
      });
      expect(await Promise.all(answers)).toEqual([
        [404, 'resource_not_found', null],
        [405, 'method_not_allowed', 'GET, HEAD, OPTIONS'],
        [204, undefined, 'GET, HEAD, OPTIONS'],
      ]);
    },
  );

  // Shows token-41
  it.each(Object.keys(CALLS))(
    'given a token of the sandbox, when %s is called, then only the sandbox accepts it',
    async (name) => {
      for (let time = 0; time < 2; time += 1) {
        const { status, json, headers } = await ask(name, { token: 'of the sandbox' });
        if (name.includes('/sandbox/')) expect([200, 400, 404]).toContain(status);
        else {
          const challenge = headers.get('www-authenticate');
          expect([status, json.error?.code, challenge]).toEqual([
            401,
            'invalid_token',
            expect.stringContaining('Bearer'),
          ]);
        }
      }
    },
  );

  const scoped = Object.entries(CALLS).flatMap(([name, scopes]) =>
    SCOPES.map((scope) => ({ name, scope, isLetIn: scopes.includes(scope) })),
  );
  it.each(scoped)(
    'given a token of $scope alone, when $name is called, then access is granted: $isLetIn',
    async (row) => {
      for (let time = 0; time < 2; time += 1) {
        const { status, json } = await ask(row.name, { token: row.scope });
        expect(json.error?.code === 'insufficient_scope').toBe(!row.isLetIn);
        if (row.isLetIn) expect([200, 400, 404]).toContain(status);
        else expect(status).toBe(403);
      }
    },
  );

  it.each(Object.entries(CALLS))('given all scopes but those that let %s in, then 403', async (name, scopes) => {
    if (scopes.length > 1) return;
    const { status, json } = await ask(name, { token: `all but ${scopes[0]}` });
    expect([status, json.error?.code]).toEqual([403, 'insufficient_scope']);
  });
});
