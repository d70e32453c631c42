import type { Chapter } from './chapter.js';
import * as by from './specs.js';

const ended = (...cases: string[]) =>
  by.states('given a pending charge > when its $by says $action, then it is $to and stays so', ...cases);
const wrongParty = by.states(
  'given a pending charge > when the wrong party says $action, then it is refused and nothing changes',
);
const stranger = by.states(
  'given a pending charge > when somebody who is no party acts, then the answer is that of a payment that does not exist',
);
const heldAndBack = by.heldPays(
  'given a $kind, when it is sent and cancelled, then the money leaves at once and comes back by a refund',
);
const table = by.decisions('given a $mode that is $end, when $command, then $outcome');
const aMonthLater = by.monthLater(
  'given what is pending, when 31 days pass while nothing runs, then each has expired, and what was held is back',
);
const expires = (...cases: string[]) => [
  aMonthLater,
  by.expiryAndClaims(
    'given a %s, when it is 30 days old, then the worker expires it, and not an hour before',
    ...cases,
  ),
];

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
const unfinished = by.stoppedProcess(
  'given a payment that is not finished, when it is read and acted on, then it is pending, and finished first',
);

const claimedByPhone = by.claims(
  'given a pay to a phone, when its owner signs up and proves it, then the money is theirs',
);

