import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { sha256 } from '../secrets.js';
import { Code } from '../tables/code.entity.js';

/** What a code is for; a browser has at most one of each at a time. */
export type CodePurpose = 'sign-up' | 'reset' | 'email' | 'phone';

/** The browser that asked, and what for. */
export interface CodePlace {
  readonly purpose: CodePurpose;
  /** The id in its session cookie. */
  readonly browserId: string;
}

/** A code that was typed right. */
export interface Proof {
  readonly subject: string;
  /** When it was first typed right, in microseconds since 1970. */
  readonly provenAtUs: number;
}

const WRONG = `
  select wrong, ceil(extract(epoch from since + interval '1 day' - now()))::integer as "retryAfterSeconds"
  from wrong_codes where address_sha256 = $1 and since > now() - interval '1 day' for update`;
const COUNT_WRONG = `
  insert into wrong_codes values ($1, 1, now())
  on conflict (address_sha256) do update set
    wrong = case when wrong_codes.since > now() - interval '1 day' then wrong_codes.wrong + 1 else 1 end,
    since = case when wrong_codes.since > now() - interval '1 day' then wrong_codes.since else now() end`;

/**
 * Six-digit codes: five tries, ten minutes, and only in the browser that asked. A right one stays right until it is
 * discarded, so that what follows from it can be done again when another service was away.
 */
@Injectable()
export class Codes {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * A new code in place of an earlier one. Error: `rate_limited` after too many wrong ones for the address.
   * @param subject empty: no typing of it will be right
   * @param address for which it is asked, normalised, whoever has it
   */
  async issue(place: CodePlace, subject: string, address: string): Promise<string> {
    const addressSha256 = sha256(`codes for ${address}`);
    await refuseAfterWrongOnes(this.dataSource.manager, addressSha256);
    const code = String(randomInt(1_000_000)).padStart(6, '0');
    await this.#table.upsert(
      {
        idSha256: idOf(place),
        mac: macOf(place, code),
        subject,
        addressSha256,
        triesLeft: LIMITS.auth.codeTries,
        provenAtUs: null,
        expiresAt: new Date(Date.now() + LIMITS.auth.codeMs),
      },
      ['idSha256'],
    );
    return code;
  }

  /** What the code that waits is about; null when none does. */
  async subject(place: CodePlace): Promise<string | null> {
    const found = await this.#table.findOneBy({ idSha256: idOf(place) });
    return found !== null && found.expiresAt > new Date() ? found.subject : null;
  }

  /**
   * What the typed code proves, with or without blanks; null when it is wrong, too old, or there were too many tries.
   * Error: `rate_limited`, for a right one too, after too many wrong ones for the address.
   */
  async check(place: CodePlace, typed: string): Promise<Proof | null> {
    const idSha256 = idOf(place);
    return this.dataSource.transaction(async (manager) => {
      const code = await manager.findOne(Code, { where: { idSha256 }, lock: { mode: 'pessimistic_write' } });
      if (code === null || code.expiresAt <= new Date() || code.triesLeft === 0) return null;
      await refuseAfterWrongOnes(manager, code.addressSha256);
      const isRight = timingSafeEqual(code.mac, macOf(place, typed.replace(/\s/g, ''))) && code.subject !== '';
      if (!isRight) {
        await manager.update(Code, { idSha256 }, { triesLeft: code.triesLeft - 1 });
        await manager.query(COUNT_WRONG, [code.addressSha256]);
        return null;
      }
      const provenAtUs = code.provenAtUs ?? String(Date.now() * 1_000);
      if (code.provenAtUs === null) await manager.update(Code, { idSha256 }, { provenAtUs });
      return { subject: code.subject, provenAtUs: Number(provenAtUs) };
    });
  }

  async discard(place: CodePlace): Promise<void> {
    await this.#table.delete({ idSha256: idOf(place) });
  }

  get #table() {
    return this.dataSource.getRepository(Code);
  }
}

async function refuseAfterWrongOnes(manager: EntityManager, addressSha256: Buffer): Promise<void> {
  const [counted] = await manager.query<{ wrong: number; retryAfterSeconds: number }[]>(WRONG, [addressSha256]);
  if (counted === undefined || counted.wrong < LIMITS.auth.wrongCodesPerDay) return;
  const { retryAfterSeconds } = counted;
  throw new SettleError(
    'rate_limited',
    `Too many wrong codes were typed for this address within a day. Wait ${Math.ceil(retryAfterSeconds / 3_600)} h, or use another address of yours.`,
    { retryAfterSeconds },
  );
}

function idOf({ purpose, browserId }: CodePlace): Buffer {
  return sha256(`${purpose} ${browserId}`);
}

function macOf({ purpose, browserId }: CodePlace, code: string): Buffer {
  return createHmac('sha256', browserId).update(`${purpose} ${code}`).digest();
}
