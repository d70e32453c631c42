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
    if (await hasDemoPeople(manager)) return;
    const people = new Users(manager, publicUrl);
    for (const person of Object.values(DEMO_USERS)) await seedPerson(people, person);
    await people.befriend(alice.id, bob.id);
    await people.setTrust({ userId: bob.id, friendId: alice.id, trusts: true });
  });
}

function hasDemoPeople(manager: EntityManager): Promise<boolean> {
  return manager.existsBy(User, { id: In(Object.values(DEMO_USERS).map(({ id }) => id)) });
}

async function seedPerson(people: Users, person: DemoUser): Promise<void> {
  const { id, email, phone, fundingSourceId } = person;
  const joinedAtUs = idTimeMs(id) * 1000;
  await people.createUser({ ...person, joinedAtUs });
  await people.verifyAddress({ userId: id, kind: 'email', address: email, provenAtUs: joinedAtUs });
  await people.verifyAddress({ userId: id, kind: 'phone', address: phone, provenAtUs: joinedAtUs });
  await people.changeUser(id, { verified: true, fundingSourceId });
}
