import { AskFriend, ChangeFriendship, GetFriendships } from './index.js';
import { BAD_CHOICES, BAD_IDS, BAD_LINES, alice, bob, describeMessages } from '../test/message-cases.fixture.js';

describeMessages([
  { dto: GetFriendships, good: { userId: alice }, bad: { userId: BAD_IDS } },
  {
    dto: AskFriend,
    good: { userId: alice, username: 'bob' },
    bad: { userId: BAD_IDS, username: ['', 'x'.repeat(201), 5, null, undefined, ...BAD_LINES] },
  },
  {
    dto: ChangeFriendship,
    good: { userId: alice, otherId: bob, action: 'block' },
    bad: { userId: BAD_IDS, otherId: BAD_IDS, action: BAD_CHOICES },
  },
]);
