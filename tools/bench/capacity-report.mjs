import os from 'node:os';

/** Tables that grow by less are left out: they grow with starts of the product, not with its payments. */
const LEAST_BYTES = 20;
/** Its rows are removed as soon as they are published. */
const PASSING = 'settle_users.outbox';
const SECONDS_PER_MONTH = 30 * 86_400;
const RATES = [0.1, 1, 10, 100];

const count = (number) => Math.round(number).toLocaleString('en-US');
const gigabytes = (bytes) => `${(bytes / 1e9).toLocaleString('en-US', { maximumSignificantDigits: 2 })} GB`;
const lasting = ({ tables }) => [...tables].filter(([name, bytes]) => bytes >= LEAST_BYTES && name !== PASSING);
const sum = (growth) => lasting(growth).reduce((total, [, bytes]) => total + bytes, 0);

function rowsOf(growth) {
  return lasting(growth)
    .toSorted(([, left], [, right]) => right - left)
    .map(([name, bytes]) => `| \`${name.replace('.', '`.`')}\` | ${count(bytes)} |`);
}

/** Returns the lines of `docs/capacity.md`. */
export function capacityReport({ plan, payment, keyed, user }) {
  const perPayment = sum(payment);
  const perKey = keyed.tables.get('settle_payments.idempotency_keys') ?? 0;
  return [
    '# Capacity',
    '',
    'Made by `npm run bench -- --capacity`: it starts the embedded shape on the embedded PostgreSQL and makes',
    `${count(plan.payments)} payments between ${plan.wallets} wallets, as many with an \`Idempotency-Key\`, and ${count(plan.users)} users. Before and after each step the`,
    'product is stopped and every table is vacuumed; a table counts with its indexes. The write-ahead log depends on how often PostgreSQL',
    `makes checkpoints. Measured with Node ${process.versions.node} on ${os.type()} ${os.arch()}.`,
    '',
    '## Bytes of a payment in PostgreSQL',
    '',
    `A payment from a balance, with a short note: **${count(perPayment)} bytes**, and ${count(payment.wal)} bytes of write-ahead log.`,
    '',
    '| Table | Bytes |',
    '| --- | --- |',
    ...rowsOf(payment),
    '',
    'Here most payments are the first between two users: `monthly_activity` has one row for each of them and month, however many payments they make.' +
      ' The product does not read this table: it serves [reports](operations.md#tls-and-rights) by the role of `deploy/postgres/reporting-role.sql`.',
    '',
    `With an \`Idempotency-Key\` there are ${count(perKey)} bytes more in \`idempotency_keys\`, which are removed when the key expires`,
    '([interface](interface.md)). With the distributed shape a payment also takes space on `payments.events.v1`, which is kept for ever unless you',
    'change that: [the page about a long log](performance-large.md) says how much. Requests and replies are kept for 81 minutes at most.',
    '',
    '## Bytes of a user in PostgreSQL',
    '',
    `A user without addresses and friends: ${count(sum(user))} bytes. One with sign-in, sessions and apps takes some rows more in \`settle_auth\`.`,
    '',
    '| Table | Bytes |',
    '| --- | --- |',
    ...rowsOf(user),
    '',
    '## What to plan for',
    '',
    'The log and the read models grow for ever; nothing removes payments. Add the write-ahead log that you archive, and as much free',
    'disk as the read models take, which a [rebuild](operations.md#rebuild-read-models) needs.',
    '',
    '| Payments a second, on average | Payments a month | PostgreSQL a month | Write-ahead log a month |',
    '| --- | --- | --- | --- |',
    ...RATES.map((rate) => {
      const payments = rate * SECONDS_PER_MONTH;
      return `| ${rate} | ${count(payments)} | ${gigabytes(payments * perPayment)} | ${gigabytes(payments * payment.wal)} |`;
    }),
    '',
    'How many payments a second one log sustains is on the page about [scaling](scaling.md).',
    '',
  ];
}
