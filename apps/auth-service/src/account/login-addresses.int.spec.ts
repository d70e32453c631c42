import { DEMO_USERS } from '@settle/contracts';
import { createDataSource } from '@settle/postgres';
import { freshDatabase } from '@settle/testing';
import type { DataSource } from 'typeorm';
import { startAuth, type StartedAuth } from '../started-auth.fixture.js';
import { letSignIn } from './login-addresses.js';

const { alice, bob } = DEMO_USERS;
/** Enough for a wrong order of locks to show: it did in four rounds of ten. */
const ROUNDS = 20;
const PROOFS = 20;

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

describe('addresses that two people prove at once', () => {
  it('given one or two addresses, when proofs of both race, then each is taken in, and the newest has its address', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      // On either side of those that the two have: neither is always the first that is locked.
      const values = [`a${round}@example.com`, `z${round}@example.com`].slice(round % 2);
      const proofs = Array.from({ length: PROOFS }, (_, at) => ({
        kind: 'email' as const,
        value: values[at % values.length] ?? '',
        spelling: null,
        userId: (at % 4 < 2 ? alice : bob).id,
        provenAtUs: String(Date.now() * 1_000 + at),
      }));
      await Promise.all(proofs.map((proof) => dataSource.transaction((manager) => letSignIn(manager, proof))));
      const find = 'select value, user_id from login_addresses where value = any($1) order by value';
      const { rows } = await auth.pool.query(find, [values]);
      expect(rows).toEqual(values.map((value) => ({ value, user_id: bob.id })));
    }
  });
});
