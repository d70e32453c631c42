import type { Chapter } from './chapter.js';
import * as by from './specs.js';

const created = (...cases: string[]) => by.states('given $condition, when $trigger is made, then it is $to', ...cases);
const heldAndBack = by.heldPays(
  'given a $kind, when it is sent and cancelled, then the money leaves at once and comes back by a refund',
);
const made = (...cases: string[]) =>
  by.creating('given $given, when created, then it is $status and the money is where it says', ...cases);
const refused = (...cases: string[]) =>
  by.creating('given $given, when created, then $code and nothing is stored', ...cases);
const frozen = (...cases: string[]) =>
  by.flags(
    'given a request of a person who is frozen, when the command has ended, then no money moves to or from them',
    ...cases,
  );
const business = (...cases: string[]) =>
  by.flags(
    'given a person who becomes a business, when the command has ended, then they pay and nothing else',
    ...cases,
  );
const blocked = by.friendPages(
  'given a friend, when blocked, then no friend, and no money moves from that moment on, until unblocked',
);
const claimedByPhone = by.claims(
  'given a pay to a phone, when its owner signs up and proves it, then the money is theirs',
);

export const CREATING: Chapter = {
  title: 'What becomes of a new payment',
  rows: {
    'pay to a user, funds suffice: settled, `date_completed` set': created('funds are sufficient'),
    'pay to an e-mail address that nobody has proven: pending, `date_completed` null, `target.user` null': created(
      'the e-mail address is not registered',
    ),
    'pay to a phone number that nobody has proven: pending, likewise': created('the phone number is not registered'),
    'pay, and neither balance nor funding source covers it: failed, in `data.payment`, 200': created(
      'the payer has no funding source and too little balance',
    ),
    'a pay that failed moved nothing': by.states('given a pay that fails, then no balance has moved'),
    'charge to a trusted friend: settled': created('the target is a friend who trusts the actor'),
    'any other charge: pending': created(
      'the target is a friend who does not trust the actor',
      'the target is no friend',
    ),
    'trusted friend: B is a friend of A, and B has marked A as trusted': created(
      'the target is a friend who trusts the actor',
      'the target is a friend who does not trust the actor',
    ),
    'charge to a trusted friend without funds: pending': created('the trusting friend lacks the funds'),
    'charge to an address that nobody has proven: pending': created(
      "condition: 'the e-mail address is not registered'",
    ),
    'a pay that settles: the money is with the payee, the answer has the new balance': by.states(
      'given a pay that settles, then payer and payee see the money moved and the answer holds the new balance',
    ),
    'a charge to a trusted friend: the money goes from the friend to the actor': by.states(
      'given a charge to a trusting friend, then the money moves from the friend to the actor',
    ),
    'funds: the balance when it covers the amount': by.states(
      'given a pay that settles, then payer and payee see the money moved and the answer holds the new balance',
    ),
    'funds: else the whole amount from the verified funding source': by.states(
      'given a pay above the balance and a funding source, then the source pays the whole of it',
    ),
    'held pay: the amount leaves the balance at once': heldAndBack,
    'paying or charging oneself, by id, e-mail or phone: 400 `cannot_pay_self`': by.refusals(
      'when paying oneself by %s, then cannot_pay_self',
    ),
    'a business cannot be paid or charged: 403 `merchant_payments_not_allowed`': [
      business("'it is paid'", "'it is charged'"),
      refused("given: 'a business as target'"),
    ],
    'a business cannot charge: 403 `merchant_payments_not_allowed`': [
      business("'it charges'"),
      refused("given: 'a business that charges'"),
    ],
    'a business may pay': [business(), made("given: 'a pay by a business'")],
    'who is frozen cannot pay or charge: 403 `account_frozen`': [
      frozen("'she pays'", "'she charges'"),
      refused("given: 'a frozen actor'"),
    ],
    'who is frozen cannot be paid or charged: 403 `account_frozen`': [
      frozen("'she is paid by e-mail'", "'she is charged'"),
      refused("given: 'a frozen target'"),
    ],
    'freezing is confirmed to whoever asked once no later payment slips through': [
      frozen(),
      by.untilKnown(
        'given somebody asks for a freeze, when its record comes, then the answer comes after it and it holds',
      ),
    ],
    'so is taking trust away': [
      by.friendPages('given trust, when the trusted friend charges, then it settles; once it is taken away, it waits'),
      by.untilKnown(
        'given trust that either side may have been looked up for, when it is withdrawn, then both sides know',
      ),
    ],
    'so is blocking': blocked,
    'no confirmation within 2 s: stored, takes effect shortly': [
      by.untilPaymentsKnow('given payments that say nothing, when asked, then that is said after two seconds'),
      by.untilKnown('given a record that does not come, when asked for it, then outcome_unknown after two seconds'),
    ],
    'between two of whom one blocked the other: 403 `not_permitted`': [blocked, refused("given: 'a blocked pair'")],
    'no audience: the default of whoever makes it': [
      by.ownProfile(
        'given another default audience, when a payment names none, then it has that; what is named counts',
      ),
      by.creating('given no audience, when created, then it is the default of who creates it'),
    ],
    'an address counts as somebody’s only once they have proven it': claimedByPhone,
    'of several who proved an address the newest proof counts': by.claims(
      'given an address of one person, when another proves it later, then what is sent goes to the newer one',
    ),
    'money is never made or lost, and no balance is below zero': [
      by.contention('given two wallets that can afford them, when 200 cross, then 200 settle and the sum is unchanged'),
      by.contention(
        'given a wallet that can afford ten, when it pays fifty at once, then exactly ten settle, the rest fail',
      ),
    ],
    'what was answered is there after a crash, once': [
      by.crash('given ${KILLS} kills, then all that was answered is there, once, and no cent is missing'),
      by.faults('given %s, then what was acknowledged is there once, every cent too, and all goes on soon'),
    ],
  },
};
