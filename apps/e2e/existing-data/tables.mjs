/** The rows that must not change when later code starts on these databases. */
export const DATABASES = ['settle_auth', 'settle_users', 'settle_payments'];

const FAR_AWAY = "'2100-01-01'";

/** Statements after which nothing expires, so that the folder can be read for years. */
export const LAST_FOREVER = {
  settle_auth: [
    `update tokens set expires_at = ${FAR_AWAY}`,
    `update authorizations set ends_at = ${FAR_AWAY}`,
    `update refresh_tokens set expires_at = ${FAR_AWAY}`,
  ],
  settle_payments: [
    `update idempotency_keys set created_at_us = extract(epoch from timestamptz ${FAR_AWAY})::bigint * 1000000`,
  ],
};

/** Tables whose rows are permanent. Others (leases, checkpoints, outboxes, sessions) may change at each start. */
const KEPT = {
  settle_auth: ['tokens', 'authorizations', 'apps', 'credentials', 'login_addresses'],
  settle_users: ['users', 'pairs', 'proven_addresses'],
  settle_payments: ['events', 'payments', 'ledger_entries', 'idempotency_keys'],
};

/** Columns that running code updates. */
const VOLATILE = new Set(['last_used_at', 'version', 'updated_at', 'revocation_published_at']);

/**
 * Returns a query for each such table of the connected database. It counts the rows and computes one digest of them over
 * today's columns, so that columns that are added later make no difference.
 */
export async function tableQueries(client) {
  const { rows } = await client.query(
    `select current_database() as database, table_schema as schema, table_name as name,
       array_agg(column_name::text order by ordinal_position) as columns
     from information_schema.columns where table_schema in ('public', 'sandbox') group by 1, 2, 3 order by 2, 3`,
  );
  return rows
    .filter(({ database, name }) => KEPT[database].includes(name))
    .map(({ schema, name, columns }) => {
      const kept = columns.filter((column) => !VOLATILE.has(column));
      const row = `md5(row(${kept.join(', ')})::text)`;
      const table = `${schema}.${name}`;
      return {
        table,
        query: `select count(*)::int as count, md5(string_agg(${row}, '' order by ${row})) as digest from ${table}`,
      };
    });
}
