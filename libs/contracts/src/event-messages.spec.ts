import { PairRecord, TokensRevoked, UserRecord } from './index.js';
import {
  alice,
  bob,
  BAD_IDS,
  BAD_INTEGERS,
  BAD_CHOICES,
  BAD_FLAGS,
  BAD_LINES,
  describeMessages,
  type Case,
} from '../test/message-cases.fixture.js';

const card = {
  id: alice,
  username: 'alice',
  firstName: 'Alice',
  lastName: 'Archer',
  displayName: 'Alice Archer',
  about: '',
  profilePictureUrl: 'http://localhost/pictures/AA.svg',
  dateJoinedUs: 1,
};

const cases: readonly Case[] = [
  {
    dto: TokensRevoked,
    good: { tokenSha256s: ['a1'.repeat(32)], completeUpToMs: 1 },
    alsoGood: [{ tokenSha256s: [] }],
    bad: { tokenSha256s: [['a1'], [5], 'a1'.repeat(32), null, undefined], completeUpToMs: BAD_INTEGERS },
  },
  {
    dto: UserRecord,
    good: {
      kind: 'user',
      version: 1,
      card,
      defaultAudience: 'private',
      isBusiness: false,
      isFrozen: false,
      fundingSourceId: null,
      addresses: [{ kind: 'email', value: 'alice@example.com', provenAtUs: 1 }],
    },
    alsoGood: [{ addresses: [], fundingSourceId: 'card' }, { card: { ...card, about: 'a tab\tof old' } }],
    bad: {
      kind: BAD_CHOICES,
      version: [...BAD_INTEGERS, 0],
      card: [
        ...[{}, { ...card, id: 'x' }, { ...card, about: null }, [card], 5, null, undefined],
        ...['username', 'firstName', 'lastName', 'displayName', 'profilePictureUrl'].flatMap((field) =>
          BAD_LINES.map((text) => ({ ...card, [field]: text })),
        ),
        { ...card, about: 'a\0b' },
      ],
      defaultAudience: BAD_CHOICES,
      isBusiness: BAD_FLAGS,
      isFrozen: BAD_FLAGS,
      fundingSourceId: ['', 5, 'x'.repeat(201), ...BAD_LINES],
      addresses: [
        [{}],
        [{ kind: 'fax', value: 'x', provenAtUs: 1 }],
        [{ kind: 'email', value: 'a\0', provenAtUs: 1 }],
        {},
        5,
        null,
        undefined,
      ],
    },
  },
  {
    dto: PairRecord,
    good: {
      kind: 'pair',
      version: 1,
      low: alice,
      high: bob,
      areFriends: true,
      lowTrustsHigh: false,
      highTrustsLow: true,
      lowBlocksHigh: false,
      highBlocksLow: false,
    },
    bad: {
      kind: BAD_CHOICES,
      version: [...BAD_INTEGERS, 0],
      low: BAD_IDS,
      high: BAD_IDS,
      areFriends: BAD_FLAGS,
      lowTrustsHigh: BAD_FLAGS,
      highTrustsLow: BAD_FLAGS,
      lowBlocksHigh: BAD_FLAGS,
      highBlocksLow: BAD_FLAGS,
    },
  },
];

describeMessages(cases);
