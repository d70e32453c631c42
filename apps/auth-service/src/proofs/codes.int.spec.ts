import { SecurityLog, createLogger } from '@settle/observability';
import { createDataSource, migrateSchema, openDataSource } from '@settle/postgres';
import { freshDatabase, type FreshDatabase } from '@settle/testing';
import type { DataSource } from 'typeorm';
import { AUTH_SCHEMA } from '../auth-schema.js';
import { randomSecret } from '../secrets.js';
import { Code } from '../tables/code.entity.js';
import { Codes, type CodePlace } from './codes.js';

let database: FreshDatabase;
let dataSource: DataSource;
let codes: Codes;
beforeAll(async () => {
  database = await freshDatabase();
  await migrateSchema(AUTH_SCHEMA, database.url);
  const options = { name: 'spec', url: database.url, entities: [Code] };
  dataSource = await openDataSource(createDataSource(options));
  codes = new Codes(dataSource, new SecurityLog({ logger: createLogger({ level: 'silent', service: 'spec' }) }));
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

const newPlace = (): CodePlace => ({ purpose: 'email', browserId: randomSecret() });
const passMs = (ms: number) =>
  dataSource.query(`update codes set expires_at = expires_at - $1 * interval '1 millisecond'`, [ms]);

describe('a code', () => {
  it('given one, when typed right, again and again, then it proves the same at the same moment, until it is discarded', async () => {
    const place = newPlace();
    const code = await codes.issue(place, 'd@example.com', 'd@example.com');
    expect(code).toMatch(/^\d{6}$/);
    const proofs = await Promise.all(Array.from({ length: 20 }, () => codes.check(place, code)));
    expect(proofs[0]).toMatchObject({ subject: 'd@example.com' });
    expect(new Set(proofs.map((proof) => proof?.provenAtUs)).size).toBe(1);
    await codes.discard(place);
    expect(await codes.check(place, code)).toBeNull();
  });

  it('given wrong ones at once, when there were five, then the right one is refused too', async () => {
    const place = newPlace();
    const code = await codes.issue(place, 'd@example.com', 'd@example.com');
    await Promise.all(Array.from({ length: 5 }, () => codes.check(place, 'wrong')));
    expect(await codes.check(place, code)).toBeNull();
  });

  // Shows friend-8
  it('given ten minutes, when they are over, then it is refused and waits no longer', async () => {
    const place = newPlace();
    const code = await codes.issue(place, 'd@example.com', 'd@example.com');
    await passMs(599_000);
    expect(await codes.check(place, code)).not.toBeNull();
    expect(await codes.subject(place)).toBe('d@example.com');
    await passMs(1_001);
    expect([await codes.check(place, code), await codes.subject(place)]).toEqual([null, null]);
  });

  it('given another purpose, another browser, or a newer code, when typed there, then it is refused', async () => {
    const place = newPlace();
    const code = await codes.issue(place, 'd@example.com', 'd@example.com');
    const others = [{ ...place, purpose: 'reset' as const }, newPlace()];
    for (const other of others) {
      await codes.issue(other, 'someone', 'd@example.com');
      if ((await codes.check(other, code)) !== null) throw new Error('Accepted elsewhere.');
    }
    const newer = await codes.issue(place, 'd@example.com', 'd@example.com');
    if (newer !== code) expect(await codes.check(place, code)).toBeNull();
  });

  it('given nobody behind it, when typed right, then it proves nothing', async () => {
    const place = newPlace();
    expect(await codes.check(place, await codes.issue(place, '', 'd@example.com'))).toBeNull();
  });

  it('given thirty wrong ones for an address by strangers, when its owner asks anew, then a longer code proves it at once', async () => {
    const address = 'e@example.com';
    // Also where nobody has the address: what happens must not tell who has an account.
    for (const subject of [address, '']) {
      const where = `${subject}${address}`;
      const before = newPlace();
      const short = await codes.issue(before, subject, where);
      const proven = newPlace();
      const right = await codes.issue(proven, address, where);
      expect(await codes.check(proven, right)).not.toBeNull();
      for (let guesses = 0; guesses < 30; guesses += 1) {
        expect(await codes.issue(newPlace(), subject, where)).toMatch(/^\d{6}$/);
        const stranger = newPlace();
        await codes.issue(stranger, subject, where);
        expect(await codes.check(stranger, 'wrong!')).toBeNull();
      }
      expect(await codes.check(before, short)).toBeNull();
      expect(await codes.check(proven, right)).not.toBeNull();
      const owner = newPlace();
      const long = await codes.issue(owner, subject, where);
      expect(long).toMatch(/^\d{10}$/);
      expect(await codes.check(owner, long.slice(0, 6))).toBeNull();
      expect(await codes.check(owner, `${long.slice(0, 5)} ${long.slice(5)}`)).toEqual(
        subject === '' ? null : expect.objectContaining({ subject }),
      );
    }
    expect(await codes.issue(newPlace(), 'f@example.com', 'f@example.com')).toMatch(/^\d{6}$/);
    await dataSource.query(`update wrong_codes set since = since - interval '1 day'`);
    expect(await codes.issue(newPlace(), address, address)).toMatch(/^\d{6}$/);
  });

  it('given the table, when looked at, then a million tries do not find the code without the cookie', async () => {
    const place = newPlace();
    const code = await codes.issue(place, 'd@example.com', 'd@example.com');
    const rows = await dataSource.query<{ mac: Buffer; id_sha256: Buffer }[]>('select * from codes');
    const stored = JSON.stringify(rows.map((row) => [row.mac.toString('hex'), row.id_sha256.toString('hex')]));
    expect(stored).not.toContain(code);
    expect(stored).not.toContain(place.browserId);
  });
});
