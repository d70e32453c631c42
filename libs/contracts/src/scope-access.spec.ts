import { SCOPES, type Scope } from './auth.messages.js';
import { ACCESS, abilitiesOf, isOpen, type AccessName } from './scope-access.js';

/** By hand, from the reference of the interface. */
const OPENED: Readonly<Record<Scope, readonly AccessName[]>> = {
  make_payments: ['createPayment', 'actOnPayment', 'balanceAfterPayment', 'listPayments', 'readPayment'],
  access_profile: ['readMe', 'readUser', 'listFriends', 'listPayments', 'readPayment'],
  access_email: ['email'],
  access_phone: ['phone'],
  access_balance: ['balance'],
  access_friends: ['listFriends'],
  access_payment_history: ['listPayments', 'readPayment'],
  access_feed: [],
};

describe('what scopes open', () => {
  it.each(SCOPES)('given %s alone, when put into words, then all that it opens is named, and nothing else', (scope) => {
    const opened = (Object.keys(ACCESS) as AccessName[]).filter((name) => isOpen(name, [scope]));
    expect(opened).toEqual(OPENED[scope]);
    expect(abilitiesOf([scope])).toEqual([...new Set(OPENED[scope].map((name) => ACCESS[name].words))]);
  });

  it('given two scopes that open the same, when put into words, then it is named once', () => {
    expect(abilitiesOf(['access_profile', 'access_payment_history'])).toEqual(abilitiesOf(['access_profile']));
  });
});
