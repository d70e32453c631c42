import { LIMITS, type UserLimits } from '@settle/config';
import { PAYMENT_ACTIONS, PAYMENT_STATUSES } from '@settle/contracts';
import type { Pool } from 'pg';
import type { AllowanceKey, Counter, StoredActivity } from './user-activity.js';

const { payeeRowsAtFirst, payeeRowsAtMost } = LIMITS.payments;

const PAYEE = `coalesce(p.target_user_id::text, p.target_type || ':' || p.target_key)`;
const EVERY_KIND = `unnest($2::text[]) as of_status, unnest($3::text[]) as of_action`;
/** The sandbox's test user is not a payee and pays no charge. */
const NOT_SCRIPTED = `p.mode <> 'scripted'`;

/** Reads the newest rows of each index range of `payments_of_actor`, and no older ones. */
const NEWEST_ROWS = `${EVERY_KIND}, lateral (
  select ${PAYEE} as payee, p.created_us, p.target_user_id, p.target_type, p.target_key from payments p
  where p.actor_id = $1 and p.status = of_status and p.action = of_action and p.refund_of is null
    and p.created_us > $4 and ${NOT_SCRIPTED}
  order by p.created_us desc limit $5) recent`;

const ACTIVITY = {
  name: 'activity-of-user',
  text: `select 'pending' as kind, payee, count(*) as count, null as first_us from (
      select ${PAYEE} as payee from payments p
      where p.actor_id = $1 and p.status = 'pending' and p.action = 'charge' and p.refund_of is null and ${NOT_SCRIPTED}
      limit $6) pending
    group by payee
    union all
    select 'payee', payee, count(*), min(created_us) from ${NEWEST_ROWS} group by payee`,
};

const HAS_PAID_USER = {
  name: 'has-paid-user',
  text: `select exists (
    select from payments where target_user_id = $2 and actor_id = $1 and actor_id <> target_user_id) as has_paid`,
};
/** Two conditions, because each of the two indexes has one. */
const toAddress = (type: string, key: string, more = '') => `(
  exists (select from payments e where e.actor_id = $1 and e.target_user_id is null
    and e.target_type = ${type} and e.target_key = ${key} and e.status = 'pending' ${more})
  or exists (select from payments e where e.actor_id = $1 and e.target_user_id is null
    and e.target_type = ${type} and e.target_key = ${key} and e.status <> 'pending' ${more}))`;
const HAS_PAID_ADDRESS = {
  name: 'has-paid-address',
  text: `select ${toAddress('$2', '$3')} as has_paid`,
};

const NEW_PAYEES = {
  name: 'new-payees-of-user',
  text: `select payee, first_us from (
      select payee, target_user_id, target_type, target_key, min(created_us) as first_us
      from ${NEWEST_ROWS} group by payee, target_user_id, target_type, target_key) payees
    where not exists (select from payments e
        where e.target_user_id = payees.target_user_id and e.actor_id = $1 and e.actor_id <> e.target_user_id
          and e.status = any($2) and e.action = any($3) and e.created_us <= $4)
      and (payees.target_user_id is not null
        or not ${toAddress('payees.target_type', 'payees.target_key', 'and e.created_us <= $4')})`,
};

const PAID = `unnest(array['pending', 'settled']) as of_status, lateral (
  select p.amount_cents, p.app_id from payments p
  where p.actor_id = $1 and p.status = of_status and p.action = 'pay' and p.refund_of is null
    and p.created_us > $2 and ${NOT_SCRIPTED}) p`;
const CHARGES_PAID = `payments p
  where p.target_user_id = $1 and p.actor_id <> p.target_user_id and p.status = 'settled' and p.action = 'charge'
    and p.created_us > $3 and p.completed_us > $2 and ${NOT_SCRIPTED}`;

/** A trusted charge that the payer's wallet refused was approved later, if it settled at all. */
const SPENT = {
  name: 'spent-by-user',
  text: `select coalesce(sum(amount_cents), 0) as cents from (
      select p.amount_cents from ${PAID}
      union all
      select p.amount_cents from ${CHARGES_PAID}
        and (p.mode <> 'trusted' or exists (
          select from ledger_entries e where e.payment_id = p.id and e.event_type = 'DebitRefused'))) spent`,
};

/** The newest attempt to pay a charge paid it; an attempt without an approval has no app. */
const SPENT_BY_APP = {
  name: 'spent-by-app',
  text: `select app_id as id, sum(amount_cents) as cents from (
      select p.app_id, p.amount_cents from ${PAID}
      union all
      select (select e.app_id from ledger_entries e
        where e.payment_id = p.id and e.wallet_id = $1 and e.app_id is not null order by e.revision desc limit 1),
        p.amount_cents from ${CHARGES_PAID}) spent
    where app_id = any($4) group by app_id`,
};

/**
 * A trusted charge that the payer's wallet refused waits for an approval and used nothing; another pending one may
 * still settle.
 */
