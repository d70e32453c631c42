import { TOPICS } from '@settle/contracts';
import { createPool, migrateSchema } from '@settle/postgres';
import { freshDatabase } from '@settle/testing';
import { PAYMENTS_SCHEMA } from '../payments-schema.js';
import { raisePublicEventEpoch, readPublicEventEpoch } from './public-event-epoch.js';

describe('the epoch of public events', () => {
  it('given a new database, when the epoch is raised, then it goes from 1 to 2 and the topic is not filled under it', async () => {
    const database = await freshDatabase();
    await migrateSchema(PAYMENTS_SCHEMA, database.url);
    const pool = createPool(database.url, { max: 1, name: 'spec' });
    try {
      await expect(readPublicEventEpoch(pool, TOPICS.paymentsEvents)).resolves.toEqual({ epoch: 1, filledEpoch: 1 });
      await expect(raisePublicEventEpoch(pool)).resolves.toBe(2);
      await expect(readPublicEventEpoch(pool, TOPICS.paymentsEvents)).resolves.toEqual({ epoch: 2, filledEpoch: 1 });
    } finally {
      await pool.end();
      await database.drop();
    }
  });
});
