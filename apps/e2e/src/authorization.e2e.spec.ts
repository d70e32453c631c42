import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEMO_USERS, SCOPES, type Scope } from '@settle/contracts';
import { type ApiResponse, type Fields, baseUrl, call, sandboxUrl } from './client.js';
import { openAppPage, registerApp, openSignedInBrowser, revokeAccess } from './developer.js';
import { runUserCommand, runOperatorCommand } from './operator.fixture.js';
import { loadDemoUser } from './users.js';
import { expectRevoked, obtainPublicClientTokens } from './server-side-flow.fixture.js';
import { callbackUrl, obtainToken, loadToken } from './sign-in.js';
import type { WirePayment } from './wire.js';

const MADE_UP_ID = '1234567890123456789';
const { paths } = JSON.parse(readFileSync(join(import.meta.dirname, '../../../docs/openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, { security?: Record<string, string[]>[] }>>;
};

// Shows scope-5
const READING_PAYMENTS: readonly Scope[] = ['access_payment_history', 'access_profile', 'make_payments'];

/** Each operation of the API with its scopes, any one of which is enough. */
const CALLS: Readonly<Record<string, readonly Scope[]>> = {
  // Shows endpoint-10, scope-3
  'GET /me': ['access_profile'],
  // Shows endpoint-12
  'GET /users/:user_id': ['access_profile'],
  // Shows endpoint-15, scope-4
  'GET /users/:user_id/friends': ['access_friends', 'access_profile'],
  // Shows endpoint-27, scope-2
  'GET /payments': READING_PAYMENTS,
  // Shows endpoint-24, scope-1
  'POST /payments': ['make_payments'],
  // Shows endpoint-40
  'GET /payments/:payment': READING_PAYMENTS,
  // Shows endpoint-44, scope-1
  'PUT /payments/:payment': ['make_payments'],
};

/** The operations of the OpenAPI document that require a scope. */
const documented = Object.entries(paths).flatMap(([path, operations]) =>
  Object.entries(operations)
    .filter(([, { security = [] }]) => security.some(({ oauth2 }) => oauth2 !== undefined))
    .map(([method, { security = [] }]) => {
      const name = `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
      return [name, security.flatMap(({ oauth2 = [] }) => oauth2).toSorted()] as const;
    }),
);

describe('access with a token', () => {
  // Shows scope-16
  it('given the documented operations, when they are compared with this table, then each is in it with its scopes', () => {
    const here = Object.entries(CALLS).map(([name, scopes]) => [name, scopes.toSorted()]);
    expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(here));
  });

  const rows = Object.entries(CALLS).flatMap(([name, scopes]) =>
    SCOPES.map((scope) => ({ call: name, scope, isGranted: scopes.includes(scope) })),
  );

  // Shows sandbox-1, scope-10
  it.each(rows)(
    'given a token of $scope alone, when $call is called, then access is granted: $isGranted',
    async (row) => {
      const [method = '', path = ''] = row.call.split(' ');
      const target = path.replace(':user_id', DEMO_USERS.carol.id).replace(':payment', MADE_UP_ID);
      const token = await loadToken('carol', [row.scope]);
      for (const base of [baseUrl(), sandboxUrl()]) {
        const { status, body } = await call(base + target, { method, token });
        if (row.isGranted) expect([200, 400, 404]).toContain(status);
        else expect([status, body.error.code]).toEqual([403, 'insufficient_scope']);
      }
    },
  );
});

const ENVIRONMENTS = { production: baseUrl, 'the sandbox': sandboxUrl } as const;
type Environment = keyof typeof ENVIRONMENTS;

/** A gateway that has never seen the token requests its grant; one that has accepted it caches the grant for a while. */
const SEEN = ['never', 'everywhere'] as const;
type Seen = (typeof SEEN)[number];

const EVERY_CALL = (Object.keys(ENVIRONMENTS) as Environment[]).flatMap((environment) =>
  Object.keys(CALLS).map((name) => ({ environment, call: name })),
);
const EVERY_CALL_TWICE = SEEN.flatMap((seen) => EVERY_CALL.map((row) => ({ ...row, seen })));

interface CallAtEnvironment {
  readonly environment: Environment;
  readonly call: string;
}

function sendRequest<Data>(
  { environment, call: name }: CallAtEnvironment,
  { paymentId = MADE_UP_ID, ...more }: { token: string; paymentId?: string; form?: Fields; isHead?: boolean },
): Promise<ApiResponse<Data>> {
  const [method = '', path = ''] = name.split(' ');
  const target = path.replace(':user_id', DEMO_USERS.bob.id).replace(':payment', paymentId);
  const { isHead = false, ...request } = more;
  return call(ENVIRONMENTS[environment]() + target, { method: isHead ? 'HEAD' : method, ...request });
}

/** Returns a token that was never used, and one that every gateway has accepted in both environments. */
async function tokensFrom(draw: () => Promise<string>): Promise<Record<Seen, string>> {
  const tokens = { never: await draw(), everywhere: await draw() };
  for (let time = 0; time < 2; time += 1) {
    for (const row of EVERY_CALL) {
      const { status } = await sendRequest(row, { token: tokens.everywhere });
      expect([200, 400, 404]).toContain(status);
    }
  }
  return tokens;
}

const ENDS = {
  'its developer has deleted': async (clientId: string) => {
    const developer = await openSignedInBrowser('alice');
    await developer.submit(await openAppPage(developer, clientId), {}, 'Delete this app');
  },
  'an operator has suspended': async (clientId: string) => {
    expect((await runOperatorCommand('suspend-app', clientId)).code).toBe(0);
  },
  'its user has revoked': async (clientId: string) => revokeAccess(await openSignedInBrowser('bob'), clientId),
} as const;
type End = keyof typeof ENDS;

describe('a token of an app without access', () => {
  const tokens = new Map<End, Record<Seen, string>>();

  beforeAll(async () => {
    const developer = await openSignedInBrowser('alice');
    for (const [end, bringAbout] of Object.entries(ENDS) as [End, (clientId: string) => Promise<void>][]) {
      const clientId = await registerApp(developer, { name: 'Off', redirect_url: callbackUrl() });
      const drawn = await tokensFrom(async () => (await obtainPublicClientTokens(clientId)).access_token);
      await bringAbout(clientId);
      await expectRevoked(drawn.everywhere);
      tokens.set(end, drawn);
    }
  });

  const rows = (Object.keys(ENDS) as End[]).flatMap((end) => EVERY_CALL_TWICE.map((row) => ({ ...row, end })));

  // Shows scope-12
  it.each(rows)(
    'given a token seen $seen, of an app that $end, when $call is called at $environment, then revoked_token',
    async ({ end, seen, ...row }) => {
      const token = tokens.get(end)?.[seen] ?? '';
      for (const isHead of row.call.startsWith('GET') ? [false, true] : [false]) {
        const { status, headers, body } = await sendRequest(row, { token, isHead });
        expect([status, body.error?.code]).toEqual([401, isHead ? undefined : 'revoked_token']);
        expect(headers.get('www-authenticate')).toMatch(/^Bearer/);
      }
    },
  );
});

describe('a token of a frozen user', () => {
  let tokens: Record<Seen, string>;
  /** Pending charges to alice, by environment. */
  const charges = new Map<Environment, string>();
  // They are friends: in the sandbox, other users are not found.
  const { alice, bob } = DEMO_USERS;

  const requester = (environment: Environment) => loadDemoUser('bob', ENVIRONMENTS[environment]());

  beforeAll(async () => {
    tokens = await tokensFrom(() => obtainToken('alice', SCOPES));
    for (const environment of Object.keys(ENVIRONMENTS) as Environment[]) {
      const charge = await (await requester(environment)).send({ user_id: alice.id }, '-0.01');
      expect(charge.body.data.payment.status).toBe('pending');
      charges.set(environment, charge.body.data.payment.id);
    }
    await runUserCommand('alice --frozen');
  });
  afterAll(async () => {
    await runUserCommand('alice --frozen=false');
    for (const [environment, id] of charges) await (await requester(environment)).act(id, 'cancel');
  });

  /** A frozen user can still read everything, and these operations, which move money, are rejected. */
  const movesMoney: Readonly<Record<string, Fields>> = {
    'POST /payments': { user_id: bob.id, note: 'n', amount: '0.01' },
    'PUT /payments/:payment': { action: 'approve' },
  };
  const rows = EVERY_CALL_TWICE.map((row) => ({ ...row, isGranted: !(row.call in movesMoney) }));

  // Shows scope-13
  it.each(rows)(
    'given a token seen $seen, when $call is called at $environment, then access is granted: $isGranted',
    async ({ seen, isGranted, ...row }) => {
      const form = movesMoney[row.call];
      const paymentId = charges.get(row.environment) ?? '';
      const { status, body } = await sendRequest<WirePayment>(row, {
        token: tokens[seen],
        paymentId,
        ...(form && { form }),
      });
      expect([status, body.error?.code]).toEqual(isGranted ? [200, undefined] : [403, 'account_frozen']);
    },
  );
});
