import { LIMITS } from '@settle/config';
import type { AddressKind } from '@settle/contracts';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { sha256 } from '../secrets/secrets.js';

/** The number of codes that may be requested under a name within a day. */
interface Quota {
  readonly name: string;
  readonly codes: number;
}

interface QuotaRow {
  readonly key_sha256: Buffer;
  readonly sent: number;
  readonly endsInMs: number;
}

/** Locks rows in one order, so that two requests never deadlock. */
const COUNT = `
  insert into sent_codes (key_sha256, sent, since)
  select key, 1, now() from unnest($1::bytea[]) as key order by key
  on conflict (key_sha256) do update set
    sent = case when sent_codes.since > now() - interval '1 day' then sent_codes.sent + 1 else 1 end,
    since = case when sent_codes.since > now() - interval '1 day' then sent_codes.since else now() end
  returning key_sha256, sent,
    (extract(epoch from since + interval '1 day' - now()) * 1000)::float8 as "endsInMs"`;

/**
 * Limits the codes per day: text messages cost money, and every code may be guessed. A day begins with the first code
 * under a name. The counts are shared by all instances.
 */
@Injectable()
export class CodeQuotas {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Counts a code for an address and for the requesting account, if the user is signed in.
   * @param recipient normalized
   * @returns milliseconds until the next code is possible; 0: it is possible now and counted
   */
  consume(kind: AddressKind, recipient: string, userId: string | null): Promise<number> {
    const { codesPerDay } = LIMITS.auth;
    return this.#consume([
      { name: `codes to ${recipient}`, codes: codesPerDay.address },
      { name: `codes by ${kind}`, codes: codesPerDay[kind] },
      ...(userId === null ? [] : [{ name: `codes for ${userId}`, codes: codesPerDay.account }]),
    ]);
  }

  /** Counts a code for an account only. Returns the same as `consume`. */
  consumeForAccount(userId: string): Promise<number> {
    return this.#consume([{ name: `codes for ${userId}`, codes: LIMITS.auth.codesPerDay.account }]);
  }

  #consume(quotas: readonly Quota[]): Promise<number> {
    return this.dataSource.transaction(async (manager) => {
      await manager.query('savepoint uncounted');
      const rows = await manager.query<QuotaRow[]>(COUNT, [quotas.map(({ name }) => sha256(name))]);
      const waitMs = Math.max(0, ...quotas.map((quota) => computeWaitMs(rows, quota)));
      // A refused request is not counted: it must not use up the quota that others share.
      if (waitMs > 0) await manager.query('rollback to savepoint uncounted');
      return waitMs;
    });
  }
}

function computeWaitMs(rows: readonly QuotaRow[], { name, codes }: Quota): number {
  const key = sha256(name);
  const row = rows.find(({ key_sha256: of }) => key.equals(of));
  return row === undefined || row.sent <= codes ? 0 : Math.max(row.endsInMs, 1);
}
