import type { Chapter } from './chapter.js';
import * as by from './specs.js';

const ofMe = by.shapes('given GET /me, then balance and a whole user');
const ofUser = (...cases: string[]) =>
  by.shapes('given GET /users/:user_id of $who, then all fields and is_friend $isFriend', ...cases);
const ofFriends = by.shapes('given GET /users/:user_id/friends, then pagination and the seven fields');
const ofPayments = by.shapes(
  'given a payment of each kind, then creating, reading, listing and ending it show exactly their fields',
);
const scoped = (...cases: string[]) =>
  by.shapes('given the scopes $scopes, then of email, phone and balance only $sees is not null', ...cases);
const created = (...cases: string[]) => by.states('given $condition, when $trigger is made, then it is $to', ...cases);
const heldAndBack = by.heldPays(
  'given a $kind, when it is sent and cancelled, then the money leaves at once and comes back by a refund',
);
const entry = by.lists('given any payment, then the list entry equals the single one without fee, refund and medium');
const fees = by.settings('given a pay, then the payer pays the fee on top, rounded half up, and both see it');

export const USERS: Chapter = {
  title: 'User and Me',
  rows: {
    'User: exactly the twelve fields, each there also when it is null': [ofUser(), ofMe],
    '`id`: text, 18 or 19 decimal digits': [ofFriends, by.ids('given %s, when judged, then %s is an id: %s')],
    '`username`, `first_name`, `last_name`, `display_name`: text': [ofMe, ofFriends],
    '`display_name`: first and last name together': [
      ofMe,
      by.ownProfile(
        'given a payment, when one of the two is called otherwise, then it shows that name, alone and in lists',
        "'Zoe Zimmer'",
      ),
    ],
    '`date_joined`: a datetime': ofMe,
    '`profile_picture_url`: a URL, never null': ofFriends,
    'a picture with initials is served by the product to whoever has none': by.addresses(
      'given a user without a picture, when the one that is shown is fetched, then it is a drawing of ours',
    ),
    '`about`: text, `""` until it is set, never null': [
      by.ownProfile('given nothing about oneself, when something is said, then `about` is no longer empty'),
      ofFriends,
    ],
    '`email`: null without the scope `access_email`': scoped("sees: ['email']"),
    '`phone`: null without the scope `access_phone`': scoped("sees: ['phone']"),
    '`email` and `phone` of everybody, with the scopes, by default': ofUser(),
    '`CONTACT_VISIBILITY=friends` shows them of friends and oneself alone': [
      by.settings('given contacts for friends alone, when $looks looks, then it sees them: $sees', 'a stranger'),
      by.settings('given contacts for friends alone, then one’s own are still shown'),
    ],
    '`CONTACT_VISIBILITY` is `friends` by default in production': by.settingsTable(
      'given production and %p, when read, then contacts are visible to %s',
      '{}',
    ),
    'a user who has blocked the reader, and their friends: 404': [
      by.friendPages(
        'given a friend, when blocked, then no friend, and no money moves from that moment on, until unblocked',
      ),
      by.blockedReaders('when they look each other up, then the blocked one finds nobody, and the other everything'),
    ],
    '`CONTACT_VISIBILITY=self` shows them of oneself alone': [
      by.rateLimits(
        'given contacts for oneself alone, when a friend looks, then there are none; when their owner does, there are',
      ),
      by.people('when contacts are for %s, then friends see them: %s, strangers: %s', "'self'"),
    ],
    '`is_friend`: true of a friend, false of anybody else': ofUser("who: 'bob'", "who: 'carol'"),
    '`is_friend`: null of oneself': [ofUser('isFriend: null'), ofMe],
    '`friends_count`: how many friends the user has': ofUser('friends: 1', 'friends: 0'),
    'entries of the friends list: exactly seven fields': ofFriends,
    '`actor` and `target.user` of a payment: these seven and `date_joined`': ofPayments,
    'Me: exactly `data.balance` and `data.user`': ofMe,
    '`data.user` of Me is a whole user': ofMe,
    '`data.balance`: null without the scope `access_balance`, else a number': scoped("sees: ['balance']"),
  },
};