export const ENDING: Chapter = {
  title: 'How payments end',
  rows: {
    'pending, approve by the target: settled, `date_completed` set': ended("action: 'approve'"),
    'pending, deny by the target: cancelled': ended("action: 'deny'"),
    'pending, cancel by the actor: cancelled': ended("action: 'cancel'"),
    'deny and cancel are told apart in the event: `denied`, `cancelled_by_actor`': table,
    'cancel of a pending pay to an address: cancelled': heldAndBack,
    'approve or deny by the actor, cancel by the target: 403 `not_permitted`': wrongParty,
    'approve, deny, cancel by anybody else: 404, as for an id that does not exist': stranger,
    'approve or deny of a pay: 403 `not_permitted`': [
      by.states('given a held pay, when its actor says %s, then it is refused'),
      table,
    ],
    'settled, failed, expired and cancelled never change again: 409 `payment_not_pending`': [
      ended('payment_not_pending'),
      table,
      by.payment(
        'given any payment, when any command comes, then an ended one is never added to and another ends at most once',
      ),
    ],
    'the same action again by the right person: 200 with the same result': ended(),
    'approve without funds: 400 `insufficient_funds`, and it stays pending': by.states(
      'given a pending charge > when its target lacks the funds, then the approval is refused and it stays pending',
    ),
    'approve after funds have come: settled': by.states(
      'given a pending charge > when funds have come since, then the approval that was refused before settles it',
    ),
    'approve by, or of, who is frozen: 403 `account_frozen`; it can still be denied and cancelled': frozen(
      "'she approves'",
      "'her request is approved'",
    ),
    'approve by, or of, who has become a business: 403 `merchant_payments_not_allowed`; likewise': business(
      "'it approves'",
      "'its request is approved'",
    ),
    'approve between two of whom one blocked the other: 403 `not_permitted`; it can still be denied and cancelled': [
      by.friendPages(
        'given a friend, when blocked, then no friend, and no money moves from that moment on, until unblocked',
        "'approve'",
      ),
      by.acting('given a charge, when the two have parted with a block, then it can be ended but not paid'),
    ],
    'approve and cancel at once: one of them': by.contention(
      'given one pending charge, when approve and cancel race, then one wins and money moves at most once',
    ),
    'approved many times at once: paid once': by.contention(
      'given one pending charge, when it is approved many times at once, then it is paid once',
    ),
    'between its events a payment shows as pending': unfinished,
    'a payment that a crash has left unfinished is brought to its end': [
      by.crash('given ${KILLS} kills, then all that was answered is there, once, and no cent is missing'),
      by.faults('given %s, then what was acknowledged is there once, every cent too, and all goes on soon'),
    ],
    'an action on a payment that is not finished finishes it first': [
      unfinished,
      by.races(
        'given ${ROUNDS} rounds of $between, when they race, then each has one winner and the money is in one place',
      ),
    ],
    'expired: a charge pending for 30 days': expires("'charge'"),
    'expired: a charge of an address': expires("'charge of an address'"),
    'expired: a held pay; its money goes back': expires("'held pay'"),
    'expired: a charge that a trusted friend could not pay': expires("'trusted charge without funds'"),
    '`PAYMENT_EXPIRY_DAYS` sets the days': by.worker(
      'given pending payments, when the days until expiry are %s, then the new ones count',
    ),
    'what fell due while nothing ran expires once something does': [
      aMonthLater,
      by.expiryAndClaims(
        'given a pay that fell due while nothing ran, when an instance starts, then its worker expires it',
      ),
    ],
    '10,000 that fell due while nothing ran: each expires and goes back once, with two instances and one killed':
      by.expiryOfMany(
        'given ${DUE}, when two instances start and one is killed half-way, then each expired and went back once',
      ),
    'refund of a held pay: settled, pay, the payer to the payer, same amount, note and medium, private, no fee':
      heldAndBack,
    'the event that ends a held pay names its refund': table,
    'the event that settles a held pay names the claimant': by.payment(
      'given an end, when it is folded, then the payment knows how, when, for whom and with which refund it ended',
    ),
    'the original shows its refund, which can be read by its id': heldAndBack,
    'PUT cancel of a held pay answers after the refund has settled': by.reads(
      'given a held pay, when it is cancelled, then balance and refund are there at once',
    ),
    'the money goes back to where it came from: the funding source': [
      by.heldPays('given a source that paid for it, when it is cancelled, then the balance is as before'),
      by.funding('given a held pay from a source, when cancelled, then the source is repaid and the balance stays'),
    ],
    'a source that takes nothing back: the money stays as balance': by.funding(
      'given a source that takes nothing back, when a held pay is cancelled, then the money stays as balance',
    ),
    'whoever else ends it at that moment: one of them does': by.races(
      'given ${ROUNDS} rounds of $between, when they race, then each has one winner and the money is in one place',
    ),
    'a held pay settles to whoever signs up and proves the phone number': claimedByPhone,
    'a held pay settles to whoever signs up and proves the e-mail address': by.claims(
      'given a pay to an e-mail, when its owner signs up with it, then that proof is enough',
    ),
    'it settles once, whoever races': [
      by.crashInRaces(
        'given 20 tries of two people to prove an address, when it is killed and the claim is %s, then the money comes to one, once',
      ),
      by.claimRaces(
        'given 20 tries of two people, when every instance is killed and the claim is %s, then the money comes to one, once',
      ),
      by.claims(
        'given a pay and a charge to an address, when somebody adds and proves it by racing tries, then each comes once',
      ),
      by.expiryAndClaims(
        'given held pays, when the address is proven, then each settles to its owner, once, and is in the list',
      ),
    ],
    'a held pay made before the proof was known settles too': by.expiryAndClaims(
      'given a pay created from a copy that does not know the proof yet, when the sweep comes, then it settles',
    ),
    'a held pay whose payer proves the address: cancelled, and the money is back': [
      by.claims('given a pay to an address, when its payer proves it, then it is cancelled and the money is back'),
      by.expiryAndClaims(
        'given a held pay, when its payer proves the address, then it is cancelled and the money is back',
      ),
    ],
    'a claimant who is frozen or a business: it stays pending until that changes': [
      by.flags(
        'given claimants who are frozen or a business, when they prove the address, then it waits until that changes',
      ),
      by.expiryAndClaims('given a claimant who %s, when swept, then it waits until that changes'),
    ],
    'a charge of an address belongs to whoever has it proven; once ended, to whoever had it then': [
      by.claims(
        'given a pay and a charge to an address, when somebody adds and proves it by racing tries, then each comes once',
      ),
      by.acting(
        'given a charged address, when a newer proof gives it to another, then that one may approve and no longer the first',
      ),
      by.expiryAndClaims(
        'given a charge of an address, when it expires, then it stays with whoever had the address then',
      ),
    ],
    'fee: `FEE_BPS` and `FEE_FIXED_CENTS`, rounded half up, on top of the amount, by the payer': [
      by.settings('given a pay, then the payer pays the fee on top, rounded half up, and both see it'),
      by.money('given %d cents at %d basis points and %d fixed, when the fee is taken, then it is %d'),
    ],
    'fee of a charge: by the friend who pays it': by.settings(
      'given a trusted charge, then the friend who pays it pays the fee',
    ),
    'fee of a held pay that goes back goes back with it': by.settings(
      'given a held pay that is cancelled, then the fee comes back too, and the refund has none',
    ),
    'funds must cover the fee as well': by.settings(
      'given a balance that covers the amount but not the fee, then the pay fails and nothing moves',
    ),
  },
};
