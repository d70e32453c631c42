import { normalizeUsername } from '@settle/contracts';
import type { SecurityEvent, SecurityFacts } from '@settle/observability';
import type { OperatorAction } from '@settle/postgres';
import type { DataSource } from 'typeorm';
import { revokeInBatches } from '../oauth/revoke-authorizations.js';
import type { Credential } from '../tables/credential.entity.js';
import { awaitRevocations } from '../tokens/await-revocations.js';

/** The dependencies of an operator's command. */
export interface OperatorContext {
  readonly dataSource: DataSource;
  /** Writes a line of the security log with the operator's name. Called after the change is stored. */
  readonly log: (event: SecurityEvent, facts: SecurityFacts) => void;
  /** Runs a change after the audit has recorded it. Errors: those of `runAudited`. */
  readonly audited: <Result>(subject: AuditSubject, change: () => Promise<Result>) => Promise<Result>;
}

/** The user or the app of a change, and what was asked for beyond the command. */
export type AuditSubject = Partial<Pick<OperatorAction, 'userId' | 'appId' | 'details'>>;

const FIND_USER = 'select user_id as "userId", username from credentials where username = $1';

type FoundUser = Pick<Credential, 'userId' | 'username'>;

/** Returns the user with this username. Error: a line for the operator if there is none. */
export async function findUser(dataSource: DataSource, username: string): Promise<FoundUser> {
  const [found] = await dataSource.query<FoundUser[]>(FIND_USER, [normalizeUsername(username)]);
  if (found === undefined) throw new Error(`There is no user "${username}": usernames are written without an @`);
  return found;
}

/** Selects what an app has, or what all apps of a user have. */
type Holder = { readonly appId: string } | { readonly userId: string };

const SELECTED = '($1::text is null or app_id = $1) and ($2::bigint is null or user_id = $2)';
const DELETE_CONSENTS = `delete from consents where ${SELECTED}`;
const UNPUBLISHED = `
  (select from tokens where revoked_at <= now() and revocation_published_at is null and ${SELECTED} limit 1)
  union all
  (select from token_rechecks join tokens using (sha256) where ${SELECTED} limit 1)`;

const selectedBy = (holder: Holder) => [
  'appId' in holder ? holder.appId : null,
  'userId' in holder ? holder.userId : null,
];

/** Deletes remembered consents and revokes authorizations. Returns the number of authorizations. */
export async function endAccessOf(dataSource: DataSource, holder: Holder): Promise<number> {
  // First, and it waits for requests that rely on a consent, so that the authorizations they create are revoked too.
  await dataSource.query(DELETE_CONSENTS, selectedBy(holder));
  let count = 0;
  for await (const batch of revokeInBatches(dataSource, holder)) count += batch.count;
  return count;
}

/**
 * Waits until the running auth-service has published the revocations and rechecks of the tokens. Errors: those of
 * `awaitRevocations`.
 */
export function awaitTokens(dataSource: DataSource, holder: Holder): Promise<void> {
  return awaitRevocations(async () => (await dataSource.query<object[]>(UNPUBLISHED, selectedBy(holder))).length === 0);
}
