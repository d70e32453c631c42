import { LIMITS } from '@settle/config';
import { normalizeEmail, normalizeUsername, parseUsPhone, randomId } from '@settle/contracts';
import { SecurityLog } from '@settle/observability';
import { Injectable } from '@nestjs/common';
import { DataSource, MoreThan, QueryFailedError, type EntityManager } from 'typeorm';
import { CodeMessages } from '../verification/code-messages.js';
import { VerificationCodes, type CodeKey, type VerifiedCode } from '../verification/verification-codes.js';
import type { Browser } from '../sign-in/exchange.js';
import { sha256 } from '../secrets/secrets.js';
import { Credential } from '../tables/credential.entity.js';
import { LoginAddress } from '../tables/login-address.entity.js';
import { PendingAccount } from '../tables/pending-account.entity.js';
import { SignUp } from '../tables/sign-up.entity.js';
import { PendingAccounts } from './pending-accounts.js';
import type { TypedSignUp } from './sign-up-rules.js';

/** The outcome of a correct code; another user may have taken the username or the address meanwhile. */
export type SignUpOutcome =
  | ({ readonly kind: 'done'; readonly userId: string } & Pick<SignUp, 'passwordHash' | 'phone' | 'returnTo'>)
  | { readonly kind: 'username-taken' | 'email-taken' };

const UNIQUE_VIOLATION = '23505';
/** The user who signs in with the address, and the spelling for messages. */
const FIND_OWNER = `
  select username, coalesce(spelling, value) as "to" from login_addresses join credentials using (user_id)
  where kind = 'email' and value = $1`;

/**
 * Sign-ups of new users. The account is created, and username and address are taken, once the e-mail address is
 * verified. Only a message to the address says whether it already has an account: the pages and their timing do not
 * reveal it.
 */
@Injectable()
export class SignUps {
  constructor(
    private readonly dataSource: DataSource,
    private readonly codes: VerificationCodes,
    private readonly messages: CodeMessages,
    private readonly pendingAccounts: PendingAccounts,
    private readonly security: SecurityLog,
  ) {}

  /** Usernames are public, so this reveals nothing. */
  isUsernameTaken(username: string): Promise<boolean> {
    return this.dataSource.getRepository(Credential).existsBy({ username: normalizeUsername(username.trim()) });
  }

  /** Stores a sign-up without faults and sends a code. Errors: those of `CodeMessages.throttle` and `hashPassword`. */
  async begin(
    browser: Browser,
    typed: TypedSignUp & { readonly hashPassword: () => Promise<string> },
    returnTo: string,
  ): Promise<void> {
    const email = typed.email.trim();
    // Throttled before the password is hashed, so that repeated requests are refused before the expensive part.
    await this.messages.throttle({ kind: 'email', to: email, callerIp: browser.callerIp });
    const signUp: SignUp = {
      browserSha256: sha256(browser.browserId),
      username: typed.username.trim(),
      firstName: typed.first_name.trim(),
      lastName: typed.last_name.trim(),
      email,
      phone: parseUsPhone(typed.phone),
      passwordHash: await typed.hashPassword(),
      returnTo,
      expiresAt: new Date(Date.now() + LIMITS.auth.signUpMs),
    };
    await this.#table.upsert(signUp, ['browserSha256']);
    await this.#sendCode(signUp, browser);
  }

  /** Returns the sign-up of this browser that awaits its code, or null. */
  findPending(browserId: string): Promise<SignUp | null> {
    return this.#table.findOneBy({ browserSha256: sha256(browserId), expiresAt: MoreThan(new Date()) });
  }

  /** Sends a new code. Errors: those of `CodeMessages.throttle`. */
  async resendCode(signUp: SignUp, browser: Browser): Promise<void> {
    await this.messages.throttle({ kind: 'email', to: signUp.email, callerIp: browser.callerIp });
    await this.#sendCode(signUp, browser);
  }

  /** Creates the account; returns null if the code is wrong. */
  async complete(browserId: string, typedCode: string): Promise<SignUpOutcome | null> {
    const codeKey = buildCodeKey(browserId);
    const verified = await this.codes.check(codeKey, typedCode);
    if (verified === null) return null;
    const created = await this.dataSource
      .transaction((manager) => createCredential(manager, browserId, verified))
      .catch(toTakenOutcome);
    if (created === null) return null;
    await this.codes.discard(codeKey);
    if ('kind' in created) return created;
    const { account, signUp } = created;
    this.security.write('account_created', { userId: account.userId });
    await this.pendingAccounts.createIfPossible(account);
    const { passwordHash, phone, returnTo } = signUp;
    return { kind: 'done', userId: account.userId, passwordHash, phone, returnTo };
  }

  async #sendCode(signUp: SignUp, { browserId, callerIp }: Browser): Promise<void> {
    const recipient = { kind: 'email', to: signUp.email, callerIp } as const;
    const value = normalizeEmail(signUp.email);
    const [owner] = await this.dataSource.query<{ username: string; to: string }[]>(FIND_OWNER, [value]);
    const subject = owner === undefined ? signUp.email : '';
    const code = await this.codes.issue(buildCodeKey(browserId), subject, value);
    if (owner === undefined) this.messages.sendCode(recipient, 'sign-up', code);
    else this.messages.sendHasAccount({ ...recipient, to: owner.to }, owner.username);
  }

  get #table() {
    return this.dataSource.getRepository(SignUp);
  }
}

function buildCodeKey(browserId: string): CodeKey {
  return { purpose: 'sign-up', browserId };
}

/** Returns null if a concurrent request was faster. Unique keys decide who gets a username and an address. */
async function createCredential(
  manager: EntityManager,
  browserId: string,
  verified: VerifiedCode,
): Promise<{ signUp: SignUp; account: PendingAccount } | null> {
  const email = verified.subject;
  const browserSha256 = sha256(browserId);
  const lock = { mode: 'pessimistic_write' } as const;
  const signUp = await manager.findOne(SignUp, { where: { browserSha256, email }, lock });
  if (signUp === null) return null;
  const userId = randomId(Date.now());
  const { username, firstName, lastName, passwordHash } = signUp;
  const account = { userId, username, firstName, lastName, email, provenAtUs: String(verified.provenAtUs) };
  await manager.insert(Credential, { userId, username: normalizeUsername(username), passwordHash });
  const value = normalizeEmail(email);
  const { provenAtUs } = account;
  await manager.insert(LoginAddress, { kind: 'email', value, spelling: email, userId, provenAtUs });
  await manager.insert(PendingAccount, account);
  await manager.delete(SignUp, { browserSha256 });
  return { signUp, account };
}

/** Throws any other error. */
function toTakenOutcome(error: unknown): SignUpOutcome {
  const { code, table } =
    error instanceof QueryFailedError ? (error.driverError as { code?: string; table?: string }) : {};
  if (code === UNIQUE_VIOLATION && table === 'login_addresses') return { kind: 'email-taken' };
  if (code === UNIQUE_VIOLATION && table === 'credentials') return { kind: 'username-taken' };
  throw error;
}
