import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import { LIMITS } from '@settle/config';
import { SecurityLog } from '@settle/observability';
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

/** What came of trying: a proof, or whose code it was, if anybody's, and how many were wrong for its address today. */
type Tried = { readonly proof: Proof } | { readonly subject: string | null; readonly wrong: number };

const WRONG = `
  select wrong from wrong_codes where address_sha256 = $1 and since > now() - interval '1 day' for update`;
const COUNT_WRONG = `
  insert into wrong_codes values ($1, 1, now())
  on conflict (address_sha256) do update set
    wrong = case when wrong_codes.since > now() - interval '1 day' then wrong_codes.wrong + 1 else 1 end,
    since = case when wrong_codes.since > now() - interval '1 day' then wrong_codes.since else now() end
  returning wrong`;
/** The subject of a code that resets a password is the account. */
const DISCARD_RESETS = `
  delete from codes where subject = $1 returning id_sha256, proven_at_us is not null as is_proven`;

const DIGITS = 6;
/** What people copy more than type. */
const LONGER_DIGITS = 10;

/**
 * Six-digit codes: five tries, ten minutes, and only in the browser that asked. A right one stays right until it is
 * discarded, so that what follows from it can be done again when another service was away.
 *
 * Anybody may ask for codes for anybody's address and guess them, so no number of wrong ones may keep its owner out:
 * after 30 within a day the address's codes have ten digits, and shorter ones hold no more. What a guesser may hope for
 * in a day: 30 tries at one in 10^6, 0.003 %; after that five tries for each of the 1,450 or so codes that
 * `CodeMessages` sends to one address in a day, at one in 10^10, which adds 0.00007 %.
 */
@Injectable()
export class Codes {
  constructor(
    private readonly dataSource: DataSource,
    private readonly security: SecurityLog,
  ) {}

  /**
   * A new code in place of an earlier one.
   * @param subject empty: no typing of it will be right
   * @param address for which it is asked, normalised, whoever has it
   */
  async issue(place: CodePlace, subject: string, address: string): Promise<string> {
    const addressSha256 = sha256(`codes for ${address}`);
    const digits = await digitsFor(this.dataSource.manager, addressSha256);
    const code = String(randomInt(10 ** digits)).padStart(digits, '0');
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
   * What the typed code proves, with or without blanks; null when it is wrong, too old, too short by now, or there were
   * too many tries.
   */
  async check(place: CodePlace, typed: string): Promise<Proof | null> {
    const tried = await this.dataSource.transaction((manager) => this.#try(manager, place, typed.replace(/\s/g, '')));
    if ('proof' in tried) return tried.proof;
    const kind = place.purpose;
    this.security.write('code_refused', { kind, userId: kind === 'reset' ? tried.subject : null });
    if (tried.wrong === LIMITS.auth.wrongCodesPerDay) this.security.write('codes_lengthened', { kind });
    return null;
  }

  async #try(manager: EntityManager, place: CodePlace, typed: string): Promise<Tried> {
    const idSha256 = idOf(place);
    const code = await manager.findOne(Code, { where: { idSha256 }, lock: { mode: 'pessimistic_write' } });
    if (code === null) return { subject: null, wrong: 0 };
    const { subject, addressSha256, triesLeft } = code;
    if (code.expiresAt <= new Date() || triesLeft === 0) return { subject, wrong: 0 };
    const wasRight = code.provenAtUs !== null;
    const isLongEnough = wasRight || typed.length >= (await digitsFor(manager, addressSha256));
    if (!isLongEnough || !timingSafeEqual(code.mac, macOf(place, typed)) || subject === '') {
      await manager.update(Code, { idSha256 }, { triesLeft: triesLeft - 1 });
      const [counted] = await manager.query<{ wrong: number }[]>(COUNT_WRONG, [addressSha256]);
      return { subject, wrong: counted?.wrong ?? 0 };
    }
    const provenAtUs = code.provenAtUs ?? String(Date.now() * 1_000);
    if (!wasRight) await manager.update(Code, { idSha256 }, { provenAtUs });
    return { proof: { subject, provenAtUs: Number(provenAtUs) } };
  }

  async discard(place: CodePlace): Promise<void> {
    await this.#table.delete({ idSha256: idOf(place) });
  }

  get #table() {
    return this.dataSource.getRepository(Code);
  }
}

/**
 * Discards every code that resets the password of a user, in any browser.
 * @returns whether one of them was typed right at `place`
 */
export async function discardResets(manager: EntityManager, userId: string, place?: CodePlace): Promise<boolean> {
  const [rows] = await manager.query<[{ id_sha256: Buffer; is_proven: boolean }[], number]>(DISCARD_RESETS, [userId]);
  const own = place && idOf(place);
  return own !== undefined && rows.some((row) => row.is_proven && own.equals(row.id_sha256));
}

/** How long codes for an address must be; held until the transaction ends, so that tries at once count one by one. */
async function digitsFor(manager: EntityManager, addressSha256: Buffer): Promise<number> {
  const [counted] = await manager.query<{ wrong: number }[]>(WRONG, [addressSha256]);
  return counted === undefined || counted.wrong < LIMITS.auth.wrongCodesPerDay ? DIGITS : LONGER_DIGITS;
}

function idOf({ purpose, browserId }: CodePlace): Buffer {
  return sha256(`${purpose} ${browserId}`);
}

function macOf({ purpose, browserId }: CodePlace, code: string): Buffer {
  return createHmac('sha256', browserId).update(`${purpose} ${code}`).digest();
}