const TAKEN_BY_PAYER = {
  name: 'taken-by-payer',
  text: `select p.target_user_id as id, sum(p.amount_cents) as cents
    from unnest(array['pending', 'settled']) as of_status, lateral (
      select p.id, p.target_user_id, p.amount_cents from payments p
      where p.actor_id = $1 and p.status = of_status and p.action = 'charge' and p.refund_of is null
        and p.created_us > $2 and p.mode = 'trusted') p
    where p.target_user_id = any($3::bigint[])
      and not exists (select from ledger_entries e where e.payment_id = p.id and e.event_type = 'DebitRefused')
    group by p.target_user_id`,
};

interface ActivityRow {
  readonly kind: 'pending' | 'payee';
  readonly payee: string;
  readonly count: string;
  readonly first_us: string | null;
}

interface UsedRow {
  /** Id of the app or of the payer. */
  readonly id: string;
  readonly cents: string;
}

/** Reads a user's activity, on which the limits depend, from the read models. Errors: the database's. */
export class StoredActivities {
  /** @param expiryDays older charges are no longer pending */
  constructor(
    private readonly pool: Pool,
    private readonly limits: UserLimits,
    private readonly expiryDays: number,
  ) {}

  /**
   * @param sinceUs start of the day that counts
   * @param allowances whose used amounts to read
   */
  async read(userId: string, sinceUs: number, allowances: readonly AllowanceKey[]): Promise<StoredActivity> {
    const { pendingPerUser, amountPerDayCents } = this.limits;
    const values = [userId, PAYMENT_STATUSES, PAYMENT_ACTIONS, sinceUs, payeeRowsAtFirst, pendingPerUser];
    const [{ rows }, spentCents, usedCents] = await Promise.all([
      this.pool.query<ActivityRow>({ ...ACTIVITY, values }),
      amountPerDayCents === null ? 0 : this.#spentCents(userId, sinceUs),
      this.usedCents(userId, sinceUs, allowances),
    ]);
    const counts = new Map<Counter, number>([['spent', spentCents], ...usedCents]);
    const payees = new Map<string, number>();
    let payeeRows = 0;
    for (const { kind, payee, count, first_us } of rows) {
      if (kind === 'payee') {
        payees.set(payee, Number(first_us));
        payeeRows += Number(count);
      } else {
        counts.set(`pending:${payee}`, Number(count));
        counts.set('pending', (counts.get('pending') ?? 0) + Number(count));
      }
    }
    return { counts, payees, hasAllPayees: payeeRows < payeeRowsAtFirst };
  }

  /** Whether the user has ever paid or charged this payee. */
  async hasPaid(userId: string, payee: string): Promise<boolean> {
    const at = payee.indexOf(':');
    const query =
      at < 0
        ? { ...HAS_PAID_USER, values: [userId, payee] }
        : { ...HAS_PAID_ADDRESS, values: [userId, payee.slice(0, at), payee.slice(at + 1)] };
    const { rows } = await this.pool.query<{ has_paid: boolean }>(query);
    return rows[0]?.has_paid === true;
  }

  /**
   * Returns the payees that the user paid or charged for the first time after `sinceUs`, with the time of that payment.
   */
  async newPayees(userId: string, sinceUs: number): Promise<Map<string, number>> {
    const values = [userId, PAYMENT_STATUSES, PAYMENT_ACTIONS, sinceUs, payeeRowsAtMost];
    const { rows } = await this.pool.query<ActivityRow>({ ...NEW_PAYEES, values });
    return new Map(rows.map(({ payee, first_us }) => [payee, Number(first_us)]));
  }

  /**
   * Returns the cents used of each allowance after `sinceUs`: for an app, what the user paid and approved through it;
   * for a payer, what the user's charges took without approval.
   */
  async usedCents(
    userId: string,
    sinceUs: number,
    allowances: readonly AllowanceKey[],
  ): Promise<Map<AllowanceKey, number>> {
    const used = new Map(allowances.map((key) => [key, 0]));
    const add = async (kind: 'app:' | 'payer:', query: { name: string; text: string }, values: unknown[]) => {
      const ids = allowances.filter((key) => key.startsWith(kind)).map((key) => key.slice(kind.length));
      if (ids.length === 0) return;
      const { rows } = await this.pool.query<UsedRow>({ ...query, values: [...values, ids] });
      for (const { id, cents } of rows) used.set(`${kind}${id}`, Number(cents));
    };
    await Promise.all([
      add('app:', SPENT_BY_APP, this.#spentValues(userId, sinceUs)),
      add('payer:', TAKEN_BY_PAYER, [userId, sinceUs]),
    ]);
    return used;
  }

  async #spentCents(userId: string, sinceUs: number): Promise<number> {
    const values = this.#spentValues(userId, sinceUs);
    const { rows } = await this.pool.query<{ cents: string }>({ ...SPENT, values });
    return Number(rows[0]?.cents ?? 0);
  }

  #spentValues(userId: string, sinceUs: number): unknown[] {
    return [userId, sinceUs, sinceUs - this.expiryDays * 86_400_000_000];
  }
}
