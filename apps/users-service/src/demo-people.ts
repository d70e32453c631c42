import { DEMO_USERS, idTimeMs, type DemoUser } from '@settle/contracts';
import { In, type DataSource } from 'typeorm';
import { People } from './people.js';
import { User } from './user.entity.js';

/** Makes the people of the demo, all or none, and only once: what they change afterwards stays changed. */
export async function seedDemoPeople(dataSource: DataSource, publicUrl: string): Promise<void> {
  const { alice, bob, carol } = DEMO_USERS;
  await dataSource.transaction(async (manager) => {
    // Two instances may start at once.
    await manager.query('lock table users in share row exclusive mode');
    if (await manager.existsBy(User, { id: In([alice.id, bob.id, carol.id]) })) return;
    const people = new People(manager, publicUrl);
    for (const person of [alice, bob, carol]) await seedPerson(people, person);
    await people.befriend(alice.id, bob.id);
    await people.setTrust({ userId: bob.id, friendId: alice.id, trusts: true });
  });
}

async function seedPerson(people: People, person: DemoUser): Promise<void> {
  const { id, email, phone, fundingSourceId } = person;
  const joinedAtUs = idTimeMs(id) * 1000;
  await people.createUser({ ...person, joinedAtUs });
  await people.proveAddress({ userId: id, kind: 'email', address: email, provenAtUs: joinedAtUs });
  await people.proveAddress({ userId: id, kind: 'phone', address: phone, provenAtUs: joinedAtUs });
  await people.changeUser(id, { verified: true, fundingSourceId });
}
