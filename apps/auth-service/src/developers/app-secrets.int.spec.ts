import { freshDatabase } from '@settle/testing';
import { DEMO_APP, DEMO_USERS } from '@settle/contracts';
import type { PagesBrowser } from '../../test/pages-browser.fixture.js';
import { signInDemoUser, startAuth, type StartedAuth } from '../../test/started-auth.fixture.js';

const CLIENT_ID = 'secret-app';
const PATH = `/developers/apps/${CLIENT_ID}`;

let auth: StartedAuth;
let browser: PagesBrowser;
beforeAll(async () => {
  auth = await startAuth(await freshDatabase());
  const { browser: signedIn } = await signInDemoUser(auth, `client_id=${DEMO_APP.clientId}&scope=make_payments`);
  browser = signedIn;
});
afterAll(() => auth.stop());
beforeEach(async () => {
  await auth.pool.query('delete from apps where client_id = $1', [CLIENT_ID]);
  await auth.pool.query(`insert into apps values ($1, null, 'App', '', '', '{https://app.example/cb}', $2)`, [
    CLIENT_ID,
    DEMO_USERS.alice.id,
  ]);
});

const open = async () => (await browser.get(PATH)).text();
const secrets = async () =>
  (
    await auth.pool.query<object>(
      'select secret_sha256 as newest, former_secret_sha256 as former from apps where client_id = $1',
      [CLIENT_ID],
    )
  ).rows[0] as { newest: Buffer | null; former: Buffer | null };

/** Sends the form of the page that creates a secret. Returns the status and the text of the page. */
async function create(page: string): Promise<[status: number, text: string]> {
  const response = await browser.submit(page, `${PATH}/secret"`, {});
  return [response.status, await response.text()];
}

describe('the secrets of an app', () => {
  it('given the form that created the first secret, when it is sent again, then no other secret is created and the page says so', async () => {
    const page = await open();
    const [status, text] = await create(page);
    expect([status, text]).toEqual([200, expect.stringContaining('Copy the secret now.')]);
    const before = await secrets();
    const [again, refusal] = await create(page);
    expect([again, await secrets()]).toEqual([400, before]);
    expect(refusal).toContain('This form was already sent, and the secret that it created cannot be shown again.');
  });

  it('given the form that created the second secret, when it is sent again, then both secrets stay as they are', async () => {
    await create(await open());
    const { newest: first } = await secrets();
    const page = await open();
    expect(page).toContain('the current one keeps working until you end it here');
    expect((await create(page))[0]).toBe(200);
    const before = await secrets();
    expect(before.former).toEqual(first);
    expect([(await create(page))[0], await secrets()]).toEqual([400, before]);
  });

  it('given two secrets, when a third is requested, then it is refused until one of the two has ended', async () => {
    await create(await open());
    const page = await open();
    await create(page);
    const before = await secrets();
    const both = await open();
    expect(both).not.toContain(`action="${PATH}/secret"`);
    // A form of an earlier version has no field for the version of the secret.
    const old = page.replace(/<input type="hidden" name="secret_version"[^>]*>/, '');
    const [status, text] = await create(old);
    expect([status, await secrets()]).toEqual([400, before]);
    expect(text).toContain('This app has two secrets already. End one of them before you create another.');
    const ended = await browser.submit(both, `${PATH}/secret/end-newest`, {});
    expect([ended.status, ended.headers.get('location')]).toEqual([303, `${PATH}?done=newest-secret-ended`]);
    expect(await secrets()).toEqual({ newest: before.former, former: null });
    expect((await create(await open()))[0]).toBe(200);
    expect((await secrets()).former).toEqual(before.former);
  });
});
