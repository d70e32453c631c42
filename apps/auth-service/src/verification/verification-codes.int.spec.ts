import { SecurityLog, createLogger } from '@settle/observability';
import { createDataSource, migrateSchema, openDataSource } from '@settle/postgres';
import { freshDatabase, type FreshDatabase } from '@settle/testing';
import type { DataSource } from 'typeorm';
import { AUTH_SCHEMA } from '../tables/auth-schema.js';
import { randomSecret } from '../secrets/secrets.js';
import { Code } from '../tables/code.entity.js';
import { VerificationCodes, type CodeKey } from './verification-codes.js';

let database: FreshDatabase;
let dataSource: DataSource;
let codes: VerificationCodes;
beforeAll(async () => {
  database = await freshDatabase();
  await migrateSchema(AUTH_SCHEMA, database.url);
  const options = { name: 'spec', url: database.url, entities: [Code] };
  dataSource = await openDataSource(createDataSource(options));
  codes = new VerificationCodes(
    dataSource,
    new SecurityLog({ logger: createLogger({ level: 'silent', service: 'spec' }) }),
  );
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

const newKey = (): CodeKey => ({ purpose: 'email', browserId: randomSecret() });
const passMs = (ms: number) =>
  dataSource.query(`update codes set expires_at = expires_at - $1 * interval '1 millisecond'`, [ms]);

describe('VerificationCodes', () => {
  it('given a code, when it is entered correctly several times, then each check returns the same subject and time until the code is discarded', async () => {
    const key = newKey();
    const code = await codes.issue(key, 'd@example.com', 'd@example.com');
    expect(code).toMatch(/^\d{6}$/);
    const checks = await Promise.all(Array.from({ length: 20 }, () => codes.check(key, code)));
    expect(checks[0]).toMatchObject({ subject: 'd@example.com' });
    expect(new Set(checks.map((verified) => verified?.provenAtUs)).size).toBe(1);
    await codes.discard(key);
    expect(await codes.check(key, code)).toBeNull();
  });

  it('given five concurrent wrong attempts, when the correct code is entered, then it is refused', async () => {
    const key = newKey();
    const code = await codes.issue(key, 'd@example.com', 'd@example.com');
    await Promise.all(Array.from({ length: 5 }, () => codes.check(key, 'wrong')));
    expect(await codes.check(key, code)).toBeNull();
  });

  // Shows friend-8
  it('given a code, when ten minutes have passed, then it is refused and no longer pending', async () => {
    const key = newKey();
    const code = await codes.issue(key, 'd@example.com', 'd@example.com');
    await passMs(540_000);
    expect(await codes.check(key, code)).not.toBeNull();
    expect(await codes.findSubject(key)).toBe('d@example.com');
    await passMs(60_000);
    expect([await codes.check(key, code), await codes.findSubject(key)]).toEqual([null, null]);
  });

  it('given a code, when it is entered for another purpose, in another browser or after a newer one was issued, then it is refused', async () => {
    const key = newKey();
    const code = await codes.issue(key, 'd@example.com', 'd@example.com');
    const others = [{ ...key, purpose: 'reset' as const }, newKey()];
    for (const other of others) {
      await codes.issue(other, 'someone', 'd@example.com');
      if ((await codes.check(other, code)) !== null) throw new Error('Accepted elsewhere.');
    }
    const newer = await codes.issue(key, 'd@example.com', 'd@example.com');
    if (newer !== code) expect(await codes.check(key, code)).toBeNull();
  });

  it('given a code without a subject, when it is entered correctly, then it is refused', async () => {
    const key = newKey();
    expect(await codes.check(key, await codes.issue(key, '', 'd@example.com'))).toBeNull();
  });

  it('given thirty wrong codes for an address from other browsers, when its owner requests a new code, then a longer code verifies the address at once', async () => {
    const address = 'e@example.com';
    // The behavior is the same for an address without an account, so that it does not reveal who has one.
    for (const subject of [address, '']) {
      const where = `${subject}${address}`;
      const before = newKey();
      const short = await codes.issue(before, subject, where);
      const verified = newKey();
      const correct = await codes.issue(verified, address, where);
      expect(await codes.check(verified, correct)).not.toBeNull();
      for (let guesses = 0; guesses < 30; guesses += 1) {
        expect(await codes.issue(newKey(), subject, where)).toMatch(/^\d{6}$/);
        const stranger = newKey();
        await codes.issue(stranger, subject, where);
        expect(await codes.check(stranger, 'wrong!')).toBeNull();
      }
      expect(await codes.check(before, short)).toBeNull();
      expect(await codes.check(verified, correct)).not.toBeNull();
      const owner = newKey();
      const long = await codes.issue(owner, subject, where);
      expect(long).toMatch(/^\d{10}$/);
      expect(await codes.check(owner, long.slice(0, 6))).toBeNull();
      expect(await codes.check(owner, `${long.slice(0, 5)} ${long.slice(5)}`)).toEqual(
        subject === '' ? null : expect.objectContaining({ subject }),
      );
    }
    expect(await codes.issue(newKey(), 'f@example.com', 'f@example.com')).toMatch(/^\d{6}$/);
    await dataSource.query(`update wrong_codes set since = since - interval '1 day'`);
    expect(await codes.issue(newKey(), address, address)).toMatch(/^\d{6}$/);
  });

  it('given a stored code, when the table is read, then it contains neither the code nor the id of the browser', async () => {
    const key = newKey();
    const code = await codes.issue(key, 'd@example.com', 'd@example.com');
    const rows = await dataSource.query<{ mac: Buffer; id_sha256: Buffer }[]>('select * from codes');
    const stored = JSON.stringify(rows.map((row) => [row.mac.toString('hex'), row.id_sha256.toString('hex')]));
    expect(stored).not.toContain(code);
    expect(stored).not.toContain(key.browserId);
  });
});
