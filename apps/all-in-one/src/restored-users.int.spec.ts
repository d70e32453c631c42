import { randomUUID } from 'node:crypto';
import { readSettings } from '@settle/config';
import {
  DEMO_USERS,
  changeFriendship,
  createPayment,
  randomId,
  usersKnown,
  type CreatedPayment,
  type FriendAction,
  type PaymentAction,
} from '@settle/contracts';
import { InMemoryBus, MessageClient } from '@settle/messaging';
import { createLogger } from '@settle/observability';
import { PAYMENTS_SCHEMA, startPaymentsService, type PaymentsService } from '@settle/payments-service';
import { createPool, migrateSchema } from '@settle/postgres';
import type { Pool } from 'pg';
import { eventually, freshDatabase, type FreshDatabase } from '@settle/testing';
import { USERS_SCHEMA, raiseRecordEpoch, startUsersService, type UsersService } from '@settle/users-service';

const logger = createLogger({ level: 'fatal', service: 'spec' });
const settings = readSettings({ NODE_ENV: 'test', DEMO: 'true' });
const { alice, bob } = DEMO_USERS;
/** Those that others refer to come first. */
const TABLES = ['users', 'proven_addresses', 'pairs', 'record_epoch', 'announced_address', 'due_announcement'];

/** Users-service and payments-service in one process, each on its own database. */
describe('the database of users-service, restored to an older copy', () => {
  let bus: InMemoryBus;
  let client: MessageClient;
  let usersDatabase: FreshDatabase;
  let paymentsDatabase: FreshDatabase;
  let payments: PaymentsService;
  let users: UsersService;
  let pool: Pool;

  beforeAll(async () => {
    bus = new InMemoryBus({ logger });
    client = new MessageClient(bus);
    [usersDatabase, paymentsDatabase] = [await freshDatabase(), await freshDatabase()];
    const databaseUrl = paymentsDatabase.url;
    await migrateSchema(PAYMENTS_SCHEMA, databaseUrl);
    await migrateSchema(USERS_SCHEMA, usersDatabase.url);
    payments = await startPaymentsService({
      settings,
      bus,
      logger,
      databaseUrl,
      shape: 'embedded',
      onFatal: (error) => {
        throw error;
      },
    });
    users = await startUsersService({ settings, bus, logger, databaseUrl: usersDatabase.url });
    pool = createPool(usersDatabase.url, { max: 1, name: 'spec' });
  });
  afterAll(async () => {
    await pool.end();
    await users.close();
    await payments.close();
    await bus.close();
    await Promise.all([usersDatabase.drop(), paymentsDatabase.drop()]);
  });

  async function backUp(): Promise<void> {
    await pool.query('create schema backup');
    for (const table of TABLES) await pool.query(`create table backup.${table} as table ${table}`);
  }

  async function restore(): Promise<void> {
    await pool.query('begin');
    await pool.query(`truncate ${TABLES.join(', ')} cascade`);
    for (const table of TABLES) await pool.query(`insert into ${table} table backup.${table}`);
    await pool.query('commit');
    await raiseRecordEpoch(pool);
  }

  const befriended = (userId: string, otherId: string, action: FriendAction) =>
    client.request(changeFriendship, { userId, otherId, action }, { key: userId, timeoutMs: 30_000 });

  const send = (actorId: string, targetId: string, action: PaymentAction): Promise<CreatedPayment> => {
    const command = {
      ...{ commandId: randomUUID(), paymentId: randomId(Date.now()), appId: 'spec', actorId, action },
      ...{ target: { type: 'user' as const, value: targetId }, amountCents: 1, note: 'spec', audience: null },
      ...{ medium: 'api' as const, environment: 'live' as const, beginBeforeMs: Date.now() + 60_000 },
    };
    return client.request(createPayment, command, { key: actorId, timeoutMs: 30_000 });
  };

  it('given changes after the backup, when its state is changed again after the restore, then payments obey', async () => {
    await backUp();
    for (let round = 0; round < 5; round += 1) {
      await befriended(alice.id, bob.id, 'block');
      await befriended(alice.id, bob.id, 'unblock');
    }
    await eventually(() => send(bob.id, alice.id, 'pay'));

    await restore();
    await befriended(alice.id, bob.id, 'block');
    await expect(send(bob.id, alice.id, 'pay')).rejects.toMatchObject({ code: 'not_permitted' });

    await eventually(async () => expect((await pool.query('select from due_announcement')).rowCount).toBe(0));
    const { rows } = await pool.query<{ epoch: string }>('select epoch from record_epoch');
    for (const { id } of Object.values(DEMO_USERS)) {
      const record = { key: `user:${id}`, epoch: Number(rows[0]?.epoch), version: 2 };
      await client.request(usersKnown, record, { key: record.key, timeoutMs: 30_000 });
    }
  });
});
