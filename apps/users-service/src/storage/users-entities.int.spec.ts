import { migrateSchema } from '@settle/postgres';
import { freshDatabase } from '@settle/testing';
import { createUsersDataSource } from '../start-users-service.js';
import { USERS_SCHEMA } from './users-schema.js';

const COLUMNS = `
  select attrelid::regclass || '.' || attname as name, format_type(atttypid, null) as type, not attnotnull as "isNullable"
  from pg_attribute join pg_class on pg_class.oid = attrelid
  where attnum > 0 and not attisdropped and relkind = 'r' and relnamespace = 'public'::regnamespace`;

describe('the entities', () => {
  it('given the migrated tables, when the entities are compared with them, then each column has the type that its table has', async () => {
    const database = await freshDatabase();
    await migrateSchema(USERS_SCHEMA, database.url);
    const dataSource = await createUsersDataSource(database.url).initialize();
    const stored = await dataSource.query<{ name: string; type: string; isNullable: boolean }[]>(COLUMNS);
    const mapped = dataSource.entityMetadatas.flatMap(({ tableName, columns }) =>
      columns.map(({ databaseName, isNullable, isArray, type }) => {
        const normalized = dataSource.driver.normalizeType({ type });
        return { name: `${tableName}.${databaseName}`, type: isArray ? `${normalized}[]` : normalized, isNullable };
      }),
    );
    const names = new Set(mapped.map(({ name }) => name));
    expect(stored.filter(({ name }) => names.has(name))).toHaveLength(mapped.length);
    expect(stored).toEqual(expect.arrayContaining(mapped));
    await dataSource.destroy();
    await database.drop();
  });
});
