import {
  SANDBOX_TEST_USER,
  sandboxTestUserCard,
  type Environment,
  type FriendsPage,
  type Profile,
} from '@settle/contracts';

/** Nobody's friend: the table's trusted friend is one for the amounts of that table alone. */
export const NO_FRIENDS: FriendsPage = { friends: [], hasMore: false };

/** Whether a user is asked for whom users-service does not know. */
export function isTestUser(environment: Environment, userId: string): boolean {
  return environment === 'sandbox' && userId === SANDBOX_TEST_USER.id;
}

/** The test user as anybody sees it who may see contacts at all. @param publicUrl as in `sandboxTestUserCard` */
export function testUserProfile(publicUrl: string): Profile {
  const { email, phone } = SANDBOX_TEST_USER;
  return { ...sandboxTestUserCard(publicUrl), email, phone, isFriend: false, friendsCount: 0 };
}
