import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEMO_USERS, SCOPES, type Scope } from '@settle/contracts';
import { type Answer, type Fields, baseUrl, call, sandboxUrl } from './client.js';
import { appPage, newApp, signedInBrowser, takeBack } from './developer.js';
import { asOperator, operator } from './operator.fixture.js';
import { personNamed } from './people.js';
import { expectDead, publicTokens } from './server-side-flow.fixture.js';
import { callbackUrl, newTokenFor, tokenFor } from './sign-in.js';
import type { WirePayment } from './wire.js';

const MADE_UP_ID = '1234567890123456789';
const { paths } = JSON.parse(readFileSync(join(import.meta.dirname, '../../../docs/openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, { security?: Record<string, string[]>[] }>>;
};

// Shows scope-5
const READING_PAYMENTS: readonly Scope[] = ['access_payment_history', 'access_profile', 'make_payments'];

/** Each call of the interface, and the scopes of which any one lets a token in. */
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

/** What the document says of the calls that ask for a token with a scope. */
const documented = Object.entries(paths).flatMap(([path, operations]) =>
  Object.entries(operations)
    .filter(([, { security = [] }]) => security.some(({ oauth2 }) => oauth2 !== undefined))
    .map(([method, { security = [] }]) => {
      const name = `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
      return [name, security.flatMap(({ oauth2 = [] }) => oauth2).toSorted()] as const;
    }),
);

describe('access by token', () => {
  // Shows scope-16
  it('given the calls that are documented, then each stands here, with its scopes', () => {
    const here = Object.entries(CALLS).map(([name, scopes]) => [name, scopes.toSorted()]);
    expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(here));
  });

  const rows = Object.entries(CALLS).flatMap(([name, scopes]) =>
    SCOPES.map((scope) => ({ call: name, scope, isLetIn: scopes.includes(scope) })),
  );

  // Shows sandbox-1, scope-10
  it.each(rows)(
    'given a token of $scope alone, when $call is called, then access is granted: $isLetIn',
    async (row) => {
      const [method = '', path = ''] = row.call.split(' ');
      const target = path.replace(':user_id', DEMO_USERS.carol.id).replace(':payment', MADE_UP_ID);
      const token = await tokenFor('carol', [row.scope]);
      for (const base of [baseUrl(), sandboxUrl()]) {
        const { status, body } = await call(base + target, { method, token });
        if (row.isLetIn) expect([200, 400, 404]).toContain(status);
        else expect([status, body.error.code]).toEqual([403, 'insufficient_scope']);
      }
    },
  );
});

const ENVIRONMENTS = { 'the real address': baseUrl, 'the sandbox': sandboxUrl } as const;
type Environment = keyof typeof ENVIRONMENTS;

/** A gateway that has never seen the token asks for it; one that has let it in keeps that for a while. */
const SEEN = ['never', 'everywhere'] as const;
type Seen = (typeof SEEN)[number];

const EVERY_CALL = (Object.keys(ENVIRONMENTS) as Environment[]).flatMap((environment) =>
  Object.keys(CALLS).map((name) => ({ environment, call: name })),
);
const EVERY_CALL_TWICE = SEEN.flatMap((seen) => EVERY_CALL.map((row) => ({ ...row, seen })));

interface Asked {
  readonly environment: Environment;
  readonly call: string;
}

function ask<Data>(
  { environment, call: name }: Asked,
  { paymentId = MADE_UP_ID, ...more }: { token: string; paymentId?: string; form?: Fields; isHead?: boolean },
): Promise<Answer<Data>> {
  const [method = '', path = ''] = name.split(' ');
  const target = path.replace(':user_id', DEMO_USERS.bob.id).replace(':payment', paymentId);
  const { isHead = false, ...request } = more;
  return call(ENVIRONMENTS[environment]() + target, { method: isHead ? 'HEAD' : method, ...request });
}

/** A token that was never used, and one that every gateway has accepted in both environments. */
async function tokensFrom(draw: () => Promise<string>): Promise<Record<Seen, string>> {
  const tokens = { never: await draw(), everywhere: await draw() };
  for (let time = 0; time < 2; time += 1) {
    for (const asked of EVERY_CALL) {
      const { status } = await ask(asked, { token: tokens.everywhere });
      expect([200, 400, 404]).toContain(status);
    }
  }
  return tokens;
}

const ENDS = {
  'its developer has deleted': async (clientId: string) => {
    const developer = await signedInBrowser('alice');
    await developer.submit(await appPage(developer, clientId), {}, 'Delete this app');
  },
  'an operator has suspended': async (clientId: string) => {
    expect((await operator('suspend-app', clientId)).code).toBe(0);
  },
  'its user has taken back': async (clientId: string) => takeBack(await signedInBrowser('bob'), clientId),
} as const;
type End = keyof typeof ENDS;

describe('what a token is worth once its app is off', () => {
  const tokens = new Map<End, Record<Seen, string>>();

  beforeAll(async () => {
    const developer = await signedInBrowser('alice');
    for (const [end, bringAbout] of Object.entries(ENDS) as [End, (clientId: string) => Promise<void>][]) {
      const clientId = await newApp(developer, { name: 'Off', redirect_url: callbackUrl() });
      const drawn = await tokensFrom(async () => (await publicTokens(clientId)).access_token);
      await bringAbout(clientId);
      await expectDead(drawn.everywhere);
      tokens.set(end, drawn);
    }
  });

  const rows = (Object.keys(ENDS) as End[]).flatMap((end) => EVERY_CALL_TWICE.map((row) => ({ ...row, end })));

  // Shows scope-12
  it.each(rows)(
    'given a token seen $seen, of an app that $end, when $call is called at $environment, then revoked_token',
    async ({ end, seen, ...asked }) => {
      const token = tokens.get(end)?.[seen] ?? '';
      for (const isHead of asked.call.startsWith('GET') ? [false, true] : [false]) {
        const { status, headers, body } = await ask(asked, { token, isHead });
        expect([status, body.error?.code]).toEqual([401, isHead ? undefined : 'revoked_token']);
        expect(headers.get('www-authenticate')).toMatch(/^Bearer/);
      }
    },
  );
});

describe('what a token is worth while its user is frozen', () => {
  let tokens: Record<Seen, string>;
  /** Asked of her before, at each address. */
  const charges = new Map<Environment, string>();
  /** Friends: in the sandbox others are not found. */
  const { alice, bob } = DEMO_USERS;

  const requester = (environment: Environment) => personNamed('bob', ENVIRONMENTS[environment]());

  beforeAll(async () => {
    tokens = await tokensFrom(() => newTokenFor('alice', SCOPES));
    for (const environment of Object.keys(ENVIRONMENTS) as Environment[]) {
      const charge = await (await requester(environment)).send({ user_id: alice.id }, '-0.01');
      expect(charge.body.data.payment.status).toBe('pending');
      charges.set(environment, charge.body.data.payment.id);
    }
    await asOperator('alice --frozen');
  }, 30_000);
  afterAll(async () => {
    await asOperator('alice --frozen=false');
    for (const [environment, id] of charges) await (await requester(environment)).act(id, 'cancel');
  }, 30_000);

  /** Who is frozen still sees everything, and moves no money. */
  const movesMoney: Readonly<Record<string, Fields>> = {
    'POST /payments': { user_id: bob.id, note: 'n', amount: '0.01' },
    'PUT /payments/:payment': { action: 'approve' },
  };
  const rows = EVERY_CALL_TWICE.map((row) => ({ ...row, isLetIn: !(row.call in movesMoney) }));

  // Shows scope-13
  it.each(rows)(
    'given a token seen $seen, when $call is called at $environment, then access is granted: $isLetIn',
    async ({ seen, isLetIn, ...asked }) => {
      const form = movesMoney[asked.call];
      const paymentId = charges.get(asked.environment) ?? '';
      const { status, body } = await ask<WirePayment>(asked, { token: tokens[seen], paymentId, ...(form && { form }) });
      expect([status, body.error?.code]).toEqual(isLetIn ? [200, undefined] : [403, 'account_frozen']);
    },
  );
});
