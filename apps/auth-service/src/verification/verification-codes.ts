import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import { LIMITS } from '@settle/config';
import { SecurityLog } from '@settle/observability';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { sha256 } from '../secrets/secrets.js';
import { Code } from '../tables/code.entity.js';

/** The purpose of a code; a browser has at most one code per purpose. */
export type CodePurpose = 'sign-up' | 'reset' | 'email' | 'phone';

/** Identifies a code by its purpose and the browser that requested it. */
export interface CodeKey {
  readonly purpose: CodePurpose;
  /** The id in its session cookie. */
  readonly browserId: string;
}

/** A code that was entered correctly. */
export interface VerifiedCode {
  readonly subject: string;
  /** When it was first entered correctly, in microseconds since 1970. */
  readonly provenAtUs: number;
}

/** The verified code, or the subject of a refused one and today's number of wrong codes for its address. */
type CheckOutcome = { readonly verified: VerifiedCode } | { readonly subject: string | null; readonly wrong: number };

const WRONG = `
  select wrong from wrong_codes where address_sha256 = $1 and since > now() - interval '1 day' for update`;
const COUNT_WRONG = `
  insert into wrong_codes values ($1, 1, now())
  on conflict (address_sha256) do update set
    wrong = case when wrong_codes.since > now() - interval '1 day' then wrong_codes.wrong + 1 else 1 end,
    since = case when wrong_codes.since > now() - interval '1 day' then wrong_codes.since else now() end
  returning wrong`;
/** The subject of a code that resets a password is the user id. */
const DISCARD_RESETS = `
  delete from codes where subject = $1 returning id_sha256, proven_at_us is not null as is_proven`;

const DIGITS = 6;
/** Long enough that users copy it rather than type it. */
const LONGER_DIGITS = 10;

/**
 * Six-digit codes: five attempts, ten minutes, and only in the browser that requested it. A correct code stays valid
 * until it is discarded, so that the action can be retried after another service was unavailable.
 *
 * An attacker may request and guess codes for any address, so wrong codes must never lock out its owner: after 30
 * within a day, codes for the address have ten digits and shorter ones become invalid. An attacker's chance per day: 30
 * attempts at one in 10^6, 0.003 %; then five attempts for each of the 1,450 or so codes that `CodeMessages` sends to
 * one address in a day, at one in 10^10, which adds 0.00007 %.
 */
@Injectable()
export class VerificationCodes {
  constructor(
    private readonly dataSource: DataSource,
    private readonly security: SecurityLog,
  ) {}

  /**
   * Issues a new code, which replaces an earlier one.
   * @param subject empty: the code will never be accepted
   * @param address for which the code is requested, normalized
   */
  async issue(key: CodeKey, subject: string, address: string): Promise<string> {
    const addressSha256 = sha256(`codes for ${address}`);
    const digits = await loadDigitCount(this.dataSource.manager, addressSha256);
    const code = String(randomInt(10 ** digits)).padStart(digits, '0');
    const { codeTries: triesLeft, codeMs } = LIMITS.auth;
    const expiresAt = new Date(Date.now() + codeMs);
    const row = { mac: computeMac(key, code), subject, addressSha256, triesLeft, provenAtUs: null, expiresAt };
    await this.#table.upsert({ idSha256: hashKey(key), ...row }, ['idSha256']);
    return code;
  }

  /** Returns the subject of the pending code, or null if there is none. */
  async findSubject(key: CodeKey): Promise<string | null> {
    const found = await this.#table.findOneBy({ idSha256: hashKey(key) });
    return found !== null && found.expiresAt > new Date() ? found.subject : null;
  }

  /**
   * Checks the entered code; blanks are ignored. Returns null if it is wrong, expired or too short by now, or if too
   * many attempts were made.
   */
  async check(key: CodeKey, typed: string): Promise<VerifiedCode | null> {
    const outcome = await this.dataSource.transaction((manager) =>
      this.#attempt(manager, key, typed.replace(/\s/g, '')),
    );
    if ('verified' in outcome) return outcome.verified;
    const kind = key.purpose;
    this.security.write('code_refused', { kind, userId: kind === 'reset' ? outcome.subject : null });
    if (outcome.wrong === LIMITS.auth.wrongCodesPerDay) this.security.write('codes_lengthened', { kind });
    return null;
  }

  async #attempt(manager: EntityManager, key: CodeKey, typed: string): Promise<CheckOutcome> {
    const idSha256 = hashKey(key);
    const code = await manager.findOne(Code, { where: { idSha256 }, lock: { mode: 'pessimistic_write' } });
    if (code === null) return { subject: null, wrong: 0 };
    const { subject, addressSha256, triesLeft } = code;
    if (code.expiresAt <= new Date() || triesLeft === 0) return { subject, wrong: 0 };
    const wasVerified = code.provenAtUs !== null;
    const isLongEnough = wasVerified || typed.length >= (await loadDigitCount(manager, addressSha256));
    if (!isLongEnough || !timingSafeEqual(code.mac, computeMac(key, typed)) || subject === '') {
      await manager.update(Code, { idSha256 }, { triesLeft: triesLeft - 1 });
      const [counted] = await manager.query<{ wrong: number }[]>(COUNT_WRONG, [addressSha256]);
      return { subject, wrong: counted?.wrong ?? 0 };
    }
    const provenAtUs = code.provenAtUs ?? String(Date.now() * 1_000);
    if (!wasVerified) await manager.update(Code, { idSha256 }, { provenAtUs });
    return { verified: { subject, provenAtUs: Number(provenAtUs) } };
  }

  async discard(key: CodeKey): Promise<void> {
    await this.#table.delete({ idSha256: hashKey(key) });
  }

  get #table() {
    return this.dataSource.getRepository(Code);
  }
}

/**
 * Discards every code that resets the password of a user, in any browser.
 * @returns whether the code of `key` was among them and verified
 */
export async function discardResetCodes(manager: EntityManager, userId: string, key?: CodeKey): Promise<boolean> {
  const [rows] = await manager.query<[{ id_sha256: Buffer; is_proven: boolean }[], number]>(DISCARD_RESETS, [userId]);
  const id = key && hashKey(key);
  return id !== undefined && rows.some((row) => row.is_proven && id.equals(row.id_sha256));
}

/** Returns the number of digits required for an address. Locks its count until the transaction ends. */
async function loadDigitCount(manager: EntityManager, addressSha256: Buffer): Promise<number> {
  const [counted] = await manager.query<{ wrong: number }[]>(WRONG, [addressSha256]);
  return counted === undefined || counted.wrong < LIMITS.auth.wrongCodesPerDay ? DIGITS : LONGER_DIGITS;
}

function hashKey({ purpose, browserId }: CodeKey): Buffer {
  return sha256(`${purpose} ${browserId}`);
}

function computeMac({ purpose, browserId }: CodeKey, code: string): Buffer {
  return createHmac('sha256', browserId).update(`${purpose} ${code}`).digest();
}
