import { isId, normalizeEmail, normalizeUsername, parseEmailOnFile, parseUsPhone } from '@settle/contracts';
import type { DataSource } from 'typeorm';
import { User } from '../storage/user.entity.js';
import { VerifiedAddressRow } from '../storage/verified-address.entity.js';
import { USER_FLAGS } from './admin-arguments.js';

/** Users that one search returns: an id, a username and addresses are each of one user, or of few. */
const MOST_USERS = 20;
const US_PER_MS = 1_000;

const FIND = `
  select id from users where id = $1 or lower(username) = $2 or email_normalised = $3 or phone = $4
  union select user_id from proven_addresses where (kind, value) in (('email', $3), ('phone', $4))
  order by 1 limit ${MOST_USERS}`;

/**
 * Finds users by id, username, e-mail address or phone number, verified or not, and describes each.
 * @returns the command's output; null if there is no such user
 */
export async function findUsers(dataSource: DataSource, subject: string): Promise<string | null> {
  const email = parseEmailOnFile(subject);
  const values = [
    isId(subject) ? subject : null,
    normalizeUsername(subject.replace(/^@/, '')),
    email === null ? null : normalizeEmail(email),
    parseUsPhone(subject),
  ];
  const found = await dataSource.query<{ id: string }[]>(FIND, values);
  if (found.length === 0) return null;
  const pages: string[] = [];
  for (const { id } of found) pages.push(await describeUser(dataSource, id));
  return pages.join('');
}

/** Returns the flags of a user, as the command prints them. */
export async function formatFlags(dataSource: DataSource, userId: string): Promise<string> {
  return linesOf(await dataSource.manager.findOneByOrFail(User, { id: userId }), []);
}

async function describeUser({ manager }: DataSource, id: string): Promise<string> {
  const user = await manager.findOneByOrFail(User, { id });
  const verified = await manager.find(VerifiedAddressRow, {
    where: { userId: id },
    order: { kind: 'asc', value: 'asc' },
    take: MOST_USERS,
  });
  const isVerified = (value: string | null) => verified.some((address) => address.value === value);
  const unverified = [
    ...(isVerified(user.emailNormalized) || user.email === null ? [] : [['e-mail', `${user.email}, not verified`]]),
    ...(isVerified(user.phone) || user.phone === null ? [] : [['phone', `${user.phone}, not verified`]]),
  ];
  return linesOf(user, [
    ['name', user.displayName],
    ['joined', timeOf(user.joinedAtUs)],
    ...(user.closedAtUs === null ? [] : [['closed', timeOf(user.closedAtUs)]]),
    ...verified.map(({ kind, value, provenAtUs }) => [
      kind === 'email' ? 'e-mail' : 'phone',
      `${value}, verified ${timeOf(provenAtUs)}`,
    ]),
    ...unverified,
  ]);
}

function linesOf(user: User, facts: readonly (readonly string[])[]): string {
  const flags = Object.entries(USER_FLAGS).map(([name, field]) => [name, user[field] ? 'yes' : 'no']);
  const lines = [...facts, ...flags].map(([name = '', value = '']) => `  ${name.padEnd(14)} ${value}`);
  return [`${user.username} (${user.id})`, ...lines, ''].join('\n');
}

function timeOf(us: number): string {
  return new Date(us / US_PER_MS).toISOString();
}
