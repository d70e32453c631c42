import { DEMO_USERS, idTimeMs } from '@settle/contracts';
import { In, type DataSource } from 'typeorm';
import { Users } from './users.js';
import { User } from '../storage/user.entity.js';

/** Creates the demo users, all or none, and only once: later changes of theirs stay. */
export async function seedDemoUsers(dataSource: DataSource, publicUrl: string): Promise<void> {
  const { alice, bob } = DEMO_USERS;
  await dataSource.transaction(async (manager) => {
    // Two instances may start at once.
    await manager.query('lock table users in share row exclusive mode');
    const demoUsers = Object.values(DEMO_USERS);
    if (await manager.existsBy(User, { id: In(demoUsers.map(({ id }) => id)) })) return;
    const users = new Users(manager, publicUrl);
    for (const { id, email, phone, fundingSourceId, ...user } of demoUsers) {
      const joinedAtUs = idTimeMs(id) * 1000;
      await users.createUser({ ...user, id, email, phone, joinedAtUs });
      await users.verifyAddress({ userId: id, kind: 'email', address: email, provenAtUs: joinedAtUs });
      await users.verifyAddress({ userId: id, kind: 'phone', address: phone, provenAtUs: joinedAtUs });
      await users.changeUser(id, { verified: true, fundingSourceId });
    }
    await users.befriend(alice.id, bob.id);
    await users.setTrust({ userId: bob.id, friendId: alice.id, trusts: true });
  });
}
