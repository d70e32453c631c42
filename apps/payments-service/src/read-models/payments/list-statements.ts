import { PAYMENT_ACTIONS, PAYMENT_STATUSES, type ListPayments } from '@settle/contracts';
import { PAYMENTS } from './payments.table.js';

/** The columns that responses show; `target_user_id` is read below. */
const SHOWN_COLUMNS = Object.keys(PAYMENTS.table.types).filter(
  (column) => !['target_user_id', 'target_key', 'revision', 'app_id'].includes(column),
);

/** Returns the field of `PaymentRow` that a column holds. */
const fieldOf = (column: string) =>
  column.replace(/_us$/, '_at_us').replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Cents and microseconds, which the driver would return as text. */
const asNumber = (column: string) => (/_(?:cents|us)$/.test(column) ? '::float8' : '');

/** Joins the owner of a pending payment's address if its actor may learn the owner; the newest verification wins. */
export const PAYMENT_COLUMNS = `${SHOWN_COLUMNS.map((column) => `p.${column}${asNumber(column)} as "${fieldOf(column)}"`).join(', ')},
  coalesce(p.target_user_id, case when p.status = 'pending' and p.target_key is not null then (
    select a.user_id from known_addresses a where a.kind = p.target_type and a.value = p.target_key
      and resolves_user(p.actor_id, a.user_id)
    order by a.proven_at_us desc, a.user_id limit 1) end) as "targetUserId"`;

const EARLIEST_US = Number.MIN_SAFE_INTEGER;
const LATEST_US = Number.MAX_SAFE_INTEGER;
/** Below every id: payments created at exactly `before` are left out. */
const NO_ID = '0';

const NEWEST = 'order by p.created_us desc, p.id desc limit $7';
const STATUSES = 'unnest($2::text[]) as listed_status';
const ACTIONS = 'unnest($3::text[]) as listed_action';
const ACTORS = 'unnest($8::bigint[]) as listed_actor';
const OF_KIND = 'p.status = listed_status and p.action = listed_action';

/**
 * The newest rows of one index range. `where` gives a value for each column before `created_us` and the index's own
 * condition, so the database reads no more rows than a page has, whatever the filters leave out.
 */
const newestOf = (where: string) => `lateral (
  select * from payments p
  where ${where} and p.created_us > $4 and (p.created_us, p.id) < ($5, $6) ${NEWEST}) p`;

const BY_VIEWER = newestOf(`p.actor_id = $1 and ${OF_KIND} and p.refund_of is null`);
const TO_VIEWER = newestOf(`p.target_user_id = $1 and p.actor_id <> p.target_user_id and ${OF_KIND}`);
const TO_VIEWER_BY_ACTOR = newestOf(
  `p.target_user_id = $1 and p.actor_id = listed_actor and p.actor_id <> p.target_user_id and ${OF_KIND}`,
);

/** Addresses of the viewer: a pending payment belongs to the user with the newest verification of its address. */
const OWN_ADDRESSES = `known_addresses mine
  where mine.user_id = $1 and 'pending' = any($2) and not exists (
    select 1 from known_addresses newer where newer.kind = mine.kind and newer.value = mine.value
      and (newer.proven_at_us, -newer.user_id) > (mine.proven_at_us, -mine.user_id))`;
const TO_MINE = `p.target_type = mine.kind and p.target_key = mine.value and p.action = listed_action
  and p.status = 'pending' and p.target_user_id is null and resolves_user(p.actor_id, $1)`;
const TO_ADDRESS = newestOf(`${TO_MINE} and p.actor_id <> $1`);
const TO_ADDRESS_BY_ACTOR = newestOf(`${TO_MINE} and p.actor_id = listed_actor and p.actor_id <> $1`);

const pageOf = (...branches: readonly string[]) => `
  select ${PAYMENT_COLUMNS} from (
    select p.* from (
      ${branches.map((from) => `select p.* from ${from}`).join('\n union all \n')}
    ) p ${NEWEST}
  ) p order by p.created_us desc, p.id desc`;

/** Payments in which the viewer is actor, target, or owner of the address of a pending payment. */
const OF_USER = {
  name: 'payments-of-user',
  text: pageOf(
    `${STATUSES}, ${ACTIONS}, ${BY_VIEWER}`,
    `${STATUSES}, ${ACTIONS}, ${TO_VIEWER}`,
    `(select mine.kind, mine.value from ${OWN_ADDRESSES}) mine, ${ACTIONS}, ${TO_ADDRESS}`,
  ),
};
const OF_USER_BY_ACTORS = {
  name: 'payments-of-user-by-actors',
  text: pageOf(
    `${STATUSES}, ${ACTIONS}, ${BY_VIEWER} where $1 = any($8)`,
    `${ACTORS}, ${STATUSES}, ${ACTIONS}, ${TO_VIEWER_BY_ACTOR}`,
    `(select mine.kind, mine.value from ${OWN_ADDRESSES}) mine, ${ACTORS}, ${ACTIONS}, ${TO_ADDRESS_BY_ACTOR}`,
  ),
};

/** Returns the statement that reads a page and one row of the next page. Each filter value stands in it once. */
export function listStatement(query: ListPayments): { name: string; text: string; values: unknown[] } {
  const { viewerId, action, limit, afterUs, beforeUs, beforeId } = query;
  const actorIds = [...new Set(query.actorIds)];
  const statuses = query.statuses.length === 0 ? PAYMENT_STATUSES : [...new Set(query.statuses)];
  const values = [
    viewerId,
    statuses,
    action === null ? PAYMENT_ACTIONS : [action],
    afterUs ?? EARLIEST_US,
    beforeUs ?? LATEST_US,
    beforeId ?? NO_ID,
    limit + 1,
  ];
  return actorIds.length === 0 ? { ...OF_USER, values } : { ...OF_USER_BY_ACTORS, values: [...values, actorIds] };
}
