import { DEMO_PASSWORD, DEMO_USERS } from '@settle/contracts';
import { eventually, freshDatabase } from '@settle/testing';
import { PagesBrowser } from '../../test/pages-browser.fixture.js';
import { startAuth, type StartedAuth } from '../../test/started-auth.fixture.js';

const NEW_PASSWORD = 'wet grass at noon';
const { id: ALICE, username } = DEMO_USERS.alice;

let auth: StartedAuth;
beforeAll(async () => {
  auth = await startAuth(await freshDatabase());
});
afterAll(() => auth.stop());

async function signIn(browser: PagesBrowser, password: string): Promise<Response> {
  const page = await (await browser.get('/account/sign-in')).text();
  return browser.submit(page, '/account/sign-in', { username, password });
}

const sessions = async () => (await auth.pool.query('select from sessions where user_id = $1', [ALICE])).rowCount;
const waitingForLocks = async () =>
  (
    await auth.pool.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
  ).rowCount;

describe('Sessions', () => {
  it('given a password change in progress, when the user signs in with the old password, then the sign-in is refused and no session exists', async () => {
    const change = await auth.pool.connect();
    await change.query('begin');
    await change.query(`update credentials set password_hash = password_hash || 'x' where user_id = $1`, [ALICE]);
    const response = signIn(new PagesBrowser(auth.service.url), DEMO_PASSWORD);
    await eventually(async () => expect(await waitingForLocks()).toBe(1));
    await change.query('commit');
    expect((await response).status).toBe(403);
    expect(await sessions()).toBe(0);
    await change.query(`update credentials set password_hash = left(password_hash, -1) where user_id = $1`, [ALICE]);
    change.release();
  });

  it('given a database error, when the password is changed, then the old password and its sessions stay valid until a retry succeeds', async () => {
    const browser = new PagesBrowser(auth.service.url);
    expect((await signIn(browser, DEMO_PASSWORD)).status).toBe(303);
    await auth.pool.query(`
      create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
      create trigger refuse before delete on known_browsers execute function refuse()`);
    const change = async () => {
      const page = await (await browser.get('/account/security')).text();
      const fields = { current_password: DEMO_PASSWORD, password: NEW_PASSWORD };
      return (await browser.submit(page, '/account/password', fields)).status;
    };
    expect(await change()).toBe(500);
    expect((await browser.get('/account/security')).status).toBe(200);
    await auth.pool.query('drop function refuse cascade');
    expect(await change()).toBe(303);
    expect((await signIn(new PagesBrowser(auth.service.url), DEMO_PASSWORD)).status).toBe(403);
  });
});
