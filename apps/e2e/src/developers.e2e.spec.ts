import type { Browser } from './browser.js';
import { call } from './client.js';
import {
  openAppPage,
  registerApp,
  createSecret,
  pageHref,
  submitAppForm,
  openSignedInBrowser,
  revokeAccess,
} from './developer.js';
import { authorizeUrl, callbackUrl } from './sign-in.js';
import { unknownEmail } from './users.js';
import {
  requestTokens,
  authorize,
  expectRevoked,
  newPkce,
  obtainPublicClientTokens,
  readRefusal,
  fetchStatus,
} from './server-side-flow.fixture.js';
import type { WireCreated } from './wire.js';

const SCOPE = 'make_payments access_profile';

let alice: Browser;
beforeAll(async () => {
  alice = await openSignedInBrowser('alice');
});

describe('the apps of a developer', () => {
  it('given no session, when the developer pages are opened, then the sign-in page comes first', async () => {
    for (const path of ['/developers', '/developers/apps/x', '/account/apps']) {
      const { status, headers } = await call(pageHref(path));
      expect([status, headers.get('location')]).toEqual([303, expect.stringContaining('/account/sign-in')]);
    }
  });

  // Shows token-37
  it('given a form with errors, when it is sent, then each field shows its error and no app is registered', async () => {
    const before = (await alice.open(pageHref('/developers'))).html.split('/developers/apps/').length;
    const page = await submitAppForm(alice, { name: ' ', redirect_url: 'https://app.example/cb#x' });
    expect([page.status, page.html]).toEqual([
      400,
      expect.stringMatching(/id="name-error"[\s\S]*id="redirect_url-error"/),
    ]);
    const bad = await submitAppForm(alice, {
      name: 'x',
      redirect_url: 'https://a.example/cb',
      more_redirect_urls: 'nonsense',
    });
    expect(bad.html).toContain('id="more_redirect_urls-error"');
    const after = (await alice.open(pageHref('/developers'))).html.split('/developers/apps/').length;
    expect(after).toBe(before);
  });

  it('given markup as name and description, when the page is opened, then they are shown as text', async () => {
    const clientId = await registerApp(alice, { name: '<img src=x onerror=alert(1)>', redirect_url: callbackUrl() });
    for (const page of [await openAppPage(alice, clientId), await alice.open(pageHref('/developers'))]) {
      expect(page.html).not.toContain('<img src=x');
      expect(page.html).toContain('&lt;img src=x');
    }
  });

  // Shows token-38
  it('given an app without a secret, when it requests a code, then it needs a challenge, with which it gets tokens and refreshes them', async () => {
    const client_id = await registerApp(alice, { name: 'Public', redirect_url: callbackUrl() });
    const bare = await alice.open(authorizeUrl({ client_id, scope: SCOPE, response_type: 'code' }));
    expect(bare.url.searchParams.get('error')).toBe('invalid_request');
    const { refresh_token } = await obtainPublicClientTokens(client_id);
    const next = await requestTokens({ client_id, refresh_token });
    expect([next.status, await fetchStatus(next.tokens.access_token)]).toEqual([200, 200]);
    expect(readRefusal(await requestTokens({ client_id, client_secret: 'x', refresh_token }))).toEqual([
      401,
      'invalid_client',
    ]);
    const { verifier, parameters } = newPkce();
    const again = await authorize('bob', { client_id, scope: SCOPE, ...parameters });
    const without = await requestTokens({ client_id, code: again.get('code') ?? '' });
    expect([readRefusal(without), verifier.length]).toEqual([[400, 'invalid_grant'], 43]);
  });

  it('given a code and a token of one app, when another app presents them, then they are rejected', async () => {
    const one = await registerApp(alice, { name: 'One', redirect_url: callbackUrl() });
    const other = await registerApp(alice, { name: 'Other', redirect_url: callbackUrl() });
    const { verifier, parameters } = newPkce();
    const code = (await authorize('bob', { client_id: one, scope: SCOPE, ...parameters })).get('code') ?? '';
    const stolen = await requestTokens({ client_id: other, code, code_verifier: verifier });
    expect(readRefusal(stolen)).toEqual([400, 'invalid_grant']);
    const { tokens } = await requestTokens({ client_id: one, code, code_verifier: verifier });
    const refresh = await requestTokens({ client_id: other, refresh_token: tokens.refresh_token });
    expect(readRefusal(refresh)).toEqual([400, 'invalid_grant']);
    const form = { client_id: other, token: tokens.access_token };
    const revoke = await call('/oauth/revoke', { method: 'POST', form });
    expect([revoke.status, revoke.body.error.code]).toEqual([400, 'invalid_grant']);
    expect(await fetchStatus(tokens.access_token)).toBe(200);
  });

  // Shows key-13
  it('given a key of one app, when another app uses the same key for the same user, then it is a different key', async () => {
    const headers = { 'idempotency-key': `apps-${process.hrtime.bigint()}` };
    const form = { email: unknownEmail(), note: 'n', amount: '-0.01' };
    const ids = new Set<string>();
    for (const name of ['Key', 'Lock']) {
      const { access_token: token } = await obtainPublicClientTokens(
        await registerApp(alice, { name, redirect_url: callbackUrl() }),
      );
      for (const replayed of [null, 'true']) {
        const response = await call<WireCreated>('/payments', { method: 'POST', token, headers, form });
        expect(response.headers.get('idempotent-replayed')).toBe(replayed);
        ids.add(response.body.data.payment.id);
      }
    }
    expect(ids.size).toBe(2);
  });

  // Shows token-26
  it('given an app with a secret that requires PKCE, when it requests a code, then it needs a challenge, which is checked', async () => {
    const client_id = await registerApp(alice, { name: 'Careful', redirect_url: callbackUrl(), requires_pkce: 'yes' });
    const client_secret = await createSecret(alice, client_id);
    const bare = await alice.open(authorizeUrl({ client_id, scope: SCOPE, response_type: 'code' }));
    expect(bare.url.searchParams.get('error')).toBe('invalid_request');
    const { verifier, parameters } = newPkce();
    for (const [code_verifier, status] of [
      ['', 400],
      [verifier, 200],
    ] as const) {
      const code = (await authorize('bob', { client_id, scope: SCOPE, ...parameters })).get('code') ?? '';
      const form = { client_id, client_secret, code, ...(code_verifier !== '' && { code_verifier }) };
      expect((await requestTokens(form)).status).toBe(status);
    }
  });

  it('given an app for codes only, when it requests a token or names no response type, then it is rejected', async () => {
    const client_id = await registerApp(alice, { name: 'Codes', redirect_url: callbackUrl(), codes_only: 'yes' });
    for (const response_type of ['token', undefined]) {
      const request = { client_id, scope: SCOPE, ...(response_type !== undefined && { response_type }) };
      const { url } = await alice.open(authorizeUrl(request));
      expect(url.searchParams.get('error')).toBe('unauthorized_client');
    }
  });

  // Shows authorize-11, token-43
  it('given an app that loses its redirect URL, when it requests authorization, then the browser is not redirected', async () => {
    const client_id = await registerApp(alice, { name: 'Closing', redirect_url: callbackUrl() });
    await alice.submit(await openAppPage(alice, client_id), { redirect_url: '', more_redirect_urls: '' }, 'Save');
    const { status, headers } = await call(`/oauth/authorize?client_id=${client_id}&scope=make_payments`);
    expect([status, headers.get('location')]).toEqual([400, null]);
    expect((await openAppPage(alice, client_id)).html).not.toContain('Create a sandbox token');
  });

  // Shows token-41
  it('given the button for the sandbox, when it is pressed, then the curl line works unchanged and its token works in the sandbox alone', async () => {
    const client_id = await registerApp(alice, { name: 'Trying', redirect_url: callbackUrl() });
    const { html } = await alice.submit(await openAppPage(alice, client_id), {}, 'Create a sandbox token');
    const [, url = ''] = /curl (\S+)/.exec(html) ?? [];
    const form = Object.fromEntries(
      [...html.matchAll(/-d (\w+)=([^\s\\<]+)/g)].map(([, name, value]) => [name, value]),
    );
    const { status, body } = await call<{ payment: { status: string } }>(url, { method: 'POST', form });
    expect([status, body.data.payment.status]).toEqual([200, 'settled']);
    const token = form.access_token ?? '';
    for (const path of ['/me', '/payments', '/me']) {
      const real = await call(path, { token });
      expect([real.status, real.body.error.code]).toEqual([401, 'invalid_token']);
    }
    const pay = await call('/payments', { method: 'POST', form: { ...form, email: unknownEmail(), user_id: '' } });
    expect([pay.status, pay.body.error.code]).toEqual([401, 'invalid_token']);
  });

  it('given an app of alice, when bob opens it or sends its forms, then it is not found', async () => {
    const client_id = await registerApp(alice, { name: 'Hers', redirect_url: callbackUrl() });
    const bob = await openSignedInBrowser('bob');
    expect((await bob.open(pageHref(`/developers/apps/${client_id}`))).status).toBe(404);
    expect((await bob.open(pageHref('/developers/apps/%00'))).status).toBeGreaterThanOrEqual(400);
    const { fields } = (await bob.open(pageHref('/developers'))).forms.find((form) => 'name' in form.fields)!;
    const body = new URLSearchParams({ form_token: fields.form_token ?? '' });
    const response = await bob.send(new URL(pageHref(`/developers/apps/${client_id}/delete`)), 'POST', body);
    expect(response.status).toBe(404);
    const bare = await bob.send(new URL(pageHref('/developers/apps')), 'POST', new URLSearchParams({ name: 'x' }));
    expect([bare.status, (await openAppPage(alice, client_id)).status]).toEqual([403, 200]);
  });

  // Shows token-42
  it('given an app with tokens, when it is deleted, then all its tokens are revoked and the app is not found', async () => {
    const client_id = await registerApp(alice, { name: 'Ending', redirect_url: callbackUrl() });
    const tokens = await obtainPublicClientTokens(client_id);
    expect(await fetchStatus(tokens.access_token)).toBe(200);
    await alice.submit(await openAppPage(alice, client_id), {}, 'Delete this app');
    await expectRevoked(tokens.access_token);
    expect((await openAppPage(alice, client_id)).status).toBe(404);
    const { refresh_token } = tokens;
    expect(readRefusal(await requestTokens({ client_id, refresh_token }))).toEqual([401, 'invalid_client']);
    expect((await call(`/oauth/authorize?client_id=${client_id}&scope=make_payments`)).status).toBe(400);
  });
});

