import { LIMITS } from '@settle/config';
import { normaliseEmail, parseUsPhone, randomId } from '@settle/contracts';
import { SecurityLog } from '@settle/observability';
import { Injectable } from '@nestjs/common';
import { DataSource, MoreThan, QueryFailedError, type EntityManager } from 'typeorm';
import { CodeMessages } from '../proofs/code-messages.js';
import { Codes, type CodePlace, type Proof } from '../proofs/codes.js';
import { sha256 } from '../secrets.js';
import { Credential } from '../tables/credential.entity.js';
import { LoginAddress } from '../tables/login-address.entity.js';
import { NewPerson } from '../tables/new-person.entity.js';
import { SignUp } from '../tables/sign-up.entity.js';
import { NewPeople } from './new-people.js';
import type { TypedSignUp } from './sign-up-rules.js';

/** Where somebody signs up from. */
export interface SignUpPlace {
  /** The id in the browser's session cookie. */
  readonly browserId: string;
  /** The caller's address. */
  readonly askedFrom: string;
}

/** What became of a sign-up whose code was right; a name or an address can be taken by somebody who was faster. */
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
 * People who want an account. There is none, and no name or address is taken, before a code has come back from the
 * e-mail address. Whether that address has an account already is told to its mailbox alone: the pages, and the work
 * behind them, are the same.
 */
@Injectable()
export class SignUps {
  constructor(
    private readonly dataSource: DataSource,
    private readonly codes: Codes,
    private readonly messages: CodeMessages,
    private readonly newPeople: NewPeople,
    private readonly security: SecurityLog,
  ) {}

  /** Usernames are public. */
  isUsernameTaken(username: string): Promise<boolean> {
    return this.dataSource.getRepository(Credential).existsBy({ username: username.trim().toLowerCase() });
  }

  /**
   * Keeps what was typed and writes to the e-mail address. @param typed without faults
   * Errors: those of `CodeMessages.begin` and of `hashPassword`.
   */
  async begin(
    place: SignUpPlace,
    typed: TypedSignUp & { readonly hashPassword: () => Promise<string> },
    returnTo: string,
  ): Promise<void> {
    const email = typed.email.trim();
    // Counted before the password is hashed: whoever asks without end is refused before that costs anything.
    await this.messages.begin({ kind: 'email', to: email, askedFrom: place.askedFrom });
    const signUp: SignUp = {
      browserSha256: sha256(place.browserId),
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
    await this.#write(signUp, place);
  }

  /** The sign-up that waits for its code in this browser. */
  waiting(browserId: string): Promise<SignUp | null> {
    return this.#table.findOneBy({ browserSha256: sha256(browserId), expiresAt: MoreThan(new Date()) });
  }

  /** Writes again, with another code. Errors: those of `CodeMessages.begin`. */
  async writeAgain(signUp: SignUp, place: SignUpPlace): Promise<void> {
    await this.messages.begin({ kind: 'email', to: signUp.email, askedFrom: place.askedFrom });
    await this.#write(signUp, place);
  }

  /** Makes the account; null when the code is wrong. */
  async complete(browserId: string, typedCode: string): Promise<SignUpOutcome | null> {
    const code = codeOf(browserId);
    const proof = await this.codes.check(code, typedCode);
    if (proof === null) return null;
    let made: { readonly signUp: SignUp; readonly person: NewPerson } | null;
    try {
      made = await this.dataSource.transaction((manager) => makeCredential(manager, browserId, proof));
    } catch (error) {
      const outcome = takenBy(error);
      if (outcome === null) throw error;
      await this.codes.discard(code);
      return outcome;
    }
    if (made === null) return null;
    await this.codes.discard(code);
    const { person, signUp } = made;
    this.security.write('account_created', { userId: person.userId });
    await this.newPeople.tellIfPossible(person);
    const { passwordHash, phone, returnTo } = signUp;
    return { kind: 'done', userId: person.userId, passwordHash, phone, returnTo };
  }

  async #write(signUp: SignUp, { browserId, askedFrom }: SignUpPlace): Promise<void> {
    const recipient = { kind: 'email', to: signUp.email, askedFrom } as const;
    const owner = await ownerOf(this.dataSource.manager, signUp.email);
    const subject = owner === null ? signUp.email : '';
    const code = await this.codes.issue(codeOf(browserId), subject, normaliseEmail(signUp.email));
    if (owner === null) this.messages.sendCode(recipient, 'sign-up', code);
    else this.messages.sendHasAccount({ ...recipient, to: owner.to }, owner.username);
  }

  get #table() {
    return this.dataSource.getRepository(SignUp);
  }
}

function codeOf(browserId: string): CodePlace {
  return { purpose: 'sign-up', browserId };
}

/** The user who signs in with the address, and where messages to them go; null if no user does. */
async function ownerOf(manager: EntityManager, email: string): Promise<{ username: string; to: string } | null> {
  const [owner] = await manager.query<{ username: string; to: string }[]>(OWNER, [normaliseEmail(email)]);
  return owner ?? null;
}

/** Null when a twin was faster. Its unique keys decide who gets a name and an address. */
async function makeCredential(
  manager: EntityManager,
  browserId: string,
  { subject: email, provenAtUs }: Proof,
): Promise<{ signUp: SignUp; person: NewPerson } | null> {
  const browserSha256 = sha256(browserId);
  const signUp = await manager.findOne(SignUp, {
    where: { browserSha256, email },
    lock: { mode: 'pessimistic_write' },
  });
  if (signUp === null) return null;
  const userId = randomId(Date.now());
  const { username, firstName, lastName, passwordHash } = signUp;
  const person = { userId, username, firstName, lastName, email, provenAtUs: String(provenAtUs) };
  await manager.insert(Credential, { userId, username: username.toLowerCase(), passwordHash });
  const value = normaliseEmail(email);
  await manager.insert(LoginAddress, {
    kind: 'email',
    value,
    spelling: email,
    userId,
    provenAtUs: person.provenAtUs,
  });
  await manager.insert(NewPerson, person);
  await manager.delete(SignUp, { browserSha256 });
  return { signUp, person };
}

function takenBy(error: unknown): SignUpOutcome | null {
  if (!(error instanceof QueryFailedError)) return null;
  const { code, table } = error.driverError as { code?: string; table?: string };
  if (code !== UNIQUE_VIOLATION) return null;
  if (table === 'login_addresses') return { kind: 'email-taken' };
  return table === 'credentials' ? { kind: 'username-taken' } : null;
}
