import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEMO_USERS, SCOPES, type Scope } from '@settle/contracts';
import { call } from './client.js';
import { tokenFor } from './sign-in.js';

const MADE_UP_ID = '1234567890123456789';
const { paths } = JSON.parse(readFileSync(join(import.meta.dirname, '../../../docs/openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, { security?: Record<string, string[]>[] }>>;
};

const READING_PAYMENTS: readonly Scope[] = ['access_payment_history', 'access_profile', 'make_payments'];

/** Each call of the interface, and the scopes of which any one lets a token in. */
const CALLS: Readonly<Record<string, readonly Scope[]>> = {
  'GET /me': ['access_profile'],
  'GET /users/:user_id': ['access_profile'],
  'GET /users/:user_id/friends': ['access_friends', 'access_profile'],
  'GET /payments': READING_PAYMENTS,
  'POST /payments': ['make_payments'],
  'GET /payments/:payment': READING_PAYMENTS,
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

describe('what a token is let in for', () => {
  it('given the calls that are documented, then each stands here, with its scopes', () => {
    const here = Object.entries(CALLS).map(([name, scopes]) => [name, scopes.toSorted()]);
    expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(here));
  });

  const rows = Object.entries(CALLS).flatMap(([name, scopes]) =>
    SCOPES.map((scope) => ({ call: name, scope, isLetIn: scopes.includes(scope) })),
  );

  it.each(rows)('given a token of $scope alone, when $call is called, then it is let in: $isLetIn', async (row) => {
    const [method = '', path = ''] = row.call.split(' ');
    const target = path.replace(':user_id', DEMO_USERS.carol.id).replace(':payment', MADE_UP_ID);
    const token = await tokenFor('carol', [row.scope]);
    const { status, body } = await call(target, { method, token });
    if (row.isLetIn) expect([200, 400, 404]).toContain(status);
    else expect([status, body.error.code]).toEqual([403, 'insufficient_scope']);
  });
});
