import { DEMO_USERS } from '@settle/contracts';
import { eventually } from '@settle/testing';
import type { Browser } from './browser.js';
import { call } from './client.js';
import { appPage, newApp, newSecret, signedInBrowser } from './developer.js';
import { askForTokens, authorize, refused } from './server-side-flow.fixture.js';
import { callbackUrl } from './sign-in.js';

const SCOPE = 'make_payments access_profile';

let alice: Browser;
beforeAll(async () => {
  alice = await signedInBrowser('alice');
});

describe('the secrets of an app', () => {
  // Shows token-39
  it('given a secret, when a new one is made, then both work until the former is ended, and neither is shown again', async () => {
    const client_id = await newApp(alice, { name: 'Rotating', redirect_url: callbackUrl() });
    const first = await newSecret(alice, client_id);
    const second = await newSecret(alice, client_id);
    const { html } = await appPage(alice, client_id);
    expect([html.includes(first), html.includes(second), html.includes('still works')]).toEqual([false, false, true]);
    const accepts = async (...secrets: string[]) => {
      const answers = secrets.map(async (client_secret) =>
        refused(await askForTokens({ client_id, client_secret, code: 'x' })),
      );
      return (await Promise.all(answers)).map(([, error]) => error === 'invalid_grant');
    };
    expect(await accepts(first, second, 'another')).toEqual([true, true, false]);
    const ended = await alice.submit(await appPage(alice, client_id), {}, 'End the former secret');
    expect([ended.url.search, ended.html.includes('still works')]).toEqual(['?done=secret-ended', false]);
    expect(await accepts(first, second)).toEqual([false, true]);
    const [third, fourth] = [await newSecret(alice, client_id), await newSecret(alice, client_id)];
    expect(await accepts(second, third, fourth)).toEqual([false, true, true]);
  });

  // Shows token-39
  it('given a server that refreshes and pays, when its secret is changed meanwhile, then no request is refused', async () => {
    const client_id = await newApp(alice, { name: 'Changing', redirect_url: callbackUrl() });
    const first = await newSecret(alice, client_id);
    let client_secret = first;
    const code = (await authorize('bob', { client_id, scope: SCOPE, response_type: 'code' })).get('code') ?? '';
    let { tokens } = await askForTokens({ client_id, client_secret, code });
    const refusals: unknown[] = [];
    let done = 0;
    let isOver = false;
    const serve = async () => {
      while (!isOver) {
        const next = await askForTokens({ client_id, client_secret, refresh_token: tokens.refresh_token });
        if (next.status === 200) tokens = next.tokens;
        else refusals.push(refused(next));
        const form = { user_id: DEMO_USERS.carol.id, amount: '0.01', note: 'while the secret changes' };
        const paid = await call('/payments', { method: 'POST', token: tokens.access_token, form });
        if (paid.status !== 200) refusals.push(paid.body);
        done += 1;
      }
    };
    const serving = serve();
    const untilDone = (count: number) => eventually(async () => expect(done).toBeGreaterThanOrEqual(count));
    await untilDone(3);
    const second = await newSecret(alice, client_id);
    await untilDone(done + 3);
    client_secret = second;
    await untilDone(done + 3);
    await alice.submit(await appPage(alice, client_id), {}, 'End the former secret');
    await untilDone(done + 3);
    isOver = true;
    await serving;
    expect(refusals).toEqual([]);
    const { refresh_token } = tokens;
    expect(refused(await askForTokens({ client_id, client_secret: first, refresh_token }))).toEqual([
      401,
      'invalid_client',
    ]);
  });
});
