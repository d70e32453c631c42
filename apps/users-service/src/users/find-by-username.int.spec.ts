import { DEMO_USERS } from '@settle/contracts';
import { freshDatabase } from '@settle/testing';
import { openUsersTables } from '../../test/users-tables.fixture.js';
import { Users, findByUsername } from './users.js';

describe('findByUsername', () => {
  it('given a user, when the username is written in another case, then the user is found, and not with another letter', async () => {
    const database = await freshDatabase();
    const dataSource = await openUsersTables(database.url);
    const { id } = DEMO_USERS.alice;
    const names = { username: 'mike', firstName: 'Mike', lastName: 'Miller' };
    const user = { id, ...names, email: null, phone: null, joinedAtUs: 1 };
    await new Users(dataSource.manager, 'http://localhost:3000').createUser(user);
    expect(await findByUsername(dataSource.manager, 'MiKe')).toMatchObject({ id });
    expect(await findByUsername(dataSource.manager, 'mi\u212ae')).toBeNull();
    await dataSource.destroy();
    await database.drop();
  });
});
