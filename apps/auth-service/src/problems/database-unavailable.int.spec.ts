import { DEMO_APP, checkToken } from '@settle/contracts';
import { freshDatabase, type FreshDatabase } from '@settle/testing';
import { PagesBrowser } from '../../test/pages-browser.fixture.js';
import { startAuth, type StartedAuth } from '../../test/started-auth.fixture.js';

const AUTHORIZE = `/v1/oauth/authorize?client_id=${DEMO_APP.clientId}&scope=make_payments`;

describe('an unavailable database', () => {
  let database: FreshDatabase;
  let auth: StartedAuth;
  beforeAll(async () => {
    database = await freshDatabase();
    auth = await startAuth(database);
  });
  afterAll(() => auth.stop());

  const check = () => auth.client.request(checkToken, { tokenSha256: 'a'.repeat(64) }, { key: 'k', timeoutMs: 30_000 });

  it('given an unavailable database, when a token is checked or a page is requested, then both are retryable and succeed once it is back', async () => {
    const browser = new PagesBrowser(auth.service.url);
    await database.disconnect();
    await expect(check()).rejects.toMatchObject({ code: 'service_unavailable' });
    const page = await browser.get(AUTHORIZE);
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '1']);
    await database.reconnect();
    await expect(check()).rejects.toMatchObject({ code: 'invalid_token' });
    expect((await browser.get(AUTHORIZE)).status).toBe(200);
  });
});
