import { DEMO_PASSWORD, DEMO_USERS } from '@settle/contracts';
import { InMemoryBus } from '@settle/messaging';
import { createLogger } from '@settle/observability';
import { eventually, freshDatabase } from '@settle/testing';
import { PagesBrowser } from '../../test/pages-browser.fixture.js';
import { startAuthService } from '../start-auth-service.js';
import { startAuth } from '../../test/started-auth.fixture.js';

const { alice } = DEMO_USERS;
/** No server listens there. */
const UNAVAILABLE = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'settle@example.com' };

describe('NoticeDelivery', () => {
  it('given an unavailable mail server, when a password changes and the service restarts, then the notice arrives once', async () => {
    const database = await freshDatabase();
    const auth = await startAuth(database, { DEV_TOOLS: 'true', ...UNAVAILABLE });
    const browser = new PagesBrowser(auth.service.url);
    const signIn = await (await browser.get('/account/sign-in')).text();
    await browser.submit(signIn, '/account/sign-in', { username: alice.username, password: DEMO_PASSWORD });
    const page = await (await browser.get('/account/security')).text();
    const fields = { current_password: DEMO_PASSWORD, password: 'wet grass at noon' };
    expect((await browser.submit(page, '/account/password', fields)).status).toBe(303);
    const notices = async () => (await auth.pool.query<{ tries: number }>('select tries from notices')).rows;
    await eventually(async () => expect((await notices())[0]?.tries).toBeGreaterThanOrEqual(1));
    await auth.service.close();

    await auth.pool.query('update notices set next_try_at = now()');
    const logger = createLogger({ level: 'silent', service: 'auth' });
    const bus = new InMemoryBus({ logger, copyMessages: true });
    const settings = { ...auth.settings, messages: { ...auth.settings.messages, smtp: null } };
    const restarted = await startAuthService({ settings, bus, logger, databaseUrl: auth.databaseUrl });
    try {
      await eventually(async () => expect(await notices()).toEqual([]));
      const { rows } = await auth.pool.query('select sent_to, subject from mailbox_messages');
      expect(rows).toEqual([{ sent_to: alice.email, subject: 'Your password was changed' }]);
    } finally {
      await restarted.close();
      await bus.close();
      await auth.bus.close();
      await auth.pool.end();
      await database.drop();
    }
  });
});
