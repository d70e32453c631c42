import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { readSettings } from '@settle/config';
import { DEMO_USERS, usersState, type UserRecord } from '@settle/contracts';
import { InMemoryBus } from '@settle/messaging';
import { createLogger } from '@settle/observability';
import { migrateSchema } from '@settle/postgres';
import { freshDatabase, type FreshDatabase } from '@settle/testing';
import { startUsersService, type UsersService } from '../start-users-service.js';
import { USERS_SCHEMA } from '../storage/users-schema.js';

const ADMIN = fileURLToPath(new URL('../../dist/admin.js', import.meta.url));
const { alice } = DEMO_USERS;

let database: FreshDatabase;

beforeEach(async () => {
  database = await freshDatabase();
});
afterEach(() => database.drop());

/** The built program, with the settings of users-service in the embedded shape. */
async function admin(line: string, env: Record<string, string> = { DATABASE_URL: database.url }) {
  const args = ['--no-warnings', ADMIN, 'user', ...line.split(' ')];
  const child = spawn(process.execPath, args, { env: { PATH: process.env['PATH'] ?? '', ...env } });
  const said = { output: '', complaint: '' };
  child.stdout.on('data', (chunk: Buffer) => (said.output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said.complaint += chunk.toString()));
  await once(child, 'close');
  return { code: child.exitCode, ...said };
}

describe('the admin command beside a users-service', () => {
  const logger = createLogger({ level: 'silent', service: 'spec' });
  let bus: InMemoryBus;
  let users: UsersService;
  let taken: UserRecord[];
  let letGo: () => void;
  /** Follows as payments do; while it is held, nothing is committed there. */
  let held: Promise<void>;

  beforeEach(async () => {
    bus = new InMemoryBus({ logger });
    taken = [];
    held = Promise.resolve();
    letGo = () => undefined;
    bus.consume(usersState.topic, usersState.pattern, 'payments', async (events) => {
      await held;
      taken.push(...events.map(({ payload }) => payload as UserRecord));
    });
    const settings = readSettings({ PUBLIC_URL: 'https://pay.example.com', ALLOW_DEMO_ON_NETWORK: 'true' });
    await migrateSchema(USERS_SCHEMA, database.url);
    users = await startUsersService({ settings, bus, logger, databaseUrl: database.url });
  });
  afterEach(async () => {
    letGo();
    await users.close();
    await bus.close();
  });

  it('given a follower, when a flag is set and set again, then it has the one new record once the command ends', async () => {
    const before = taken.filter(({ card }) => card?.id === alice.id).at(-1);
    const first = await admin('alice --frozen --legacy-access --operator=jo.doe');
    expect(first).toMatchObject({ code: 0, output: expect.stringContaining('frozen         yes') as string });
    expect(JSON.parse(first.complaint)).toMatchObject({
      securityEvent: 'operator_flags_set',
      level: 'warn',
      userId: alice.id,
      operator: 'jo.doe',
      flags: { frozen: true, 'legacy-access': true },
    });
    const frozen = { ...before, isFrozen: true, version: (before?.version ?? 0) + 1 };
    expect(taken.at(-1)).toEqual(frozen);
    expect(frozen.card?.profilePictureUrl).toContain('https://pay.example.com/');
    expect((await admin('alice --frozen')).code).toBe(0);
    expect(taken.at(-1)).toEqual(frozen);
  });

  it('given a follower that stands still, when a flag is set, then it ends with 2: stored, and it takes effect later', async () => {
    held = new Promise((resolve) => (letGo = resolve));
    const seen = taken.length;
    const late = await admin('alice --frozen');
    expect(late).toMatchObject({ code: 2, output: '' });
    expect(late.complaint).toMatch(/operator_flags_set.*\nThe change is stored and takes effect shortly\.\n$/);
    expect(taken.length).toBe(seen);
    letGo();
    expect((await admin('alice --frozen')).code).toBe(0);
    expect(taken.at(-1)).toMatchObject({ isFrozen: true });
  });
});

describe('the admin command where it cannot be done', () => {
  it('given a database that no users-service has been on, when it is started, then it says so', async () => {
    const { code, complaint } = await admin('alice --frozen');
    expect([code, complaint]).toEqual([1, 'Users-service has not run on this database yet: start it first\n']);
  });

  it('given no database, or none that answers, when it is started, then one line says so, without the password', async () => {
    const none = await admin('alice', {});
    expect([none.code, none.complaint]).toEqual([1, 'DATABASE_URL: it is needed here and not set\n']);
    const away = await admin('alice', { DATABASE_URL: 'postgres://me:sesame@127.0.0.1:1/people' });
    expect([away.code, away.complaint]).toEqual([1, expect.stringMatching(/127\.0\.0\.1:1 cannot be reached/)]);
    expect(away.complaint).not.toContain('sesame');
  });
});