describe('connected apps', () => {
  // Shows token-46
  it('given an authorized app, when its page is opened, then it shows scopes and last use, and one button revokes access', async () => {
    const name = `Connected ${process.hrtime.bigint()}`;
    const client_id = await registerApp(alice, { name, redirect_url: callbackUrl() });
    const { access_token: token } = await obtainPublicClientTokens(client_id);
    const bob = await openSignedInBrowser('bob');
    const sectionOf = async () =>
      (await bob.open(pageHref('/account/apps'))).html.split('<section').find((part) => part.includes(name)) ?? '';
    expect(await sectionOf()).toMatch(/Pay and charge people[\s\S]*See your profile[\s\S]*Never/);
    expect(await fetchStatus(token)).toBe(200);
    expect(await sectionOf()).toMatch(/Last used<\/dt><dd>\d{4}-\d\d-\d\d \d\d:\d\d UTC/);
    const page = await bob.open(pageHref('/account/apps'));
    const form = page.forms.find(({ action, fields }) => action.endsWith('/revoke') && fields.app === client_id)!;
    const forged = await bob.send(new URL(form.action, page.url), 'POST', new URLSearchParams({ app: client_id }));
    expect([forged.status, await fetchStatus(token)]).toEqual([403, 200]);
    await bob.send(new URL(form.action, page.url), 'POST', new URLSearchParams(form.fields));
    await expectRevoked(token);
    expect(await sectionOf()).toBe('');
  });

  it('given remembered consent, when the app’s access is revoked, then consent is requested again', async () => {
    const client_id = await registerApp(alice, { name: 'Remembered', redirect_url: callbackUrl() });
    await createSecret(alice, client_id);
    const carol = await openSignedInBrowser('carol');
    const sendRequest = () =>
      carol.open(`${pageHref('/v1/oauth/authorize')}?client_id=${client_id}&response_type=code&scope=access_profile`);
    await carol.submit(await sendRequest(), {}, 'Allow');
    expect((await sendRequest()).url.searchParams.get('code')).not.toBeNull();
    await revokeAccess(carol, client_id);
    expect((await sendRequest()).forms.flatMap(({ buttons }) => buttons.map(({ label }) => label))).toContain('Allow');
  });
});
