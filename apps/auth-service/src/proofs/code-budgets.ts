import { LIMITS } from '@settle/config';
import type { AddressKind } from '@settle/contracts';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { sha256 } from '../secrets.js';

/** How many codes may be requested under a name within a day. */
interface Budget {
  readonly name: string;
  readonly codes: number;
}

interface Counted {
  readonly key_sha256: Buffer;
  readonly sent: number;
  readonly endsInMs: number;
}

/** In this order, so that two requests never wait for each other. */
const COUNT = `
  insert into sent_codes (key_sha256, sent, since)
  select key, 1, now() from unnest($1::bytea[]) as key order by key
  on conflict (key_sha256) do update set
    sent = case when sent_codes.since > now() - interval '1 day' then sent_codes.sent + 1 else 1 end,
    since = case when sent_codes.since > now() - interval '1 day' then sent_codes.since else now() end
  returning key_sha256, sent,
    (extract(epoch from since + interval '1 day' - now()) * 1000)::float8 as "endsInMs"`;

/**
 * Bounds the codes of a day: text messages cost money, and every code that is sent may be guessed. A day begins with the
 * first code under a name. Counts for all instances together.
 */
@Injectable()
export class CodeBudgets {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Counts a code to an address, and for the account that requests it, if one does. @param recipient normalized
   * @returns milliseconds until one more is possible; 0: it is now, and counts
   */
  count(kind: AddressKind, recipient: string, userId: string | null): Promise<number> {
    const { codesPerDay } = LIMITS.auth;
    return this.#count([
      { name: `codes to ${recipient}`, codes: codesPerDay.address },
      { name: `codes by ${kind}`, codes: codesPerDay[kind] },
      ...(userId === null ? [] : [{ name: `codes for ${userId}`, codes: codesPerDay.account }]),
    ]);
  }

  /** Counts a code for an account alone. Returns as `count`. */
  countForAccount(userId: string): Promise<number> {
    return this.#count([{ name: `codes for ${userId}`, codes: LIMITS.auth.codesPerDay.account }]);
  }

  async #count(budgets: readonly Budget[]): Promise<number> {
    const runner = this.dataSource.createQueryRunner();
    try {
      await runner.startTransaction();
      const rows = (await runner.query(COUNT, [budgets.map(({ name }) => sha256(name))])) as Counted[];
      const waitMs = Math.max(0, ...budgets.map((budget) => waitMsOf(rows, budget)));
      // A refused request counts for nothing: it must not use up what others share.
      await (waitMs === 0 ? runner.commitTransaction() : runner.rollbackTransaction());
      return waitMs;
    } catch (error) {
      if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
      throw error;
    } finally {
      await runner.release();
    }
  }
}

function waitMsOf(rows: readonly Counted[], { name, codes }: Budget): number {
  const key = sha256(name);
  const row = rows.find(({ key_sha256: of }) => key.equals(of));
  return row === undefined || row.sent <= codes ? 0 : Math.max(row.endsInMs, 1);
}