export const PAYMENTS: Chapter = {
  title: 'Payment, Target, paging and datetimes',
  rows: {
    'Payment: exactly the thirteen fields when it is created or read by id': ofPayments,
    'in lists and as the result of PUT: without `fee`, `refund` and `medium`': [ofPayments, entry],
    '`id`: text, 18 or 19 decimal digits below 2^63, ordered as a number': [
      ofPayments,
      by.ids('given two ids, when compared, then they are ordered as numbers'),
      by.ids('given any time, when an id is drawn, then it is one and tells its time'),
    ],
    'a payment’s id cannot be guessed, and is the same when its command is delivered twice': [
      by.owners('given pays and approvals, when each is delivered again as it came, then each moved money once'),
      by.ids('given one command, when its payment id is drawn twice, then it is the same; for the next draw another'),
      by.ids('given one millisecond, when many random ids are drawn, then hardly any two are alike'),
    ],
    'an id that is taken: the next one of the command is drawn': by.deliveredTwice(
      'given another payment under the id, when created, then the next id of its command is drawn',
    ),
    '`status`: settled, pending, failed, expired or cancelled': [ofPayments, created()],
    '`action`: pay or charge': ofPayments,
    '`amount`: above zero for a pay, below for a charge': [
      ofPayments,
      by.shapes('given the amount $sent, then $shown is shown, negative for a charge'),
    ],
    '`balance`, `amount`, `fee`: JSON numbers of at most two decimals, no exponent, no -0': [
      by.answers('given any cents, when they are printed, then JSON shows at most two decimals and the same value'),
      by.answers('given nothing, when it is printed, then it is not negative'),
      by.amounts('given %s, when it is sent, then %s is printed'),
    ],
    '`note`: the message, as trimmed': by.parameters('note > given %p, when it is sent, then it is kept as trimmed'),
    '`audience`: public, friends or private': by.shapes(
      'given no audience, then it is private; given one, then it is that',
    ),
    '`medium`: api for whatever comes through the interface': ofPayments,
    '`date_created`: a datetime': ofPayments,
    '`date_created`: later than that of every payment that the same instance made before': [
      by.contention(
        'given two wallets that can afford them, when 200 cross, then 200 settle and the sum is unchanged',
        'date_created',
      ),
      by.clock(
        'given any course of the machine’s clock, when it is asked, then each time is later than the one before',
      ),
    ],
    '`date_completed`: null while pending, a datetime in every other status': [
      ofPayments,
      created('expect(payment.date_completed).toBeNull()'),
    ],
    '`actor`: who made it': ofPayments,
    'people in payments are called as they are now': [
      by.ownProfile(
        'given a payment, when one of the two is called otherwise, then it shows that name, alone and in lists',
      ),
      by.acting('given a payment, when its people are called otherwise, then it shows that, alone and in lists'),
    ],
    '`fee`: null when there is none': ofPayments,
    '`fee`: the amount of the fee when there is one': fees,
    '`refund`: null, or the refund payment with all its fields': heldAndBack,
    'Target: exactly `type`, `email`, `phone`, `user`': ofPayments,
    '`target.type`: user, email or phone, as the actor named it': [
      created("type: 'email'", "type: 'phone'"),
      by.heldPays('given a registered person named by a spelling of their address, then it is a pay to that person'),
    ],
    '`target` of an address that nobody has proven: the address is set, `user` null': heldAndBack,
    '`target` named by id, or by an address of somebody’s: `user` set, `email` and `phone` null': by.heldPays(
      'given a registered person named by a spelling of their address, then it is a pay to that person',
    ),
    '`target.type` email stays email when the address is somebody’s, with `email` null': by.parameters(
      'given %p, which is somebody’s, when it is sent, then it is theirs',
    ),
    'an address that is proven later: `user` is set, `email` and `phone` become null': by.claims(
      'given a pay to a phone, when its owner signs up and proves it, then the money is theirs',
    ),
    '`pagination.next`: a URL without the access token': by.requests(
      'given a GET with the token in the query, then it is taken, and next does not carry it',
    ),
    '`pagination.next`: the caller appends the token': by.requests(
      'given a GET with the token in the query, then it is taken, and next does not carry it',
      '&access_token=',
    ),
    '`pagination.next`: null when there is no further page': [
      by.lists('given the year 0001 as before, then the list is empty and has no next'),
      by.answers('given the last page, when the link is made, then there is none'),
    ],
    '`pagination.next`: absolute, built from the public address, with `limit`, cursor and every filter': [
      by.lists('given the limit $limit, then $shown are shown and next asks for as many'),
      by.lists('given filters, then only what matches, on every page, and next keeps them'),
      by.gatewayStart('given a further page, when a list is read, then next holds cursor and filters but no token'),
    ],
    'datetimes going out: ISO 8601, UTC, microseconds, `Z`': [
      ofPayments,
      by.isoDate('given %d, when it is printed, then microseconds stand there in full'),
    ],
  },
};
