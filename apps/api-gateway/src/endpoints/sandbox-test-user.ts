import {
  SANDBOX_TEST_USER,
  sandboxTestUserCard,
  type Environment,
  type FriendsPage,
  type Profile,
} from '@settle/contracts';

/** The test user has no friends: the table's trusted friend applies to the amounts of that table alone. */
export const NO_FRIENDS: FriendsPage = { friends: [], hasMore: false };

/** Whether the requested user is the test user, whom users-service does not know. */
export function isTestUser(environment: Environment, userId: string): boolean {
  return environment === 'sandbox' && userId === SANDBOX_TEST_USER.id;
}

/** Returns the test user's profile for readers who may see contacts. @param publicUrl as in `sandboxTestUserCard` */
export function testUserProfile(publicUrl: string): Profile {
  const { email, phone } = SANDBOX_TEST_USER;
  return { ...sandboxTestUserCard(publicUrl), email, phone, isFriend: false, friendsCount: 0 };
}
