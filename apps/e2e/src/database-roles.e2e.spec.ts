import { DATABASE_SERVICES, databaseNameOf } from '@settle/contracts';
import { withDatabase } from './running-stack.fixture.js';

const DATABASES = DATABASE_SERVICES.map(databaseNameOf);

describe('the database roles of the running services', () => {
  it.each(DATABASES)(
    'given the role of %s, when its rights are read, then it can read and write rows of tables that another role owns',
    async (service) => {
      const { rows } = await withDatabase(service, (client) =>
        client.query(`
          select distinct tableowner as owner, has_schema_privilege(schemaname, 'create') as creates,
            has_table_privilege(format('%I.%I', schemaname, tablename), 'select') as reads
          from pg_tables where schemaname in ('public', 'sandbox')`),
      );
      expect(rows).toEqual([{ owner: `settle_${service}_migrations`, creates: false, reads: true }]);
    },
  );

  it('given the role of payments-service, when it changes or deletes an event, then the database rejects it', async () => {
    await withDatabase('payments', async (client) => {
      expect((await client.query('select from events limit 1')).rowCount).toBe(1);
      for (const statement of [`update events set data = '{}'`, 'delete from events', 'truncate events']) {
        await expect(client.query(statement)).rejects.toThrow('permission denied for table events');
      }
    });
  });
});
