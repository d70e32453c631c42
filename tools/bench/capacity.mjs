import { randomUUID } from 'node:crypto';
import { asAdmin, startProduct, startServer } from './product.mjs';
import { capacityReport } from './capacity-report.mjs';
import { say } from './rounds.mjs';
import { eachOf, makeUsers, pay, seedWallets } from './seed.mjs';

export const PAGE = 'capacity.md';

const FULL = { wallets: 100, users: 1_000, payments: 3_000 };
const QUICK = { wallets: 50, users: 500, payments: 500 };

const DATABASES = ['settle_payments', 'settle_users', 'settle_auth'];
const IN_FLIGHT = 32;
/** As long as notes usually are. */
const NOTE = 'Dinner on Friday, thank you';

/** Tables with their indexes and long values. */
const SIZES = `
  select c.relname as name, sum(pg_total_relation_size(c.oid))::float8 as bytes
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and n.nspname = 'public' group by c.relname`;
const WAL = `select pg_current_wal_lsn() - '0/0'::pg_lsn as bytes`;

/** Bytes of each table, `<database>.<table>`, and of the write-ahead log so far. */
async function sizesOf(adminUrl) {
  const bytes = new Map();
  for (const database of DATABASES) {
    await asAdmin(
      adminUrl,
      async (client) => {
        // Room of old versions of rows is used again: it does not grow with the payments.
        await client.query('vacuum');
        const { rows } = await client.query(SIZES);
        for (const row of rows) bytes.set(`${database}.${row.name}`, row.bytes);
      },
      database,
    );
  }
  const { rows } = await asAdmin(adminUrl, (client) => client.query(WAL));
  return { bytes, wal: Number(rows[0].bytes) };
}

/** Returns by how much each table and the write-ahead log grew for one of `count`. */
function growth(before, after, count) {
  const tables = [...after.bytes].map(([name, bytes]) => [name, (bytes - (before.bytes.get(name) ?? 0)) / count]);
  return { tables: new Map(tables), wal: (after.wal - before.wal) / count };
}

/** Makes payments between all wallets in turn. */
function makePayments(url, wallets, { count, hasKey }) {
  const payments = Array.from({ length: count }, (_, at) => ({
    token: wallets[at % wallets.length].token,
    to: wallets[(at * 7 + 1 + Math.floor(at / wallets.length)) % wallets.length].id,
    ...{ amount: '0.01', note: NOTE, key: hasKey ? randomUUID() : undefined },
  })).filter(({ token, to }) => wallets.find((wallet) => wallet.id === to)?.token !== token);
  return eachOf(payments, IN_FLIGHT, (payment) => pay(url, payment)).then(() => payments.length);
}

/** Runs a load on the product, and measures what it left behind once the product has stopped. */
async function grownBy(place, work) {
  const before = await sizesOf(place.adminUrl);
  const product = await startProduct({ ...place, nodeArgs: [] });
  // It stops once everything that is stored is in the read models.
  const count = await work(product.url).finally(() => product.stop());
  return growth(before, await sizesOf(place.adminUrl), count);
}

/** Measures bytes per payment, per idempotency key and per user, and returns the page. */
export async function run({ dataDir, stops, isQuick }) {
  const plan = isQuick ? QUICK : FULL;
  const server = await startServer(dataDir);
  stops.push(() => server.stop());
  const { adminUrl } = server;
  const place = { dataDir, adminUrl };
  const first = await startProduct({ ...place, nodeArgs: [] });
  const seed = async () => {
    const wallets = await seedWallets({ adminUrl, url: first.url, count: plan.wallets });
    await makePayments(first.url, wallets, { count: plan.wallets, hasKey: true });
    return wallets;
  };
  const wallets = await seed().finally(() => first.stop());
  say('payments');
  const payment = await grownBy(place, (url) => makePayments(url, wallets, { count: plan.payments, hasKey: false }));
  say('payments with an idempotency key');
  const keyed = await grownBy(place, (url) => makePayments(url, wallets, { count: plan.payments, hasKey: true }));
  say('users');
  const user = await grownBy(place, async (url) => {
    await makeUsers({ adminUrl, url, first: plan.wallets, count: plan.users });
    return plan.users;
  });
  return capacityReport({ plan, payment, keyed, user });
}
