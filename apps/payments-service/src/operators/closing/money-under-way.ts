import type { Pool } from 'pg';

/** Payments of a user: made by the user, to the user, or to an address of the user. */
const OF_USER = `(p.actor_id = $1 or p.target_user_id = $1 or (p.target_user_id is null and exists (
  select from known_addresses a where a.user_id = $1 and a.kind = p.target_type and a.value = p.target_key)))`;

const READ = `
  select
    coalesce((select balance_cents from ledger_entries where wallet_id = $1 order by revision desc limit 1), 0)::float8
      as "balanceCents",
    (select count(*)::int from payments p where p.status = 'pending' and p.mode = 'hold' and ${OF_USER}) as held,
    (select count(*)::int from open_work w join payments p on p.id = w.payment_id
      where w.act <> 'expire' and (w.owner_id = $1 or ${OF_USER})) as unfinished,
    (select count(*)::int from funding where user_id = $1 and act is not null) as funding`;

interface MoneyRow {
  readonly balanceCents: number;
  readonly held: number;
  readonly unfinished: number;
  readonly funding: number;
}

/** Returns why the account cannot be closed yet, a line each; none if its balance is zero and no money is under way. */
export async function findMoneyUnderWay(pool: Pool, userId: string): Promise<readonly string[]> {
  const { rows } = await pool.query<MoneyRow>(READ, [userId]);
  const { balanceCents = 0, held = 0, unfinished = 0, funding = 0 } = rows[0] ?? {};
  const reasons: readonly [boolean, string][] = [
    [balanceCents !== 0, `the balance is ${balanceCents} cents, not zero`],
    [held > 0, `${held} pays are held for an address: cancel them, or wait`],
    [unfinished > 0, `${unfinished} payments are not finished: see npm run funding -- pending`],
    [funding > 0, `${funding} deposits, withdrawals or reversals are not finished: see npm run funding -- pending`],
  ];
  return reasons.flatMap(([holds, reason]) => (holds ? [reason] : []));
}
