import { isId, type AuditQuery } from '@settle/contracts';
import { formatAudit } from '@settle/postgres';
import type { DataSource } from 'typeorm';
import { findUser } from './operator-context.js';

/** Returns the records of auth-service, one line each; users-service has its own. Error: a line for the operator. */
export async function showAudit(dataSource: DataSource, { user, ...bounds }: AuditQuery): Promise<string> {
  const userId = user === null || isId(user) ? user : (await findUser(dataSource, user)).userId;
  return formatAudit(dataSource, { userId, ...bounds });
}
