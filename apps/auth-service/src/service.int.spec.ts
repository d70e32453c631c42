import { createHash } from 'node:crypto';
import { checkToken, tokensRevoked, DEMO_APP, TOPICS, type TokensRevoked } from '@settle/contracts';
import { eventually, freshDatabase } from '@settle/testing';
import { createLogger } from '@settle/observability';
import { PagesBrowser } from '../test/pages-browser.fixture.js';
import { signInDemoUser, startAuth, type StartedAuth } from '../test/started-auth.fixture.js';
import { ExpiredRowCleanup } from './tables/expired-row-cleanup.js';
import { RevocationPublisher } from './tokens/revocation-publisher.js';

const QUERY = `client_id=${DEMO_APP.clientId}&scope=make_payments`;
const silent = createLogger({ level: 'silent', service: 'auth' });
const sha256Of = (token: string) => createHash('sha256').update(token).digest('hex');

let auth: StartedAuth;
/** The revocation events that gateways received. */
const received: TokensRevoked[] = [];
beforeAll(async () => {
  auth = await startAuth(await freshDatabase());
  auth.bus.consume(TOPICS.authRevocations, tokensRevoked.pattern, 'spec', async (events) => {
    received.push(...events.map((event) => event.payload as TokensRevoked));
  });
});
afterAll(() => auth.stop());

async function newToken(): Promise<string> {
  const { browser, consentPage } = await signInDemoUser(auth, QUERY);
  const response = await browser.submit(consentPage, '/v1/oauth/consent', { decision: 'allow' });
  return new URL(response.headers.get('location') ?? '').searchParams.get('access_token') ?? '';
}

describe('revocation', () => {
  it('given no revocation, when time passes, then gateways keep receiving the time up to which revocations are complete', async () => {
    const sinceMs = Date.now();
    await eventually(() =>
      expect(received.filter((event) => event.completeUpToMs > sinceMs).length).toBeGreaterThan(2),
    );
  });

  it('given a valid token, when its revocation is published, then gateways have received it before the call returns and the token is refused', async () => {
    const tokenSha256 = sha256Of(await newToken());
    const revokedAtMs = Date.now();
    await auth.pool.query(`update tokens set revoked_at = now() where sha256 = decode($1, 'hex')`, [tokenSha256]);
    // Simulates another instance, which does not hold the lease.
    await new RevocationPublisher(auth.pool, auth.client, silent, false).publish([tokenSha256]);
    const events = received.filter((event) => event.tokenSha256s.includes(tokenSha256));
    expect(events.length).toBeGreaterThan(0);
    expect(events[0]!.completeUpToMs).toBeGreaterThanOrEqual(revokedAtMs);
    const check = auth.client.request(checkToken, { tokenSha256 }, { key: 'k', timeoutMs: 30_000 });
    await expect(check).rejects.toMatchObject({ code: 'revoked_token' });
  });

  it('given a published revocation, when the clock of the database goes back behind it, then the token stays refused', async () => {
    const tokenSha256 = sha256Of(await newToken());
    const revokeAt = async (time: string) =>
      auth.pool.query(`update tokens set revoked_at = ${time} where sha256 = decode($1, 'hex')`, [tokenSha256]);
    await revokeAt('now()');
    await new RevocationPublisher(auth.pool, auth.client, silent, false).publish([tokenSha256]);
    await revokeAt(`now() + interval '1 hour'`);
    const check = auth.client.request(checkToken, { tokenSha256 }, { key: 'k', timeoutMs: 30_000 });
    await expect(check).rejects.toMatchObject({ code: 'revoked_token' });
  });

  it('given a stored revocation that is not published, when the next round runs, then it is published exactly once', async () => {
    const tokenSha256 = sha256Of(await newToken());
    await auth.pool.query(`update tokens set revoked_at = now() where sha256 = decode($1, 'hex')`, [tokenSha256]);
    const findEvents = () => received.filter((event) => event.tokenSha256s.includes(tokenSha256));
    await eventually(() => expect(findEvents()).toHaveLength(1));
    const rounds = received.length;
    await eventually(() => expect(received.length).toBeGreaterThan(rounds + 1));
    expect(findEvents()).toHaveLength(1);
  });
});

