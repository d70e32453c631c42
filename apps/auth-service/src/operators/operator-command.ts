import type { SecurityEvent, SecurityFacts } from '@settle/observability';
import type { DataSource } from 'typeorm';

/** What a command of an operator works with. */
export interface OperatorCommand {
  readonly dataSource: DataSource;
  /** Writes a line of the security log, with the operator's name. To be called once it has happened. */
  readonly log: (event: SecurityEvent, facts: SecurityFacts) => void;
}

const FIND_USER = 'select user_id as "userId", username from credentials where lower(username) = lower($1)';

/** A user as sign-in knows one. */
export interface FoundUser {
  readonly userId: string;
  readonly username: string;
}

/** Error: a line for the operator, where there is no such user. */
export async function findUser(dataSource: DataSource, username: string): Promise<FoundUser> {
  const [found] = await dataSource.query<FoundUser[]>(FIND_USER, [username]);
  if (found === undefined) throw new Error(`There is no user "${username}": usernames are written without an @`);
  return found;
}
