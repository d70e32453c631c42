import { DEMO_USERS } from '@settle/contracts';
import { createDataSource } from '@settle/postgres';
import { freshDatabase } from '@settle/testing';
import type { DataSource } from 'typeorm';
import { startAuth, type StartedAuth } from '../../test/started-auth.fixture.js';
import { assignLoginAddress } from './login-addresses.js';

const { alice, bob } = DEMO_USERS;
/** Enough rounds to detect a wrong lock order, which failed four rounds of ten. */
const ROUNDS = 20;
const VERIFICATIONS = 20;

let auth: StartedAuth;
let dataSource: DataSource;
beforeAll(async () => {
  auth = await startAuth(await freshDatabase());
  dataSource = createDataSource({ name: 'spec', url: auth.databaseUrl, entities: [] });
  await dataSource.initialize();
});
afterAll(async () => {
  await dataSource.destroy();
  await auth.stop();
});

describe('addresses that two users verify at once', () => {
  it('given one or two addresses, when two users verify them concurrently, then every transaction commits and the newest verification wins', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      // The values sort before and after the users' own addresses, so that neither is always locked first.
      const values = [`a${round}@example.com`, `z${round}@example.com`].slice(round % 2);
      const verifications = Array.from({ length: VERIFICATIONS }, (_, index) => ({
        kind: 'email' as const,
        value: values[index % values.length] ?? '',
        spelling: null,
        userId: (index % 4 < 2 ? alice : bob).id,
        provenAtUs: String(Date.now() * 1_000 + index),
      }));
      await Promise.all(
        verifications.map((address) => dataSource.transaction((manager) => assignLoginAddress(manager, address))),
      );
      const find = 'select value, user_id from login_addresses where value = any($1) order by value';
      const { rows } = await auth.pool.query(find, [values]);
      expect(rows).toEqual(values.map((value) => ({ value, user_id: bob.id })));
    }
  });
});
