import { createHash } from 'node:crypto';
import { DEMO_APP, DEMO_USERS, TOPICS, tokensRevoked, type TokenGrant, type TokensRevoked } from '@settle/contracts';
import { createLogger } from '@settle/observability';
import { eventually, freshDatabase } from '@settle/testing';
import { OauthClient, DEMO_QUERY, stubOtherServices } from '../../test/oauth-client.fixture.js';
import { signInDemoUser, startAuth, type StartedAuth } from '../../test/started-auth.fixture.js';
import { RevocationPublisher } from '../tokens/revocation-publisher.js';

const TOKEN_QUERY = DEMO_QUERY.replace('response_type=code', 'response_type=token');
const CONSENT = '/v1/oauth/consent';
const APPS = '/account/apps';

let auth: StartedAuth;
let app: OauthClient;
const revocations: TokensRevoked[] = [];
beforeAll(async () => {
  auth = await startAuth(await freshDatabase());
  app = new OauthClient(auth);
  stubOtherServices(auth);
  auth.bus.consume(TOPICS.authRevocations, tokensRevoked.pattern, 'spec', async (events) => {
    revocations.push(...events.map((event) => event.payload as TokensRevoked));
  });
});
beforeEach(async () => {
  revocations.length = 0;
  await auth.pool.query('delete from consents');
  await auth.pool.query('delete from app_amounts');
});
afterAll(() => auth.stop());

const sha256Of = (token: string) => createHash('sha256').update(token).digest('hex');
/** Authorizes the demo app with the given daily limit, or with the one that the page shows. */
async function allow(amount?: string, query = TOKEN_QUERY): Promise<{ token: string; consentPage: string }> {
  const { browser, consentPage } = await signInDemoUser(auth, query);
  const [, shown = ''] = /name="amount_per_day" type="text" value="([^"]*)"/.exec(consentPage) ?? [];
  const response = await browser.submit(consentPage, CONSENT, { decision: 'allow', amount_per_day: amount ?? shown });
  const location = new URL(response.headers.get('location') ?? '');
  return { token: location.searchParams.get('access_token') ?? '', consentPage };
}
const readLimit = async (token: string) => ((await app.check(token)) as TokenGrant).appAmountPerDayCents;
const wasPublished = (token: string) => revocations.some(({ tokenSha256s }) => tokenSha256s.includes(sha256Of(token)));

describe('the daily limit of an app', () => {
  it('given a consent with a limit, when the app is authorized again, then its tokens carry the limit until it changes', async () => {
    const { token: before } = await allow('');
    expect(await readLimit(before)).toBeUndefined();
    const { token } = await allow('12.50');
    expect([await readLimit(token), await readLimit(before)]).toEqual([1_250, 1_250]);
    expect(wasPublished(before)).toBe(true);
    const again = await allow();
    expect(again.consentPage).toContain('value="12.50"');
    expect(await readLimit(again.token)).toBe(1_250);
    const { token: unlimited } = await allow('');
    expect([await readLimit(unlimited), await readLimit(token)]).toEqual([undefined, undefined]);
  });

  it('given a limit, when the consent is remembered or the form has no limit field, then the limit stays', async () => {
    await app.authorize(DEMO_QUERY, { amount_per_day: '20' });
    expect(await readLimit((await app.requestTokens()).access_token)).toBe(2_000);
    const { browser, consentPage } = await signInDemoUser(auth, TOKEN_QUERY);
    const response = await browser.submit(consentPage, CONSENT, { decision: 'allow' });
    const token = new URL(response.headers.get('location') ?? '').searchParams.get('access_token') ?? '';
    expect(await readLimit(token)).toBe(2_000);
  });

  it('given an app that does not request payments, when its consent page is rendered, then it has no limit field', async () => {
    const { consentPage } = await signInDemoUser(auth, `client_id=${DEMO_APP.clientId}&scope=access_profile`);
    expect(consentPage).not.toContain('amount_per_day');
  });

  it('given a consent with an invalid limit, when it is submitted, then it is rejected, and succeeds once corrected', async () => {
    const { browser, consentPage } = await signInDemoUser(auth, TOKEN_QUERY);
    const send = (amount: string) =>
      browser.submit(consentPage, CONSENT, { decision: 'allow', amount_per_day: amount });
    const refused = await send('lots');
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('Go back and correct it')]);
    expect((await send('5')).headers.get('location')).toContain('access_token=');
  });

  it('given an issued token, when its user lowers the limit, then gateways recheck the token before the page responds', async () => {
    const { token } = await allow('20');
    const { browser } = await signInDemoUser(auth, TOKEN_QUERY);
    const page = await (await browser.get(APPS)).text();
    expect(page).toContain('value="20.00"');
    revocations.length = 0;
    const fields = { app: DEMO_APP.clientId, amount_per_day: '7.5' };
    const saved = await browser.submit(page, `${APPS}/amount`, fields);
    expect([saved.status, saved.headers.get('location')]).toEqual([303, `${APPS}?done=saved`]);
    expect([wasPublished(token), await readLimit(token)]).toEqual([true, 750]);
    const invalid = await browser.submit(page, `${APPS}/amount`, { ...fields, amount_per_day: '<7' });
    expect(invalid.status).toBe(400);
    expect(await invalid.text()).toContain('value="&lt;7" aria-invalid="true"');
    const unknownApp = await browser.submit(page, `${APPS}/amount`, { ...fields, app: '77' });
    expect([unknownApp.status, await readLimit(token)]).toEqual([404, 750]);
    const unpublished = await auth.pool.query('select from token_rechecks');
    expect(unpublished.rowCount).toBe(0);
  });

  it('given an instance that does not publish, when a limit changes on it, then the publishing instance announces the change', async () => {
    const { token } = await allow();
    await auth.pool.query(`insert into token_rechecks (sha256) values (decode($1, 'hex'))`, [sha256Of(token)]);
    const silent = createLogger({ level: 'silent', service: 'auth' });
    await new RevocationPublisher(auth.pool, auth.client, silent, false).publishRechecks();
    expect(wasPublished(token)).toBe(true);
    await eventually(async () => expect(await readLimit(token)).toBeUndefined());
  });

  it('given a limit of one user, when another user authorizes the same app, then that user has no limit', async () => {
    await allow('20');
    const { browser, consentPage } = await signInDemoUser(auth, TOKEN_QUERY, DEMO_USERS.bob.username);
    const response = await browser.submit(consentPage, CONSENT, { decision: 'allow', amount_per_day: '' });
    const token = new URL(response.headers.get('location') ?? '').searchParams.get('access_token') ?? '';
    expect(await app.check(token)).toMatchObject({ userId: DEMO_USERS.bob.id });
    expect(await readLimit(token)).toBeUndefined();
  });
});
