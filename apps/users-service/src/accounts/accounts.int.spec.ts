import { randomId, usersKnown, type Account, type UserRecord, type UsersKnown } from '@settle/contracts';
import { InMemoryBus, MessageClient } from '@settle/messaging';
import { createLogger } from '@settle/observability';
import { freshDatabase, type FreshDatabase } from '@settle/testing';
import type { DataSource } from 'typeorm';
import { AccountsController } from './accounts.controller.js';
import { openUsersTables } from '../../test/users-tables.fixture.js';

const PUBLIC_URL = 'http://localhost:3000';
const PHONE = '+14155550199';

let database: FreshDatabase;
let dataSource: DataSource;
let accounts: AccountsController;

const bus = new InMemoryBus({ logger: createLogger({ level: 'silent', service: 'spec' }) });
const client = new MessageClient(bus);
afterAll(() => bus.close());

beforeAll(async () => {
  database = await freshDatabase();
  dataSource = await openUsersTables(database.url);
  accounts = new AccountsController(dataSource, client, { publicUrl: PUBLIC_URL, devTools: true });
});
beforeEach(() => dataSource.query('truncate users, proven_addresses, pairs, friend_requests, outbox restart identity'));
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

let clockUs = 1_700_000_000_000_000;
const nextUs = () => (clockUs += 1);

async function newAccount(username: string, email = `${username}@Example.com`): Promise<Account> {
  const names = { username, firstName: 'Dora', lastName: 'Dane' };
  return accounts.create({ userId: randomId(Date.now()), ...names, email, provenAtUs: nextUs() });
}

async function lastRecordOf(userId: string): Promise<UserRecord> {
  const rows = await dataSource.query<{ payload: UserRecord }[]>(
    'select payload from outbox where key = $1 order by id desc limit 1',
    [`user:${userId}`],
  );
  return rows[0]!.payload;
}

const valuesOf = ({ addresses }: Pick<Account, 'addresses'>) => addresses.map(({ value }) => value);

describe('an account', () => {
  it('given a new user, when the account is created twice at once, then one account exists, with its e-mail verified and published', async () => {
    const request = { username: 'Dora', firstName: 'Dora', lastName: 'Dane', email: 'Dora@Example.com' };
    const whole = { ...request, userId: randomId(Date.now()), provenAtUs: nextUs() };
    const [one, two] = await Promise.all([accounts.create(whole), accounts.create(whole)]);
    expect(one).toEqual(two);
    expect(one).toMatchObject({
      email: 'Dora@Example.com',
      phone: null,
      defaultAudience: 'private',
      isVerified: false,
    });
    expect(one.card).toMatchObject({ username: 'Dora', displayName: 'Dora Dane' });
    expect(valuesOf(await lastRecordOf(whole.userId))).toEqual(['dora@example.com']);
  });

  it('given a taken username, when another account is created with it in another case, then it is refused and nothing is stored', async () => {
    await newAccount('dora');
    await expect(newAccount('DORA', 'other@example.com')).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await dataSource.query('select from proven_addresses')).toHaveLength(1);
  });

  it('given a change of an account, when it is read, then every field is changed and published', async () => {
    const { card } = await newAccount('dora');
    const change = {
      userId: card.id,
      firstName: 'D.',
      lastName: 'D',
      about: 'Hi',
      defaultAudience: 'friends' as const,
    };
    await accounts.change(change);
    const account = await accounts.read({ userId: card.id });
    expect(account).toMatchObject({ defaultAudience: 'friends', card: { displayName: 'D. D', about: 'Hi' } });
    expect((await lastRecordOf(card.id)).card).toEqual(account.card);
  });

  it('given an unknown user, when the account is read, then the error is resource_not_found', async () => {
    await expect(accounts.read({ userId: randomId(Date.now()) })).rejects.toMatchObject({ code: 'resource_not_found' });
  });
});