describe('responses of pages', () => {
  it.each([
    ['the sign-in page', `/v1/oauth/authorize?${QUERY}`, 200],
    ['an error page', '/v1/oauth/authorize', 400],
    ['the callback page', DEMO_APP.redirectPath, 200],
    ['an unknown path', '/v1/oauth/nothing', 404],
  ])('given %s, when it is requested, then the security headers are strict', async (_case, path, status) => {
    const { headers, status: sentStatus } = await new PagesBrowser(auth.service.url).get(path);
    expect(sentStatus).toBe(status);
    const policy = headers.get('content-security-policy') ?? '';
    for (const part of ["default-src 'none'", "style-src 'self'", "base-uri 'none'", "frame-ancestors 'none'"]) {
      expect(policy).toContain(part);
    }
    expect(policy).not.toContain('upgrade-insecure-requests');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cache-control')).toBe('no-store, private');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('strict-transport-security')).toBeNull();
  });

  it('given a request of a program to an unknown route, when it is sent, then the response is JSON', async () => {
    const response = await fetch(`${auth.service.url}/v1/oauth/nothing`, { method: 'POST' });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: 'resource_not_found' } });
  });

  it.each([
    ['a malformed URL', '/v1/oauth/%zz', {}, 400],
    ['a body that is not a form', `/v1/oauth/consent`, { method: 'POST', body: '{}', type: 'application/json' }, 415],
    ['a form with a broken escape', '/v1/oauth/consent', { method: 'POST', body: 'a=%zz' }, 400],
    ['a form that is not UTF-8', '/account/sign-up', { method: 'POST', body: Buffer.from('a=\xff', 'latin1') }, 400],
    ['a form whose escapes are not UTF-8', '/account/sign-up', { method: 'POST', body: 'a=%ff' }, 400],
    ['a form with a NUL', '/account/sign-in', { method: 'POST', body: 'a=%00' }, 400],
    ['a form of 20 KB', '/v1/oauth/consent', { method: 'POST', body: `a=${'x'.repeat(20_000)}` }, 413],
    ['no form', '/v1/oauth/consent', { method: 'POST' }, 403],
  ])(
    'given %s, when it is sent, then it is refused and not repeated in the response',
    async (_case, path, { type, ...init }: RequestInit & { type?: string }, status) => {
      const headers = { 'content-type': type ?? 'application/x-www-form-urlencoded' };
      const response = await fetch(auth.service.url + path, { ...init, ...(init.body ? { headers } : {}) });
      expect(response.status).toBe(status);
      expect(await response.text()).not.toMatch(/%zz|xxx|FST_/);
    },
  );

  it('given plain http, when the session cookie is set, then scripts and other sites cannot access it', async () => {
    const page = await new PagesBrowser(auth.service.url).get(`/v1/oauth/authorize?${QUERY}`);
    expect(page.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^settle_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/) as string,
    ]);
  });

  it('given the stylesheet, when it is requested, then the response is cacheable forever', async () => {
    const page = await (await new PagesBrowser(auth.service.url).get(`/v1/oauth/authorize?${QUERY}`)).text();
    const [, path = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec(page) ?? [];
    const style = await fetch(auth.service.url + path);
    expect(style.headers.get('content-type')).toContain('text/css');
    expect(style.headers.get('cache-control')).toContain('immutable');
  });
});

describe('expired rows', () => {
  it('given expired and valid sessions and tokens, when the cleanup runs, then only the expired ones are deleted', async () => {
    const token = await newToken();
    const old = await newToken();
    await auth.pool.query(`update tokens set expires_at = now() - interval '8 days' where sha256 = decode($1, 'hex')`, [
      sha256Of(old),
    ]);
    const session = await auth.pool.query(
      'update sessions set expires_at = now() where id_sha256 = (select id_sha256 from sessions limit 1)',
    );
    expect(session.rowCount).toBe(1);
    const count = async (table: string) => (await auth.pool.query(`select 1 from ${table}`)).rowCount ?? 0;
    const [tokensBefore, sessionsBefore] = [await count('tokens'), await count('sessions')];
    await new ExpiredRowCleanup(auth.pool, silent).deleteExpired();
    expect(await count('tokens')).toBe(tokensBefore - 1);
    expect(await count('sessions')).toBe(sessionsBefore - 1);
    const check = auth.client.request(checkToken, { tokenSha256: sha256Of(token) }, { key: 'k', timeoutMs: 30_000 });
    await expect(check).resolves.toMatchObject({ appId: DEMO_APP.clientId });
  });

  it('given more expired rows than one statement deletes, when the cleanup runs, then all are deleted in one round', async () => {
    await auth.pool.query(
      `insert into tokens select int8send(n), app_id, user_id, '{}', now(), now() - interval '8 days', null, null, id
       from generate_series(1, 2500) n, (select * from authorizations where ends_at > now() limit 1) a`,
    );
    await new ExpiredRowCleanup(auth.pool, silent).deleteExpired();
    const left = await auth.pool.query(`select 1 from tokens where expires_at < now() - interval '7 days'`);
    expect(left.rowCount).toBe(0);
  });

  it('given a session that was idle for half an hour, when a page is requested, then the user must sign in', async () => {
    const { browser } = await signInDemoUser(auth, QUERY);
    await auth.pool.query(`update sessions set last_seen_at = now() - interval '31 minutes'`);
    expect(await (await browser.get(`/v1/oauth/authorize?${QUERY}`)).text()).toContain('name="password"');
  });
});

/** Runs last: the service does not publish afterwards. */
describe('several instances', () => {
  it('given two instances, when the first is drained, then only one publishes at a time and the second continues', async () => {
    const other = new RevocationPublisher(auth.pool, auth.client, silent, false);
    await other.onApplicationBootstrap();
    const before = received.length;
    await eventually(() => expect(received.length).toBeGreaterThan(before + 2));
    const times = received.slice(before).map((event) => event.completeUpToMs);
    expect(Math.min(...times.slice(1).map((atMs, n) => atMs - (times[n] ?? 0)))).toBeGreaterThanOrEqual(200);
    await auth.service.drain();
    const atDrain = received.length;
    await eventually(() => expect(received.length).toBeGreaterThan(atDrain + 1));
    await other.stop();
  });
});
