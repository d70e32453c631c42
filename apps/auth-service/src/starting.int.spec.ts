import { readSettings } from '@settle/config';
import { DEMO_APP } from '@settle/contracts';
import { InMemoryBus } from '@settle/messaging';
import { createLogger } from '@settle/observability';
import { freshDatabase } from '@settle/testing';
import { PagesBrowser } from '../test/pages-browser.fixture.js';
import { startAuthService } from './start-auth-service.js';
import { startAuth, type StartedAuth } from '../test/started-auth.fixture.js';

const silent = createLogger({ level: 'silent', service: 'auth' });

let auth: StartedAuth;
beforeAll(async () => {
  auth = await startAuth(await freshDatabase());
});
afterAll(() => auth.stop());

/** Sign-in is not tested here: passport keeps only the strategy of the last service that a process started. */
describe('starting', () => {
  it('given demo data, when the service restarts with another public URL, then passwords stay and the app has the new redirect URL', async () => {
    const hashes = async () =>
      (await auth.pool.query('select user_id, password_hash from credentials order by 1')).rows;
    const before = await hashes();
    const settings = { ...auth.settings, publicUrl: 'http://localhost:4000' };
    const bus = new InMemoryBus({ logger: silent });
    const again = await startAuthService({ settings, bus, logger: silent, databaseUrl: auth.databaseUrl });
    await again.close();
    await bus.close();
    expect(await hashes()).toEqual(before);
    const { rows } = await auth.pool.query('select redirect_urls from apps');
    expect(rows).toEqual([{ redirect_urls: [`http://localhost:4000${DEMO_APP.redirectPath}`] }]);
  });

  // Shows demo-14
  it('given a database with demo data, when the service starts in production, then the start fails with instructions', async () => {
    const settings = readSettings({ NODE_ENV: 'production' });
    const bus = new InMemoryBus({ logger: silent });
    const start = () => startAuthService({ settings, bus, logger: silent, databaseUrl: auth.databaseUrl });
    await expect(start()).rejects.toThrow(/^NODE_ENV: .*take a new DATA_DIR or new databases/);
    // The database stays marked after the demo users are deleted.
    await auth.pool.query('delete from credentials');
    await expect(start()).rejects.toThrow(/^NODE_ENV: /);
    await bus.close();
  });

  it('given an https public URL without the demo, when a page is requested, then cookie and transport are strict and no demo data exists', async () => {
    const strict = await startAuth(await freshDatabase(), { PUBLIC_URL: 'https://pay.example', DEMO: 'false' });
    try {
      await strict.pool.query(`insert into apps values ('a', '', 'A', '', '', '{https://app.example/cb}', 1)`);
      const page = await new PagesBrowser(strict.service.url).get(
        '/v1/oauth/authorize?client_id=a&scope=make_payments',
      );
      expect(page.headers.getSetCookie()[0]).toMatch(
        /^__Host-settle_session=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      );
      expect(page.headers.get('strict-transport-security')).toContain('max-age=');
      expect((await fetch(strict.service.url + DEMO_APP.redirectPath)).status).toBe(404);
      expect((await strict.pool.query('select 1 from credentials')).rowCount).toBe(0);
    } finally {
      await strict.stop();
    }
  });
});
