import type { SecurityEvent, SecurityFacts } from '@settle/observability';
import type { DataSource } from 'typeorm';

/** The dependencies of an operator's command. */
export interface OperatorContext {
  readonly dataSource: DataSource;
  /** Writes a line of the security log with the operator's name. Called after the change is stored. */
  readonly log: (event: SecurityEvent, facts: SecurityFacts) => void;
}

const FIND_USER = 'select user_id as "userId", username from credentials where lower(username) = lower($1)';

export interface FoundUser {
  readonly userId: string;
  readonly username: string;
}

/** Returns the user with this username. Error: a line for the operator if there is none. */
export async function findUser(dataSource: DataSource, username: string): Promise<FoundUser> {
  const [found] = await dataSource.query<FoundUser[]>(FIND_USER, [username]);
  if (found === undefined) throw new Error(`There is no user "${username}": usernames are written without an @`);
  return found;
}
