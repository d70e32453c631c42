import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { readSettings } from '@settle/config';
import { DEMO_USERS, usersState, type UserRecord } from '@settle/contracts';
import { InMemoryBus } from '@settle/messaging';
import { createLogger } from '@settle/observability';
import { migrateSchema } from '@settle/postgres';
import { freshDatabase, programEnvironment, type FreshDatabase } from '@settle/testing';
import { createUsersDataSource, startUsersService, type UsersService } from '../start-users-service.js';
import { USERS_SCHEMA } from '../storage/users-schema.js';
import { Users } from '../users/users.js';

const ADMIN = fileURLToPath(new URL('../../dist/admin.js', import.meta.url));
const { alice, bob } = DEMO_USERS;

let database: FreshDatabase;

beforeEach(async () => {
  database = await freshDatabase();
});
afterEach(() => database.drop());

/** The built program, with the settings of users-service in the embedded shape. */
function admin(line: string, env: Record<string, string> = { DATABASE_URL: database.url }) {
  return run(`user ${line}`.split(' '), env);
}

async function run(words: readonly string[], env: Record<string, string> = { DATABASE_URL: database.url }) {
  const child = spawn(process.execPath, ['--no-warnings', ADMIN, ...words], {
    env: { ...programEnvironment(), ...env },
  });
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

  it('given a consumer, when a flag is set twice, then the consumer has the one new record once the command ends', async () => {
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

  it('given a consumer that does not progress, when a flag is set, then the exit code is 2: the change is stored and takes effect later', async () => {
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

describe('the queries of the admin command', () => {
  beforeEach(async () => {
    await migrateSchema(USERS_SCHEMA, await database.separateMigrations());
    const dataSource = await createUsersDataSource(database.url).initialize();
    const users = new Users(dataSource.manager, 'http://localhost:3000');
    for (const { id, username, firstName, lastName, email, phone } of [alice, bob]) {
      await users.createUser({ id, username, firstName, lastName, email, phone, joinedAtUs: 1_000 });
    }
    await users.verifyAddress({ userId: alice.id, kind: 'email', address: 'Other@Example.com', provenAtUs: 2_000 });
    await dataSource.query(`insert into announced_address (public_url) values ('http://localhost:3000')`);
    await dataSource.destroy();
  });

  it('given users, when "find" runs with an id, a username, an e-mail address or a phone number, then the user is described', async () => {
    const byId = await run(['find', alice.id]);
    expect(byId).toMatchObject({ code: 0, complaint: '' });
    expect(byId.output.split('\n')).toEqual([
      `alice (${alice.id})`,
      expect.stringContaining('  name           '),
      '  joined         1970-01-01T00:00:00.001Z',
      '  e-mail         other@example.com, verified 1970-01-01T00:00:00.002Z',
      `  phone          ${alice.phone}, not verified`,
      '  business       no',
      '  legacy-access  no',
      '  verified       no',
      '  frozen         no',
      '',
    ]);
    const spellings = ['ALICE', '@alice', 'OTHER@example.COM', alice.phone, alice.phone.replace('+1', '')];
    for (const subject of spellings) expect(await run(['find', subject])).toEqual(byId);
    expect((await run(['find', bob.email])).output).toContain(`${bob.email}, not verified`);
    expect(await run(['find', 'carol'])).toEqual({ code: 1, output: '', complaint: 'There is no user "carol"\n' });
    expect((await run(['find'])).complaint).toContain('Usage:');
  });

  it('given changed flags, when "audit" runs, then the change is listed, and the role of the service cannot alter it', async () => {
    const change = ['user', 'alice', '--frozen', '--operator', 'jo', '--reason', 'asked for by phone'];
    // There is no service that publishes the change.
    expect((await run(change)).code).toBe(2);
    const line = `jo  user user ${alice.id} frozen=true  stored  reason: asked for by phone\n`;
    const { output } = await run(['audit', '--user', 'alice']);
    expect(output.slice('2026-03-01T00:00:00.000Z  '.length)).toBe(line);
    expect(await run(['audit', '--user', bob.id])).toEqual({ code: 0, output: '', complaint: '' });
    const dataSource = await createUsersDataSource(database.url).initialize();
    for (const statement of ['delete from operator_actions', `update operator_actions set operator = 'al'`]) {
      await expect(dataSource.query(statement)).rejects.toThrow('permission denied');
    }
    await dataSource.destroy();
  });
});

describe('the admin command that cannot succeed', () => {
  it('given a database without the tables of users-service, when the command runs, then the error says so', async () => {
    const { code, complaint } = await admin('alice --frozen');
    expect([code, complaint]).toEqual([1, 'Users-service has not run on this database yet: start it first\n']);
  });

  it('given no database, or an unavailable one, when the command runs, then one line says so, without the password', async () => {
    const none = await admin('alice', {});
    expect([none.code, none.complaint]).toEqual([1, 'DATABASE_URL: it is needed here and not set\n']);
    const unavailable = await admin('alice', { DATABASE_URL: 'postgres://me:sesame@127.0.0.1:1/users' });
    expect([unavailable.code, unavailable.complaint]).toEqual([
      1,
      expect.stringMatching(/127\.0\.0\.1:1 cannot be reached/),
    ]);
    expect(unavailable.complaint).not.toContain('sesame');
  });
});
