import { LIMITS } from '@settle/config';
import { normalizeEmail, parseUsPhone, randomId } from '@settle/contracts';
import { SecurityLog } from '@settle/observability';
import { Injectable } from '@nestjs/common';
import { DataSource, MoreThan, QueryFailedError, type EntityManager } from 'typeorm';
import { CodeMessages } from '../verification/code-messages.js';
import { VerificationCodes, type CodeKey, type VerifiedCode } from '../verification/verification-codes.js';
import { sha256 } from '../secrets/secrets.js';
import { Credential } from '../tables/credential.entity.js';
import { LoginAddress } from '../tables/login-address.entity.js';
import { PendingAccount } from '../tables/pending-account.entity.js';
import { SignUp } from '../tables/sign-up.entity.js';
import { PendingAccounts } from './pending-accounts.js';
import type { TypedSignUp } from './sign-up-rules.js';

/** The browser and the caller of a sign-up. */
export interface SignUpOrigin {
  /** The id in the browser's session cookie. */
  readonly browserId: string;
  readonly callerIp: string;
}

/** The outcome of a correct code; another user may have taken the username or the address meanwhile. */
export type SignUpOutcome =
  | {
      readonly kind: 'done';
      readonly userId: string;
      readonly passwordHash: string;
      readonly phone: string | null;
      readonly returnTo: string;
    }
  | { readonly kind: 'username-taken' | 'email-taken' };

const UNIQUE_VIOLATION = '23505';
const OWNER = `
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
    return this.dataSource.getRepository(Credential).existsBy({ username: username.trim().toLowerCase() });
  }

  /** Stores a sign-up without faults and sends a code. Errors: those of `CodeMessages.throttle` and `hashPassword`. */
  async begin(
    origin: SignUpOrigin,
    typed: TypedSignUp & { readonly hashPassword: () => Promise<string> },
    returnTo: string,
  ): Promise<void> {
    const email = typed.email.trim();
    // Throttled before the password is hashed, so that repeated requests are refused before the expensive part.
    await this.messages.throttle({ kind: 'email', to: email, callerIp: origin.callerIp });
    const signUp: SignUp = {
      browserSha256: sha256(origin.browserId),
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
    await this.#sendCode(signUp, origin);
  }

  /** Returns the sign-up of this browser that awaits its code, or null. */
  findPending(browserId: string): Promise<SignUp | null> {
    return this.#table.findOneBy({ browserSha256: sha256(browserId), expiresAt: MoreThan(new Date()) });
  }

  /** Sends a new code. Errors: those of `CodeMessages.throttle`. */
  async resendCode(signUp: SignUp, origin: SignUpOrigin): Promise<void> {
    await this.messages.throttle({ kind: 'email', to: signUp.email, callerIp: origin.callerIp });
    await this.#sendCode(signUp, origin);
  }

  /** Creates the account; returns null if the code is wrong. */
  async complete(browserId: string, typedCode: string): Promise<SignUpOutcome | null> {
    const codeKey = buildCodeKey(browserId);
    const verified = await this.codes.check(codeKey, typedCode);
    if (verified === null) return null;
    let created: { readonly signUp: SignUp; readonly account: PendingAccount } | null;
    try {
      created = await this.dataSource.transaction((manager) => createCredential(manager, browserId, verified));
    } catch (error) {
      const outcome = toTakenOutcome(error);
      if (outcome === null) throw error;
      await this.codes.discard(codeKey);
      return outcome;
    }
    if (created === null) return null;
    await this.codes.discard(codeKey);
    const { account, signUp } = created;
    this.security.write('account_created', { userId: account.userId });
    await this.pendingAccounts.createIfPossible(account);
    const { passwordHash, phone, returnTo } = signUp;
    return { kind: 'done', userId: account.userId, passwordHash, phone, returnTo };
  }

  async #sendCode(signUp: SignUp, { browserId, callerIp }: SignUpOrigin): Promise<void> {
    const recipient = { kind: 'email', to: signUp.email, callerIp } as const;
    const owner = await findOwner(this.dataSource.manager, signUp.email);
    const subject = owner === null ? signUp.email : '';
    const code = await this.codes.issue(buildCodeKey(browserId), subject, normalizeEmail(signUp.email));
    if (owner === null) this.messages.sendCode(recipient, 'sign-up', code);
    else this.messages.sendHasAccount({ ...recipient, to: owner.to }, owner.username);
  }

  get #table() {
    return this.dataSource.getRepository(SignUp);
  }
}

function buildCodeKey(browserId: string): CodeKey {
  return { purpose: 'sign-up', browserId };
}

/** Returns the user who signs in with the address, and the spelling for messages; null if there is none. */
async function findOwner(manager: EntityManager, email: string): Promise<{ username: string; to: string } | null> {
  const [owner] = await manager.query<{ username: string; to: string }[]>(OWNER, [normalizeEmail(email)]);
  return owner ?? null;
}

/** Returns null if a concurrent request was faster. Unique keys decide who gets a username and an address. */
async function createCredential(
  manager: EntityManager,
  browserId: string,
  { subject: email, provenAtUs }: VerifiedCode,
): Promise<{ signUp: SignUp; account: PendingAccount } | null> {
  const browserSha256 = sha256(browserId);
  const signUp = await manager.findOne(SignUp, {
    where: { browserSha256, email },
    lock: { mode: 'pessimistic_write' },
  });
  if (signUp === null) return null;
  const userId = randomId(Date.now());
  const { username, firstName, lastName, passwordHash } = signUp;
  const account = { userId, username, firstName, lastName, email, provenAtUs: String(provenAtUs) };
  await manager.insert(Credential, { userId, username: username.toLowerCase(), passwordHash });
  const value = normalizeEmail(email);
  await manager.insert(LoginAddress, {
    kind: 'email',
    value,
    spelling: email,
    userId,
    provenAtUs: account.provenAtUs,
  });
  await manager.insert(PendingAccount, account);
  await manager.delete(SignUp, { browserSha256 });
  return { signUp, account };
}

function toTakenOutcome(error: unknown): SignUpOutcome | null {
  if (!(error instanceof QueryFailedError)) return null;
  const { code, table } = error.driverError as { code?: string; table?: string };
  if (code !== UNIQUE_VIOLATION) return null;
  if (table === 'login_addresses') return { kind: 'email-taken' };
  return table === 'credentials' ? { kind: 'username-taken' } : null;
}
