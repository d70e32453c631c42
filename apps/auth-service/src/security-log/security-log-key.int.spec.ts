import { Writable } from 'node:stream';
import { createLogger } from '@settle/observability';
import { createPool, migrateSchema } from '@settle/postgres';
import { freshDatabase, type FreshDatabase } from '@settle/testing';
import { AUTH_SCHEMA } from '../tables/auth-schema.js';
import { PagesBrowser } from '../../test/pages-browser.fixture.js';
import { loadSecurityLogKey } from './security-log-key.js';
import { startAuth } from '../../test/started-auth.fixture.js';

const WITHOUT_KEY = { securityLogKey: null };
const ADDRESS = '203.0.113.77';
const BROWSER = 'Mozilla/5.0 (Canary; rv:1) Spec/7';

let database: FreshDatabase;
beforeEach(async () => (database = await freshDatabase()));
afterEach(() => database.drop());

/** Starts the service on the database, sends a form that is refused, and returns the logged hashes. */
async function hashesOfVisit(env: Record<string, string> = {}): Promise<{ text: string; hashes: unknown[] }> {
  let text = '';
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  const kept = { url: database.url, drop: () => Promise.resolve() };
  const auth = await startAuth(
    kept,
    { LOG_LEVEL: 'silent', ...env },
    createLogger({ level: 'silent', service: 'auth', stream }),
  );
  try {
    const browser = new PagesBrowser(auth.service.url, { 'x-forwarded-for': ADDRESS, 'user-agent': BROWSER });
    await browser.post('/account/sign-in', { username: 'alice' }, { origin: 'https://evil.test' });
  } finally {
    await auth.stop();
  }
  const line = JSON.parse(text) as Record<string, unknown>;
  expect(line).toMatchObject({ securityEvent: 'form_refused' });
  return { text, hashes: [line['addressHash'], line['browserHash']] };
}

describe('loadSecurityLogKey', () => {
  it('given a new database, when several instances load the key at once, then all get the same key of 32 bytes, and later instances too', async () => {
    await migrateSchema(AUTH_SCHEMA, database.url);
    const pools = Array.from({ length: 8 }, () => createPool(database.url, { max: 1, name: 'spec' }));
    try {
      const keys = await Promise.all(pools.map((pool) => loadSecurityLogKey(pool, WITHOUT_KEY)));
      expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1);
      expect(keys[0]).toHaveLength(32);
      expect(await loadSecurityLogKey(pools[0]!, WITHOUT_KEY)).toEqual(keys[0]);
    } finally {
      await Promise.all(pools.map((pool) => pool.end()));
    }
  });

  it('given a logged request, when the service restarts, then the hashes stay the same and the log contains no plain address or browser', async () => {
    const first = await hashesOfVisit();
    expect(first.hashes).toEqual(Array(2).fill(expect.stringMatching(/^[\w-]{22}$/)));
    expect((await hashesOfVisit()).hashes).toEqual(first.hashes);
    for (const plain of [ADDRESS, BROWSER]) expect(first.text).not.toContain(plain);
  });

  it('given SECURITY_LOG_KEY, when requests are logged, then it keys the hashes on every database and no key is stored', async () => {
    const configured = { SECURITY_LOG_KEY: 'k'.repeat(32) };
    const first = await hashesOfVisit(configured);
    const pool = createPool(database.url, { max: 1, name: 'spec' });
    expect((await pool.query('select from security_log_keys')).rowCount).toBe(0);
    await pool.end();
    expect((await hashesOfVisit()).hashes).not.toEqual(first.hashes);
    await database.drop();
    database = await freshDatabase();
    expect((await hashesOfVisit(configured)).hashes).toEqual(first.hashes);
  });

  it('given the stored key, when another key is inserted, then the database refuses it', async () => {
    await migrateSchema(AUTH_SCHEMA, database.url);
    const pool = createPool(database.url, { max: 1, name: 'spec' });
    try {
      await loadSecurityLogKey(pool, WITHOUT_KEY);
      await expect(
        pool.query("insert into security_log_keys (key) values (decode(repeat('00', 32), 'hex'))"),
      ).rejects.toThrow('duplicate key');
    } finally {
      await pool.end();
    }
  });
});