describe('a funding source', () => {
  it('given a card, when it is added and removed, then each change is published and confirmed once payments-service has it', async () => {
    const asked: UsersKnown[] = [];
    bus.handle(usersKnown.topic, usersKnown.pattern, async (payload) => {
      asked.push(payload as UsersKnown);
      return { version: (payload as UsersKnown).version };
    });
    const { card, fundingSource } = await newAccount('dora');
    expect(fundingSource).toBeNull();
    const source = { id: 'test-card-1', lastFour: '4242' };
    const added = await accounts.changeFundingSource({ userId: card.id, source });
    const record = await lastRecordOf(card.id);
    expect([added.fundingSource, record.fundingSourceId]).toEqual([source, 'test-card-1']);
    expect(JSON.stringify(record)).not.toContain('4242');
    const removed = await accounts.changeFundingSource({ userId: card.id, source: null });
    const last = await lastRecordOf(card.id);
    expect([removed.fundingSource, last.fundingSourceId]).toEqual([null, null]);
    const key = `user:${card.id}`;
    expect(asked).toMatchObject([record.version, last.version].map((version) => ({ key, version })));
  });
});

describe('address verification', () => {
  // Shows friend-4
  it('given both kinds of address, when they are verified, then the account shows them, and only with developer tools the identity is verified', async () => {
    const { card } = await newAccount('dora');
    const verification = { userId: card.id, kind: 'phone', address: '(415) 555-0199', provenAtUs: nextUs() } as const;
    const settings = { publicUrl: PUBLIC_URL, devTools: false };
    const unsure = await new AccountsController(dataSource, client, settings).verifyAddress(verification);
    expect(unsure).toMatchObject({ phone: PHONE, isVerified: false });
    expect(await accounts.verifyAddress(verification)).toMatchObject({ phone: PHONE, isVerified: true });
  });

  // Shows friend-3
  it('given two users who verify one address twenty times at once, when all are done, then the newest verification wins and one user shows the address', async () => {
    const [dora, emil] = await Promise.all([newAccount('dora'), newAccount('emil')]);
    const verifications = Array.from({ length: 20 }, (_, n) => ({
      userId: (n % 2 === 0 ? dora : emil).card.id,
      kind: 'phone' as const,
      address: PHONE,
      provenAtUs: nextUs(),
    }));
    await Promise.all(verifications.map((verification) => accounts.verifyAddress(verification)));
    expect(await accounts.read({ userId: emil.card.id })).toMatchObject({ phone: PHONE });
    expect(await accounts.read({ userId: dora.card.id })).toMatchObject({ phone: null });
    expect(valuesOf(await lastRecordOf(dora.card.id))).toEqual(['dora@example.com']);
    expect(valuesOf(await lastRecordOf(emil.card.id))).toContain(PHONE);
  });

  it('given a second e-mail address, when the shown one is removed, then the second is shown, and the last one cannot be removed', async () => {
    const { card } = await newAccount('dora');
    const second = { userId: card.id, kind: 'email', address: 'Second@Example.com', provenAtUs: nextUs() } as const;
    expect(await accounts.verifyAddress(second)).toMatchObject({ email: 'dora@Example.com' });
    const left = await accounts.removeAddress({ userId: card.id, kind: 'email', value: 'dora@example.com' });
    expect([left.email, valuesOf(left)]).toEqual(['second@example.com', ['second@example.com']]);
    const last = accounts.removeAddress({ userId: card.id, kind: 'email', value: 'second@example.com' });
    await expect(last).rejects.toMatchObject({ code: 'not_permitted' });
    expect(valuesOf(await accounts.read({ userId: card.id }))).toEqual(['second@example.com']);
  });

  it('given the greatest number of addresses, when one more is verified, then it is refused and not stored', async () => {
    const { card } = await newAccount('dora');
    const verification = (n: number) => ({
      userId: card.id,
      kind: 'email' as const,
      address: `d${n}@example.com`,
      provenAtUs: nextUs(),
    });
    for (let n = 1; n < 10; n += 1) await accounts.verifyAddress(verification(n));
    await expect(accounts.verifyAddress(verification(10))).rejects.toMatchObject({ code: 'not_permitted' });
    expect((await accounts.read({ userId: card.id })).addresses).toHaveLength(10);
  });
});
