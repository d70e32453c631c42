import { DEMO_USERS } from '@settle/contracts';
import { eventually } from '@settle/testing';
import type { Browser } from './browser.js';
import { call } from './client.js';
import { openAppPage, registerApp, createSecret, openSignedInBrowser } from './developer.js';
import { requestTokens, authorize, readRefusal } from './server-side-flow.fixture.js';
import { callbackUrl } from './sign-in.js';

const SCOPE = 'make_payments access_profile';

let alice: Browser;
beforeAll(async () => {
  alice = await openSignedInBrowser('alice');
});

describe('the secrets of an app', () => {
  // Shows token-39
  it('given a secret, when a new one is created, then both work until the old one is revoked, and neither is shown again', async () => {
    const client_id = await registerApp(alice, { name: 'Rotating', redirect_url: callbackUrl() });
    const first = await createSecret(alice, client_id);
    const second = await createSecret(alice, client_id);
    const { html } = await openAppPage(alice, client_id);
    expect([html.includes(first), html.includes(second), html.includes('still works')]).toEqual([false, false, true]);
    const accepts = async (...secrets: string[]) => {
      const responses = secrets.map(async (client_secret) =>
        readRefusal(await requestTokens({ client_id, client_secret, code: 'x' })),
      );
      return (await Promise.all(responses)).map(([, error]) => error === 'invalid_grant');
    };
    expect(await accepts(first, second, 'another')).toEqual([true, true, false]);
    const ended = await alice.submit(await openAppPage(alice, client_id), {}, 'End the former secret');
    expect([ended.url.search, ended.html.includes('still works')]).toEqual(['?done=secret-ended', false]);
    expect(await accepts(first, second)).toEqual([false, true]);
    const third = await createSecret(alice, client_id);
    expect(await accepts(second, third)).toEqual([true, true]);
    // A third secret would end the one that the servers still use.
    const { forms } = await openAppPage(alice, client_id);
    expect(forms.some(({ action }) => action.endsWith('/secret'))).toBe(false);
    await alice.submit(await openAppPage(alice, client_id), {}, 'End the new secret');
    expect(await accepts(second, third)).toEqual([true, false]);
  });

  // Shows token-39
  it('given a server that refreshes and pays, when its secret is changed meanwhile, then no request is rejected', async () => {
    const client_id = await registerApp(alice, { name: 'Changing', redirect_url: callbackUrl() });
    const first = await createSecret(alice, client_id);
    let client_secret = first;
    const code = (await authorize('bob', { client_id, scope: SCOPE, response_type: 'code' })).get('code') ?? '';
    let { tokens } = await requestTokens({ client_id, client_secret, code });
    const refusals: unknown[] = [];
    let done = 0;
    let isOver = false;
    const serve = async () => {
      while (!isOver) {
        const next = await requestTokens({ client_id, client_secret, refresh_token: tokens.refresh_token });
        if (next.status === 200) tokens = next.tokens;
        else refusals.push(readRefusal(next));
        const form = { user_id: DEMO_USERS.carol.id, amount: '0.01', note: 'while the secret changes' };
        const paid = await call('/payments', { method: 'POST', token: tokens.access_token, form });
        if (paid.status !== 200) refusals.push(paid.body);
        done += 1;
      }
    };
    const serving = serve();
    const waitUntilDone = (count: number) => eventually(async () => expect(done).toBeGreaterThanOrEqual(count));
    await waitUntilDone(3);
    const second = await createSecret(alice, client_id);
    await waitUntilDone(done + 3);
    client_secret = second;
    await waitUntilDone(done + 3);
    await alice.submit(await openAppPage(alice, client_id), {}, 'End the former secret');
    await waitUntilDone(done + 3);
    isOver = true;
    await serving;
    expect(refusals).toEqual([]);
    const { refresh_token } = tokens;
    expect(readRefusal(await requestTokens({ client_id, client_secret: first, refresh_token }))).toEqual([
      401,
      'invalid_client',
    ]);
  });
});
