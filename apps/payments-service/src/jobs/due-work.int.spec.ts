import { createPool, migrateSchema } from '@settle/postgres';
import { freshDatabase, type FreshDatabase } from '@settle/testing';
import type { Pool } from 'pg';
import { PAYMENTS_SCHEMA } from '../payments-schema.js';
import { DueWork } from './due-work.js';

const owns = () => true;

describe('due work', () => {
  let database: FreshDatabase;
  let pool: Pool;

  beforeEach(async () => {
    database = await freshDatabase();
    await migrateSchema(PAYMENTS_SCHEMA, database.url);
    pool = createPool(database.url, { max: 2, name: 'spec' });
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  describe('that was left over or falls due', () => {
    const NOW_US = 1_000_000_000;
    const WAIT_US = { finish: 100, expire: 10_000, funding: 0 };

    beforeEach(async () => {
      await pool.query(
        `insert into open_work (payment_id, act, owner_id, since_us)
         select n, 'expire', 1, n from generate_series(1, 50) n
         union all select n, 'finish', 1, $1::bigint - 200 + n from generate_series(101, 103) n
         union all values (200, 'expire', 1, $1::bigint - 9999)`,
        [NOW_US],
      );
    });

    async function take(work: DueWork, nowUs = NOW_US, limit = 5): Promise<string> {
      const rows = await work.findDue(nowUs, limit);
      return rows.map(({ paymentId, act }) => `${act} ${paymentId}`).join(', ');
    }

    it('given older expiries, when money is in transit, then that comes first, and the rest has the oldest', async () => {
      const work = new DueWork(pool, WAIT_US, owns);
      expect(await take(work, NOW_US + 10)).toBe('finish 101, finish 102, finish 103, expire 1, expire 2');
    });

    it('given an act that waits longer by now, when taken, then nothing is due that was before', async () => {
      const work = new DueWork(pool, { ...WAIT_US, expire: NOW_US }, owns);
      expect(await take(work, NOW_US + 2)).toBe('finish 101, finish 102, expire 1, expire 2');
    });

    it('given rows of others, when taken, then only ours come, also from behind pages full of theirs', async () => {
      await pool.query(`update open_work set owner_id = 2 where payment_id in (50, 102)`);
      const owns = (userId: string) => userId === '2';
      const work = new DueWork(pool, WAIT_US, owns);
      expect(await take(work, NOW_US + 10)).toBe('finish 102, expire 50');
      expect(await take(new DueWork(pool, WAIT_US, () => false), NOW_US + 10)).toBe('');
    });

    it('given work that is put off, when taken, then it is away for ten seconds', async () => {
      const work = new DueWork(pool, WAIT_US, owns);
      await work.postpone({ paymentId: '101', act: 'finish', ownerId: '1' }, NOW_US);
      await work.postpone({ paymentId: '1', act: 'expire', ownerId: '1' }, NOW_US);
      expect(await take(work, NOW_US + 9_999_999, 3)).toBe('finish 102, finish 103, expire 2');
      expect(await take(work, NOW_US + 10_000_000, 100)).toMatch(
        /^finish 102, finish 103, finish 101, expire 2,.*, expire 1$/,
      );
    });
  });

  describe('that is held for an address', () => {
    const NO_WAIT = { finish: 0, expire: 0, funding: 0 };

    /** Held pays with these ids, each to the address `<owner>@example.com`. */
    async function hold(firstId: number, lastId: number, owner: string): Promise<void> {
      await pool.query(
        `insert into payments (id, status, mode, action, amount_cents, fee_cents, audience, medium, actor_id, target_type,
           target_address, target_key, created_us, revision, note)
         select n, 'pending', 'hold', 'pay', 1, 0, 'private', 'api', 1, 'email', $3::text, $3::text, n, 0, ''
         from generate_series($1::int, $2::int) n`,
        [firstId, lastId, `${owner}@example.com`],
      );
    }

    /** People with these ids, each with a proof of the address `<id>@example.com`. */
    async function know(
      firstId: number,
      lastId: number,
      record = { isFrozen: false, isBusiness: false },
    ): Promise<void> {
      const ids = [firstId, lastId];
      await pool.query(
        `insert into known_users (user_id, version, record) select n, 1, $3 from generate_series($1::int, $2::int) n`,
        [...ids, record],
      );
      await pool.query(
        `insert into known_addresses (kind, value, user_id, proven_at_us)
         select 'email', n || '@example.com', n, 1 from generate_series($1::int, $2::int) n`,
        ids,
      );
    }

    const idsOf = (rows: readonly { paymentId: string }[]) => rows.map(({ paymentId }) => Number(paymentId));

    it('given more held pays than one look takes, when looked again and again, then each has its turn', async () => {
      await hold(1, 25, 'unclaimed');
      await hold(26, 26, '7');
      await know(7, 7);
      const work = new DueWork(pool, NO_WAIT, owns);
      const seen: number[][] = [];
      for (let look = 1; look <= 6; look += 1) seen.push(idsOf(await work.findNextClaimable(10, 5)));
      expect(seen).toEqual([[], [], [26], [], [], [26]]);
    });

    it('given claims that are never settled, when looked, then those behind them come next', async () => {
      await hold(1, 8, '7');
      await hold(9, 9, '8');
      await hold(10, 12, '9');
      await know(7, 8);
      await know(9, 9, { isFrozen: true, isBusiness: false });
      const work = new DueWork(pool, NO_WAIT, owns);
      const seen: number[][] = [];
      for (let look = 1; look <= 4; look += 1) seen.push(idsOf(await work.findNextClaimable(100, 5)));
      expect(seen).toEqual([
        [1, 2, 3, 4, 5],
        [6, 7, 8, 9],
        [1, 2, 3, 4, 5],
        [6, 7, 8, 9],
      ]);
      const addresses = ['8', '9', 'unclaimed'].map(
        (name) => ({ kind: 'email', value: `${name}@example.com` }) as const,
      );
      expect(await work.findClaimableAt(addresses, 5)).toEqual([{ paymentId: '9', claimantId: '8' }]);
    });

    it('given many proofs and few held pays, when looked, then only the proofs of their addresses are read', async () => {
      await hold(1, 20, '7');
      await know(1, 5_000);
      await pool.query('analyze');
      const single = createPool(database.url, { max: 1, name: 'spec-single' });
      const work = new DueWork(single, NO_WAIT, owns);
      await single.query('begin');
      expect((await work.findNextClaimable(100, 50)).length).toBe(20);
      expect((await work.findClaimableAt([{ kind: 'email', value: '7@example.com' }], 50)).length).toBe(20);
      const { rows } = await single.query<{ relname: string; read: number }>(
        `select relname, (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_xact_user_tables
         where relname like 'known_%' and relname <> 'known_pairs' order by relname`,
      );
      await single.query('commit');
      await single.end();
      expect(rows).toEqual([
        { relname: 'known_addresses', read: 21 },
        { relname: 'known_users', read: 21 },
      ]);
    });
  });
});
