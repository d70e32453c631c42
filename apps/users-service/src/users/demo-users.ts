import { DEMO_USERS, idTimeMs, type DemoUser } from '@settle/contracts';
import { In, type DataSource, type EntityManager } from 'typeorm';
import { Users } from './users.js';
import { User } from '../storage/user.entity.js';

/** Creates the demo users, all or none, and only once: later changes of theirs stay. */
export async function seedDemoUsers(dataSource: DataSource, publicUrl: string): Promise<void> {
  const { alice, bob } = DEMO_USERS;
  await dataSource.transaction(async (manager) => {
    // Two instances may start at once.
    await manager.query('lock table users in share row exclusive mode');
    if (await hasDemoUsers(manager)) return;
    const users = new Users(manager, publicUrl);
    for (const user of Object.values(DEMO_USERS)) await seedUser(users, user);
    await users.befriend(alice.id, bob.id);
    await users.setTrust({ userId: bob.id, friendId: alice.id, trusts: true });
  });
}

function hasDemoUsers(manager: EntityManager): Promise<boolean> {
  return manager.existsBy(User, { id: In(Object.values(DEMO_USERS).map(({ id }) => id)) });
}

async function seedUser(users: Users, user: DemoUser): Promise<void> {
  const { id, email, phone, fundingSourceId } = user;
  const joinedAtUs = idTimeMs(id) * 1000;
  await users.createUser({ ...user, joinedAtUs });
  await users.verifyAddress({ userId: id, kind: 'email', address: email, provenAtUs: joinedAtUs });
  await users.verifyAddress({ userId: id, kind: 'phone', address: phone, provenAtUs: joinedAtUs });
  await users.changeUser(id, { verified: true, fundingSourceId });
}
