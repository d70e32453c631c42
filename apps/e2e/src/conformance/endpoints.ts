import type { Chapter } from './chapter.js';
import * as by from './specs.js';

const ofPayments = by.shapes(
  'given a payment of each kind, then creating, reading, listing and ending it show exactly their fields',
);
const filters = (...cases: string[]) =>
  by.lists('given filters, then only what matches, on every page, and next keeps them', ...cases);
const friends = (...cases: string[]) =>
  by.lists('given friends, then anyone’s list may be read, in order of id, with before and after', ...cases);
const friendPage = by.friendLists('given the limit %p, when friends are asked for, then %i are shown, ascending by id');
const friendBounds = by.friendLists('given before, after or both, when friends are asked for, then both are exclusive');
const scopeOf = (...cases: string[]) =>
  by.authorization('given a token of $scope alone, when $call is called, then it is let in: $isLetIn', ...cases);
const strangers = by.refusals(
  'when a payment is not the reader’s, then the answer is that of an id that does not exist',
);
const noUser = by.refusals('when a user does not exist, then 404, also for their friends');
const unlisted = by.heldPays(
  'given a $kind, when it is sent and cancelled, then the money leaves at once and comes back by a refund',
);
const readAtOnce = by.reads(
  'given a pay, when it is answered, then both parties see it at once, alone and in their lists',
);

export const ENDPOINTS: Chapter = {
  title: 'Calls',
  rows: {
    'every call needs an access token: 401': by.refusals('when $method $path has no token or an unknown one, then 401'),
    'responses are JSON': by.shapes('given any answer, then it carries a request id and may not be stored'),
    'a success is 200, POST included': [
      ofPayments,
      by.requests('given the token in $place, when paying, then it settles'),
    ],
    'data stands in `data`, paging in `pagination`, an error in `error`': [
      ofPayments,
      by.order('given %s, when one fault after the other is put right, then the next is told'),
    ],
    'a field without a value is null, never left out': [
      ofPayments,
      by.shapes('given GET /users/:user_id of $who, then all fields and is_friend $isFriend'),
    ],
    'key sets are exactly those of the interface': [
      ofPayments,
      by.answers('given %s, when it is printed, then its keys are exactly those of the interface'),
    ],
    'only GET /payments and GET /users/:user_id/friends have `pagination`': [
      ofPayments,
      by.shapes('given GET /me, then balance and a whole user'),
      by.shapes('given GET /users/:user_id/friends, then pagination and the seven fields'),
    ],
    'every answer fits the OpenAPI document: status, headers, media type, body': [
      ofPayments,
      by.openapi(
        'given the product, when it is asked for the document, then it is the printed one under its own address',
      ),
    ],
    'GET /me: `{data: {balance, user}}`': by.shapes('given GET /me, then balance and a whole user'),
    'GET /me: scope `access_profile`': scopeOf("'GET /me'"),
    'GET /users/:user_id: `{data: User}`, of anybody': by.shapes(
      'given GET /users/:user_id of $who, then all fields and is_friend $isFriend',
    ),
    'GET /users/:user_id: scope `access_profile`': scopeOf("'GET /users/:user_id'"),
    'GET /users/:user_id: nobody’s id, or none: 404': noUser,
    'GET /users/:user_id/friends: `{pagination: {next}, data}`': by.shapes(
      'given GET /users/:user_id/friends, then pagination and the seven fields',
    ),
    'GET /users/:user_id/friends: scope `access_friends` or `access_profile`': scopeOf("'GET /users/:user_id/friends'"),
    'GET /users/:user_id/friends: the list of anybody': friends(),
    'GET /users/:user_id/friends: nobody’s id: 404': noUser,
    'GET /users/:user_id/friends: ascending by id': friendPage,
    'GET /users/:user_id/friends: `before`, ids less than this': friendBounds,
    'GET /users/:user_id/friends: `after` is taken too, ids greater than this': friendBounds,
    'GET /users/:user_id/friends: `limit`': friendPage,
    'GET /users/:user_id/friends: `next` carries `after` and `limit`; paging shows each once': [
      friendPage,
      by.friendLists('given pages of %i, when next is followed, then each friend is there once'),
      by.people('when they are paged by %s, then each comes once'),
    ],
    'POST /payments: `{data: {balance, payment}}`': ofPayments,
    'POST /payments: scope `make_payments`': scopeOf("'POST /payments'"),
    'POST /payments: `balance` is a number whatever the scopes': by.shapes(
      'given make_payments alone, then POST /payments shows the balance all the same',
    ),
    'GET /payments: `{pagination: {next}, data: [Payment]}`': ofPayments,
    'GET /payments: scope `access_payment_history`, `access_profile` or `make_payments`': scopeOf("'GET /payments'"),
    'GET /payments: those of which the user is actor or target': readAtOnce,
    'GET /payments: also those that the user claimed': [
      by.claims('given a pay to a phone, when its owner signs up and proves it, then the money is theirs', 'listed'),
      by.expiryAndClaims(
        'given held pays, when the address is proven, then each settles to its owner, once, and is in the list',
      ),
    ],
    'GET /payments: refund payments are not listed': unlisted,
    'GET /payments: `action`': filters("action: 'charge'"),
    'GET /payments: `actor`, one or several': filters('actor: bob.id }', '`${bob.id},${alice.id}`'),
    'GET /payments: an `actor` whom nobody knows: an empty list': filters("actor: '1234567890123456789'"),
    'GET /payments: `status`, one or several': filters("status: 'pending' }", 'pending,settled'),
    'GET /payments: filters together, on every page': [
      filters("actor: bob.id, action: 'pay', status: 'settled'"),
      by.ledgerLists('given any filters and page size, when all pages are read, then they are what the model says'),
    ],
    'GET /payments: `after`, `before`': by.lists('given after and before, then both are exclusive'),
    'GET /payments: `next` carries `limit` and `before=<datetime>`': by.lists(
      'given the limit $limit, then $shown are shown and next asks for as many',
    ),
    'GET /payments: `next` is followed with the token, in a header or added to it': by.requests(
      'given a GET with the token in the query, then it is taken, and next does not carry it',
      '&access_token=',
    ),
    'GET /payments/:payment: `{data: Payment}`, equal to what creating it answered': ofPayments,
    'GET /payments/:payment: scopes as the list': scopeOf("'GET /payments/:payment'"),
    'GET /payments/:payment: its two parties; anybody else: 404, equal to an id that does not exist': strangers,
    'GET /payments/:payment: what is no id: 404': strangers,
    'PUT /payments/:payment: `{data: Payment}` with the resulting status': ofPayments,
    'PUT /payments/:payment: scope `make_payments`': scopeOf("'PUT /payments/:payment'"),
    'whoever reads after an answer sees what it said': [
      readAtOnce,
      by.reads('given a charge, when it is ended, then both parties see its end at once'),
      by.reads('given many at once, when each is answered, then its own reader sees it'),
    ],
  },
};

