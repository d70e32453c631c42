import { createHash } from 'node:crypto';
import { DEMO_APP, DEMO_USERS, TOPICS, tokensRevoked, type TokenGrant, type TokensRevoked } from '@settle/contracts';
import { createLogger } from '@settle/observability';
import { eventually, freshDatabase } from '@settle/testing';
import { OauthClient, DEMO_QUERY, stubOtherServices } from './oauth-client.fixture.js';
import { signInDemoUser, startAuth, type StartedAuth } from './started-auth.fixture.js';
import { RevocationPublisher } from './tokens/revocation-publisher.js';

const TOKEN_QUERY = DEMO_QUERY.replace('response_type=code', 'response_type=token');
const CONSENT = '/v1/oauth/consent';
const APPS = '/account/apps';

let auth: StartedAuth;
let app: OauthClient;
const heard: TokensRevoked[] = [];
beforeAll(async () => {
  auth = await startAuth(await freshDatabase());
  app = new OauthClient(auth);
  stubOtherServices(auth);
  auth.bus.follow(TOPICS.authRevocations, tokensRevoked.pattern, 'spec', async (events) => {
    heard.push(...events.map((event) => event.payload as TokensRevoked));
  });
});
beforeEach(async () => {
  heard.length = 0;
  await auth.pool.query('delete from consents');
  await auth.pool.query('delete from app_amounts');
});
afterAll(() => auth.stop());

const sha256Of = (token: string) => createHash('sha256').update(token).digest('hex');
/** Allows the demo app, with what is typed as its amount; undefined: as the page has it. */
async function allow(amount?: string, query = TOKEN_QUERY): Promise<{ token: string; consentPage: string }> {
  const { browser, consentPage } = await signInDemoUser(auth, query);
  const [, shown = ''] = /name="amount_per_day" type="text" value="([^"]*)"/.exec(consentPage) ?? [];
  const answer = await browser.submit(consentPage, CONSENT, { decision: 'allow', amount_per_day: amount ?? shown });
  const location = new URL(answer.headers.get('location') ?? '');
  return { token: location.searchParams.get('access_token') ?? '', consentPage };
}
const amountOf = async (token: string) => ((await app.check(token)) as TokenGrant).appAmountPerDayCents;
const wasTold = (token: string) => heard.some(({ tokenSha256s }) => tokenSha256s.includes(sha256Of(token)));

describe('an amount a day for an app', () => {
  it('given a consent with an amount, when the app is allowed again, then tokens carry it and it stays unless changed', async () => {
    const { token: before } = await allow('');
    expect(await amountOf(before)).toBeUndefined();
    const { token } = await allow('12.50');
    expect([await amountOf(token), await amountOf(before)]).toEqual([1_250, 1_250]);
    expect(wasTold(before)).toBe(true);
    const again = await allow();
    expect(again.consentPage).toContain('value="12.50"');
    expect(await amountOf(again.token)).toBe(1_250);
    const { token: unlimited } = await allow('');
    expect([await amountOf(unlimited), await amountOf(token)]).toEqual([undefined, undefined]);
  });

  it('given an amount, when consent is remembered or its form has no such field, then the amount stays', async () => {
    await app.authorize(DEMO_QUERY, { amount_per_day: '20' });
    expect(await amountOf((await app.requestTokens()).access_token)).toBe(2_000);
    const { browser, consentPage } = await signInDemoUser(auth, TOKEN_QUERY);
    const answer = await browser.submit(consentPage, CONSENT, { decision: 'allow' });
    const token = new URL(answer.headers.get('location') ?? '').searchParams.get('access_token') ?? '';
    expect(await amountOf(token)).toBe(2_000);
  });

  it('given an app that does not ask to pay, when its consent page is read, then no amount is asked for', async () => {
    const { consentPage } = await signInDemoUser(auth, `client_id=${DEMO_APP.clientId}&scope=access_profile`);
    expect(consentPage).not.toContain('amount_per_day');
  });

  it('given a consent with what is no amount, when it is sent, then it is refused, and works once corrected', async () => {
    const { browser, consentPage } = await signInDemoUser(auth, TOKEN_QUERY);
    const send = (amount: string) =>
      browser.submit(consentPage, CONSENT, { decision: 'allow', amount_per_day: amount });
    const refused = await send('lots');
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('Go back and correct it')]);
    expect((await send('5')).headers.get('location')).toContain('access_token=');
  });

  it('given a token that is out, when its user lowers the amount, then gateways ask for its grant anew before the page answers', async () => {
    const { token } = await allow('20');
    const { browser } = await signInDemoUser(auth, TOKEN_QUERY);
    const page = await (await browser.get(APPS)).text();
    expect(page).toContain('value="20.00"');
    heard.length = 0;
    const fields = { app: DEMO_APP.clientId, amount_per_day: '7.5' };
    const saved = await browser.submit(page, `${APPS}/amount`, fields);
    expect([saved.status, saved.headers.get('location')]).toEqual([303, `${APPS}?done=saved`]);
    expect([wasTold(token), await amountOf(token)]).toEqual([true, 750]);
    const faulty = await browser.submit(page, `${APPS}/amount`, { ...fields, amount_per_day: '<7' });
    expect(faulty.status).toBe(400);
    expect(await faulty.text()).toContain('value="&lt;7" aria-invalid="true"');
    const foreign = await browser.submit(page, `${APPS}/amount`, { ...fields, app: '77' });
    expect([foreign.status, await amountOf(token)]).toEqual([404, 750]);
    const untold = await auth.pool.query('select from token_rechecks');
    expect(untold.rowCount).toBe(0);
  });

  it('given an instance that does not publish, when an amount changes there, then the one that does tells of it', async () => {
    const { token } = await allow();
    await auth.pool.query(`insert into token_rechecks (sha256) values (decode($1, 'hex'))`, [sha256Of(token)]);
    const silent = createLogger({ level: 'silent', service: 'auth' });
    await new RevocationPublisher(auth.pool, auth.client, silent, false).publishRechecks();
    expect(wasTold(token)).toBe(true);
    await eventually(async () => expect(await amountOf(token)).toBeUndefined());
  });

  it('given an amount of one user, when another allows the same app, then that one has none', async () => {
    await allow('20');
    const { browser, consentPage } = await signInDemoUser(auth, TOKEN_QUERY, DEMO_USERS.bob.username);
    const answer = await browser.submit(consentPage, CONSENT, { decision: 'allow', amount_per_day: '' });
    const token = new URL(answer.headers.get('location') ?? '').searchParams.get('access_token') ?? '';
    expect(await app.check(token)).toMatchObject({ userId: DEMO_USERS.bob.id });
    expect(await amountOf(token)).toBeUndefined();
  });
});
