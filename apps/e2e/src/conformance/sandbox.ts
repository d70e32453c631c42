import type { Chapter } from './chapter.js';
import * as by from './specs.js';

const outcome = (...cases: string[]) =>
  by.sandbox('when a %s of %s is made, then it is %s and the balance %s, by %s', ...cases);
const inLedger = (title: string, ...cases: string[]) => by.sandboxLedger(title, ...cases);
const withPeople = by.sandbox('given friends, when they pay and charge, then sandbox money moves as real money does');
const mixed = by.environments(
  'given any mixture, when one environment works, then nothing of the other moves, and both add up',
);
const apart = by.sandbox('given a payment of one environment, when the other is asked, then it does not exist there');
const cancelled = by.sandbox(
  'given payments with its test user that are pending, when they are cancelled, then no wallet moves',
);
const pendingEnded = inLedger(
  'given a pending payment with the test user, when it is cancelled or expires, then no wallet has moved',
);

const proven = by.sandbox(
  'given held pays, when a friend proves the addresses, then one is theirs, and the test user’s stays nobody’s',
);

export const SANDBOX: Chapter = {
  title: 'The sandbox',
  rows: {
    'below `/sandbox/v1`: the same paths, with the same tokens': [
      by.authorization(
        'given a token of $scope alone, when $call is called, then it is let in: $isLetIn',
        'sandboxUrl()',
      ),
      by.authorizationTable(
        'given every route of the gateway, then it stands in the table, and asks for a token if it should',
        "'/sandbox/v1'",
      ),
    ],
    'its test user: id 145434160922624933, venmo@venmo.com, 15555555555; each outcome by id, e-mail and phone, form and JSON':
      outcome("['id', { user_id", "['e-mail', { email", "['phone', { phone", "['form', 'json']"),
    'pay 0.10: settled, balance 9.90': outcome("['pay', '0.10', 'settled', 9.9]"),
    'pay 0.20: failed, balance 10.00': outcome("['pay', '0.20', 'failed', 10]"),
    'pay 0.30: pending, balance 9.70': outcome("['pay', '0.30', 'pending', 9.7]"),
    'charge -0.10: settled, balance 10.10': outcome("['charge', '-0.10', 'settled', 10.1]"),
    'charge -0.20: pending, balance 10.00': outcome("['charge', '-0.20', 'pending', 10]"),
    'the balance is reckoned from 10.00 each time, whatever came before': [
      outcome("['form', 'json']", 'toBe(balance)'),
      inLedger('when there is a %s of %s cents, then it is %s, the balance is said to be %s', 'time <= 2'),
    ],
    'pay 0.30 shows an unregistered target; named by id, `type` `email`, its address, `user` null':
      outcome('isUnregistered'),
    'such a payment stays nobody’s, whoever proves the address': [
      proven,
      inLedger("given somebody who proves the test user's address, then pending payments to it stay nobody's"),
    ],
    'another amount to it: 400 `sandbox_amount_unknown`': by.sandbox(
      'when its test user gets %s, then the amount is unknown',
    ),
    '`make_payments` is needed': by.sandbox(
      'given a token without make_payments, when it pays the test user, then its scope is too small',
    ),
    'the five outcomes move no sandbox wallet, nor does cancelling them or their expiry': [cancelled, pendingEnded],
    'friends behave as in production, on sandbox money': withPeople,
    'any other user counts as unregistered, and is not shown': [
      by.sandbox('given a stranger, when a %s names their phone, e-mail or id, then it says nothing of them'),
      by.sandboxStrangers(
        'given a stranger, when a %s names the address, then it is one to an unregistered person for good, and the id is nobody’s',
      ),
    ],
    'a wallet starts with 10.00': [
      proven,
      inLedger('given two friends, when one pays the other, then both wallets open with 10.00 first'),
    ],
    'there are no funding sources': withPeople,
    'friends and trust are the real ones': [
      withPeople,
      by.sandbox('given its test user, when it is read, then it is there, in the sandbox alone'),
    ],
    'its payments can be read, listed, approved, denied, cancelled': [withPeople, cancelled],
    'they are claimed and expire as real ones': [
      proven,
      inLedger('given a held pay, when its address is proven, then the real owner has it in the sandbox alone'),
      pendingEnded,
    ],
    '`next` links stay in the sandbox': by.sandbox(
      'given lists of more than a page, when the next link is followed, then it stays in the sandbox',
    ),
    'a payment of one environment is 404 in the other': apart,
    'an `Idempotency-Key` is another one in each environment': by.sandbox(
      'given one Idempotency-Key in both, when requests come under it, then each has its own answer',
    ),
    'real balances never move by it, nor its own by real payments': [apart, mixed],
    'its payments are not published': by.publisher(
      'given wallets and the sandbox, when there is news in them, then nobody is told',
    ),
  },
};