const links = by.lists('given pages of %d, when next is followed, then each is there once');

export const LISTS: Chapter = {
  title: 'Lists',
  rows: {
    'newest first by `date_created`': by.lists('given no limit, then 20 of the newest, newest first'),
    'then by id': by.ledgerLists(
      'given a page that ends within a tie, when the next is asked for, then it begins with the rest of the tie',
    ),
    '20 entries without `limit`': by.lists('given no limit, then 20 of the newest, newest first'),
    'at most 50': by.lists('given the limit $limit, then $shown are shown and next asks for as many', 'limit: 50'),
    'friends: 20 without `limit`, at most 50': friendPage,
    'following `next` shows each entry once': links,
    'while others write: each that was there before is shown once, none twice': [
      by.listsWhileWriting(
        'given 20 clients that pay and 8 readers that page, then what was acknowledged is there once, nothing twice',
      ),
      by.lists('given payments made while paging, then each that was there before is shown once'),
      by.ledgerLists(
        'given others who write, when pages are read, then what was there before is there once, and nothing twice',
      ),
    ],
    'a page costs the same whether there are a thousand payments or a hundred thousand': by.listPlans(
      'given a hundred times as many payments, when the first page is read, then it costs the same',
    ),
    '`before_id` beside `before`: of those made exactly then, only ids less than this': by.lists(
      'given a date and an id, when both are the bound, then of those made exactly then only smaller ids are shown',
    ),
    'a tie at the end of a page: `next` carries `before_id`': [
      by.answers('given a tie at the end of a page, when the link is made, then it names the id and never the token'),
      by.ledgerLists(
        'given a page that ends within a tie, when the next is asked for, then it begins with the rest of the tie',
      ),
    ],
    'an entry equals the payment read alone, without `fee`, `refund` and `medium`': by.lists(
      'given any payment, then the list entry equals the single one without fee, refund and medium',
    ),
  },
};
