import {
  ChangeAccount,
  ChangeFundingSource,
  CreateAccount,
  FundingSource,
  GetAccount,
  VerifyAddress,
  RemoveAddress,
} from './index.js';
import {
  BAD_CHOICES,
  BAD_IDS,
  BAD_INTEGERS,
  BAD_LINES,
  BAD_TEXTS,
  TURNED_TEXTS,
  alice,
  describeMessages,
  type Case,
} from '../test/message-cases.fixture.js';

const badText = (longest: number) => ['', 'x'.repeat(longest + 1), 5, null, undefined, ...BAD_LINES];
const names = { firstName: 'Dora', lastName: 'Dane' };
const badName = (longest: number) => [...badText(longest), ...TURNED_TEXTS];
const badNames = { firstName: badName(100), lastName: badName(100) };

const cases: readonly Case[] = [
  {
    dto: CreateAccount,
    good: { userId: alice, username: 'dora', ...names, email: 'd@example.com', provenAtUs: 1 },
    bad: {
      ...badNames,
      userId: BAD_IDS,
      username: badName(30),
      email: badText(320),
      provenAtUs: [...BAD_INTEGERS, 0],
    },
  },
  { dto: GetAccount, good: { userId: alice }, bad: { userId: BAD_IDS } },
  {
    dto: ChangeAccount,
    good: { userId: alice, ...names, about: 'two\nlines', defaultAudience: 'friends' },
    bad: {
      ...badNames,
      userId: BAD_IDS,
      about: ['x'.repeat(501), 5, null, undefined, ...BAD_TEXTS],
      defaultAudience: BAD_CHOICES,
    },
  },
  {
    dto: VerifyAddress,
    good: { userId: alice, kind: 'phone', address: '(415) 555-0101', provenAtUs: 1 },
    bad: { userId: BAD_IDS, kind: BAD_CHOICES, address: badText(320), provenAtUs: [...BAD_INTEGERS, 0] },
  },
  {
    dto: RemoveAddress,
    good: { userId: alice, kind: 'email', value: 'a@example.com' },
    bad: { userId: BAD_IDS, kind: BAD_CHOICES, value: badText(320) },
  },
  {
    dto: FundingSource,
    good: { id: 'test-card-1', lastFour: '4242' },
    alsoGood: [{ lastFour: null }],
    bad: { id: badText(200), lastFour: ['', '424', '42424', '4a42', 4242, undefined] },
  },
  {
    dto: ChangeFundingSource,
    good: { userId: alice, source: null },
    bad: { userId: BAD_IDS, source: [undefined, 5, 'x', [], {}, { id: 'x', lastFour: '4242 4242 4242 4242' }] },
  },
];

describeMessages(cases);
