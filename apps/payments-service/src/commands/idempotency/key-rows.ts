import { LIMITS } from '@settle/config';
import type { Environment } from '@settle/contracts';
import type { Pool } from 'pg';

const { keysKeptMs, keysPerDelete } = LIMITS.payments;
const KEPT_US = keysKeptMs * 1_000;

const THE_ROW = 'user_id = $1 and app_id = $2 and environment = $3 and key = $4';

/** An expired row counts as missing. */
const INSERT = {
  name: 'idempotency-insert',
  text: `
    insert into idempotency_keys as k
      (user_id, app_id, environment, key, request_hash, command_id, payment_id, created_at_us, is_taken_over)
    values ($1, $2, $3, $4, $5, $6, $7, $8, false)
    on conflict (user_id, app_id, environment, key) do update set
      request_hash = $5, command_id = $6, payment_id = $7, created_at_us = $8, is_taken_over = false, answer = null
    where k.created_at_us <= $9
    returning key`,
};
/** Reads the row; if the same request has no response yet, takes it over. */
const TAKE_OVER = {
  name: 'idempotency-take-over',
  text: `
    with found as materialized (select * from idempotency_keys where ${THE_ROW} for update),
    taken as (
      update idempotency_keys set is_taken_over = true
      where ${THE_ROW} and exists (select from found where request_hash = $5 and answer is null)
    )
    select request_hash, command_id, payment_id, answer from found`,
};
/** The first response stays. */
const ANSWER = {
  name: 'idempotency-answer',
  text: `update idempotency_keys set answer = coalesce(answer, $6)
    where ${THE_ROW} and command_id = $5 returning answer`,
};
const FREE = {
  name: 'idempotency-free',
  text: `delete from idempotency_keys where ${THE_ROW} and command_id = $5 and not is_taken_over`,
};
/** Instances that sweep at the same time lock different rows. */
const REMOVE_OLD = {
  name: 'idempotency-remove-old',
  text: `delete from idempotency_keys where ctid = any (array(
    select ctid from idempotency_keys where created_at_us <= $1 order by created_at_us limit $2 for update skip locked))`,
};

/** Owner of a key: the same text of another app or user is another key. */
export type KeyOwner = readonly [userId: string, appId: string, environment: Environment, key: string];

/** The ids under which a command runs: those of the first request with its key. */
export interface RequestIds {
  readonly commandId: string;
  readonly paymentId: string;
}

export type KeyState =
  /** The key was free and now belongs to this request. */
  | { readonly kind: 'fresh' }
  /** The same request came before, under these ids, and has no response. */
  | { readonly kind: 'takenOver'; readonly ids: RequestIds }
  | { readonly kind: 'answered'; readonly commandId: string; readonly answer: object }
  | { readonly kind: 'reused' }
  /** The row existed and was gone a moment later. */
  | { readonly kind: 'gone' };

interface FoundRow {
  readonly request_hash: string;
  readonly command_id: string;
  readonly payment_id: string;
  readonly answer: object | null;
}

/** Rows of `Idempotency-Key`. Errors: the database's. Times are microseconds since 1970. */
export class KeyRows {
  constructor(private readonly pool: Pool) {}

  /** Writes the row of a request, or takes over one without a response. */
  async take(
    owner: KeyOwner,
    requestHash: string,
    { commandId, paymentId }: RequestIds,
    nowUs: number,
  ): Promise<KeyState> {
    const values = [...owner, requestHash, commandId, paymentId, nowUs, nowUs - KEPT_US];
    const { rowCount } = await this.pool.query({ ...INSERT, values });
    if (rowCount === 1) return { kind: 'fresh' };
    const { rows } = await this.pool.query<FoundRow>({ ...TAKE_OVER, values: [...owner, requestHash] });
    return stateOf(rows[0], requestHash);
  }

  /**
   * Stores a response unless there is one. Returns the stored response; null if the row belongs to another command by
   * now, or is gone.
   */
  async answer(owner: KeyOwner, commandId: string, answer: object): Promise<object | null> {
    const values = [...owner, commandId, JSON.stringify(answer)];
    const { rows } = await this.pool.query<{ answer: object }>({ ...ANSWER, values });
    return rows[0]?.answer ?? null;
  }

  /** Releases the key of a refused request, unless another instance has taken it over since. */
  async free(owner: KeyOwner, commandId: string): Promise<void> {
    await this.pool.query({ ...FREE, values: [...owner, commandId] });
  }

  /**
   * Removes all expired rows, a bounded number per statement, while `mayContinue` returns true. Returns their number.
   */
  async removeOld(nowUs: number, mayContinue: () => boolean): Promise<number> {
    let removed = 0;
    while (mayContinue()) {
      const { rowCount } = await this.pool.query({ ...REMOVE_OLD, values: [nowUs - KEPT_US, keysPerDelete] });
      removed += rowCount ?? 0;
      if ((rowCount ?? 0) < keysPerDelete) break;
    }
    return removed;
  }
}

function stateOf(row: FoundRow | undefined, requestHash: string): KeyState {
  if (row === undefined) return { kind: 'gone' };
  if (row.request_hash !== requestHash) return { kind: 'reused' };
  const { command_id: commandId, payment_id: paymentId, answer } = row;
  return answer === null
    ? { kind: 'takenOver', ids: { commandId, paymentId } }
    : { kind: 'answered', commandId, answer };
}
