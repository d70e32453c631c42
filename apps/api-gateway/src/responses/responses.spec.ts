import { formatAmount, toUserResponse, type PaymentView, type UserCard, type Profile } from '@settle/contracts';
import fc from 'fast-check';
import { initialsPicture } from './initials-picture.js';
import { nextFriendsLink, nextPaymentsLink } from './next-link.js';
import { printCreatedPayment, printListedPayment, printPayment } from './payments.js';
import { printFriend, printParty } from './users.js';

const card: UserCard = {
  id: '1852942301724180481',
  username: 'alice',
  firstName: 'Alice',
  lastName: 'Archer',
  displayName: 'Alice Archer',
  about: '',
  profilePictureUrl: 'http://localhost:3000/pictures/AA.svg',
  dateJoinedUs: 1_700_000_000_000_001,
};
const profile: Profile = { ...card, email: 'a@b.co', phone: '+14155550101', isFriend: null, friendsCount: 0 };
const pending: PaymentView = {
  id: '1852942301724180999',
  status: 'pending',
  action: 'charge',
  amountCents: 10,
  feeCents: null,
  note: 'x',
  audience: 'private',
  medium: 'api',
  createdAtUs: 1_700_000_000_000_000,
  completedAtUs: null,
  actor: card,
  target: { type: 'email', user: null, email: 'a@b.co', phone: null },
  refund: null,
};

const FRIEND = 'id username first_name last_name display_name about profile_picture_url'.split(' ');
const LISTED = 'id status action amount note audience date_created date_completed actor target'.split(' ');
const WHOLE = [...LISTED, 'fee', 'refund', 'medium'];
const USER = [...FRIEND, 'date_joined', 'email', 'phone', 'is_friend', 'friends_count'];
const keys = (value: object): string[] => Object.keys(value).sort();

describe('key sets', () => {
  // Shows endpoint-6
  it.each<[string, object, string[]]>([
    ['a friend', printFriend(card), FRIEND],
    ['a party', printParty(card), [...FRIEND, 'date_joined']],
    ['a user', toUserResponse(profile, []), USER],
    ['a listed payment', printListedPayment(pending), LISTED],
    ['a payment', printPayment(pending), WHOLE],
    ['a created payment', printCreatedPayment({ payment: pending, balanceCents: 1 }), ['balance', 'payment']],
  ])('given %s, when it is printed, then its keys are exactly those of the interface', (_name, printed, expected) => {
    expect(keys(printed)).toEqual([...expected].sort());
  });

  it('given a pending charge to an address, when it is printed, then nothing is left out and the amount is negative', () => {
    expect(printPayment({ ...pending, refund: { ...pending, action: 'pay', feeCents: 5 } })).toMatchObject({
      amount: -0.1,
      date_created: '2023-11-14T22:13:20.000000Z',
      date_completed: null,
      fee: null,
      target: { type: 'email', email: 'a@b.co', phone: null, user: null },
      refund: { amount: 0.1, fee: 0.05, refund: null },
    });
  });

  it('given scopes, when a user is printed, then e-mail and phone follow them one by one', () => {
    expect(toUserResponse(profile, ['access_email'])).toMatchObject({ email: 'a@b.co', phone: null });
    expect(toUserResponse(profile, ['access_phone'])).toMatchObject({ email: null, phone: '+14155550101' });
  });
});

describe('money in JSON', () => {
  // Shows payment-9
  it('given any cents, when they are printed, then JSON shows at most two decimals and the same value', () => {
    const largest = 10 ** 15 - 1;
    fc.assert(
      fc.property(fc.integer({ min: -largest, max: largest }), (cents) => {
        const text = JSON.stringify(formatAmount(cents));
        expect(text).toMatch(/^(?:0|-?(?!0(?!\.))[0-9]+(?:\.[0-9]{1,2})?)$/);
        const [whole = '', fraction = ''] = text.replace('-', '').split('.');
        const read = BigInt(whole) * 100n + BigInt(fraction.padEnd(2, '0'));
        expect(text.startsWith('-') ? -read : read).toBe(BigInt(cents));
      }),
    );
  });

  it('given more than JSON numbers hold, when it is printed, then it is refused rather than rounded', () => {
    expect(() => formatAmount(10 ** 15)).toThrow(RangeError);
  });

  // Shows payment-9
  it('given nothing, when it is printed, then it is not negative', () => {
    expect(JSON.stringify([formatAmount(0), formatAmount(-0)])).toBe('[0,0]');
  });
});

describe('next links', () => {
  const url = 'https://pay.example.com/v1/payments';
  const asked = { access_token: 'secret', actor: '1', before: 'old', action: 'pay' };

  // Shows list-10
  it('given a tie at the end of a page, when the link is made, then it names the id and never the token', () => {
    const next = { beforeUs: 1_700_000_000_000_000, beforeId: '7' };
    const link = nextPaymentsLink(url, asked, 20, { payments: [], next });
    expect(link).toBe(`${url}?limit=20&before=2023-11-14T22%3A13%3A20.000000Z&before_id=7&action=pay&actor=1`);
  });

  // Shows payment-29
  it('given the last page, when the link is made, then there is none', () => {
    expect(nextPaymentsLink(url, asked, 20, { payments: [], next: null })).toBeNull();
    expect(nextFriendsLink(url, asked, 20, { friends: [card], hasMore: false })).toBeNull();
  });

  it('given more friends, when the link is made, then it goes on after the last and keeps before', () => {
    const link = nextFriendsLink(url, { before: '9', access_token: 'secret' }, 1, { friends: [card], hasMore: true });
    expect(link).toBe(`${url}?after=${card.id}&limit=1&before=9`);
  });
});

describe('pictures with initials', () => {
  it.each(['A.svg', 'AB.svg', 'ÅÖ.svg', '李.svg', 'a1b.svg'])(
    'given %s, when it is asked for, then it is drawn',
    (file) => {
      expect(initialsPicture(file)).toContain(`>${file.slice(0, -4).toUpperCase()}</text>`);
    },
  );

  it.each(['.svg', 'AB', 'ABCD.svg', '<b>.svg', '"A.svg', '&.svg', 'A B.svg', '../A.svg', 'A.svg.svg'])(
    'given %s, when it is asked for, then there is none',
    (file) => {
      expect(initialsPicture(file)).toBeNull();
    },
  );
});
