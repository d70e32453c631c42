import type { Chapter } from './chapter.js';
import * as by from './specs.js';

const anyAnswer = by.shapes('given any answer, then it carries a request id and may not be stored');
const perToken = by.rateLimits(
  'given one token, when it asks more often than it may, then its burst passes and the rest is refused',
);
const perAddress = by.rateLimits(
  'given one address, when it asks more often than it may, then its burst passes and the rest is refused',
);
const defaults = by.settingsTable('given an empty environment, when read, then every default of the table holds');

const livesFor = (...cases: string[]) =>
  by.lifetimes(
    'given a token of the %s flow, when its %i s are over, then it has expired, and not a minute before',
    ...cases,
  );

export const HEADERS_AND_LIMITS: Chapter = {
  title: 'Headers, limits, addresses and versions',
  rows: {
    '`X-Request-Id` on every answer': [
      anyAnswer,
      by.rawRequests('given, of %s, %s, when it arrives, then it is answered so', 'x-request-id'),
    ],
    '`Cache-Control: no-store, private`': [
      anyAnswer,
      by.gatewayRefusals('given %s, when it is sent, then the catalogue answers', 'no-store, private'),
    ],
    '`WWW-Authenticate: Bearer` on 401': [
      by.order('given %s, when one fault after the other is put right, then the next is told', 'www-authenticate'),
      by.gatewayRefusals('given a token problem, when it is told, then WWW-Authenticate says as much as it may'),
    ],
    '`RateLimit-Limit`, `-Remaining`, `-Reset` where limits apply': [
      perToken,
      by.gatewayLimits(
        'given an address at its limit, when anything is asked from it, then it is refused before all else',
      ),
    ],
    'pages: 20 by default, 50 at most': [
      by.lists('given no limit, then 20 of the newest, newest first'),
      by.lists('given the limit $limit, then $shown are shown and next asks for as many'),
    ],
    'a token of the client-side flow: 30 minutes': livesFor("'client-side', 30 * MINUTE_S"),
    'a token of the server-side flow: 60 days': livesFor("'server-side', 60 * DAY_S"),
    'rate limit of a token': perToken,
    'rate limit of an address': perAddress,
    'rate limit of an app, over all its tokens': by.gatewayLimits(
      'given an app at its limit, when it asks with another token, then 429 says when to come again, and another app goes on',
    ),
    'rate limits by default: 100 a second and 500 at once for a token, 1,000 and 5,000 for an app, 300 and 2,000 for an address, 256 in progress':
      defaults,
    '`RATE_LIMITS=off` switches them off': by.addresses(
      'given a product without rate limits, when it is asked, then nothing is said of them',
    ),
    'pending charges to one user: 20, then 429 with `Retry-After`': [
      by.userLimits(
        'given 600 charges to a stranger, when sent as fast as can be, then 20 are pending and the rest is 429',
      ),
      by.ledgerUserLimits(
        'given two instances, when a user moves between them while charging, then 20 charges are pending',
      ),
    ],
    'pending charges of one user: 200, then 429': [
      defaults,
      by.ledgerUserLimits(
        'given five pending charges in all, when a user is charged besides, then it is refused whoever it is',
      ),
    ],
    'new payees of one user within 24 hours: 200, then 429': [
      defaults,
      by.ledgerUserLimits(
        'given the day’s number of new payees, when paid, then known ones are, new ones only a day after',
      ),
    ],
    '`AMOUNT_PER_DAY` bounds what a user pays and approves within 24 hours': by.userLimits(
      'given an amount a day, when pays and approvals reach it, then more of either is 429 and moves nothing',
    ),
    'an amount that the user allows an app within 24 hours: above it 403 `not_permitted`, and nothing moves': [
      by.userLimits(
        'with an amount a day that bob typed when he allowed an app > given pays at once, when they reach it, then the rest is 403 and moves nothing, and an approval is as well',
      ),
      by.userLimits(
        'with an amount a day that bob typed when he allowed an app > given a token that is out, when bob changes the amount, then it counts for that token at once, and a refused key is free',
      ),
      by.ledgerAppAmounts(
        'given pays, holds and approvals through an app, when they reach its amount, then the next cent is refused until the day is over',
      ),
    ],
    'an amount that the user lets a trusted friend charge within 24 hours: a charge that exceeds it is pending': [
      by.userLimits(
        'given an amount a day that bob lets alice charge, when charges exceed it, then they are pending, and a changed amount counts once it is confirmed',
      ),
      by.ledgerTrustAmounts(
        'given an amount for seven charges, when 20 are sent at once, then seven settle and the rest is pending',
      ),
    ],
    'an `Idempotency-Key` of a request above these limits stays free': by.userLimits(
      'given a charge with a key that was refused, when there is room and it is sent again, then it is done',
    ),
    'requests in progress are bounded: one more is 503': [
      by.settings(
        'given more requests at once than may be in progress, when they come, then the rest is 503, and not begun',
      ),
      by.gatewayLifecycle('given as many as may be, when one more comes, then it is refused until another is done'),
    ],
    'an app has at most half of the requests in progress while others wait': [
      by.requestSlots(
        'given an app with every slot, when another asks, then it gets the next ones, until each has half',
      ),
      by.gatewayLifecycle(
        'given an app with every slot, when another app asks, then it is answered, and the first is refused meanwhile',
      ),
    ],
    'requests without a valid token: 64 in progress from one address, then 429; those with one are not counted': [
      by.gatewayLifecycle(
        'given an address with as many pages in progress as it may have, when more comes from there, then tokens alone are admitted',
      ),
      by.gatewayLifecycle(
        'given an app server with more valid tokens than an address may have requests, when all ask at once, then all are answered',
      ),
      by.requestSlots(
        'given requests from many addresses, when they have half of the slots, then the others are left to apps',
      ),
    ],
    'clients that do not read their answers keep out nobody, and lose their connections after 10 s': [
      by.unreadAnswers(
        'given 1,400 requests for a large file that nobody reads, when others call the API, then they are answered, and the connections are closed',
      ),
      by.unreadAnswers(
        'given answers of pages that wait behind a file that nobody reads, when others call the API, then they are answered',
      ),
    ],
    '`X-Content-Type-Options: nosniff` on every answer, `Strict-Transport-Security` over https': by.commonHeaders(
      'given the public address %s, when anything is asked, then it may not be sniffed, and only https makes browsers stay with it',
    ),
    'a proxy in front counts only when it is trusted': [
      by.rateLimits(
        'given one address, when it asks more often than it may, then its burst passes and the rest is refused',
        'x-forwarded-for',
      ),
      by.gatewayLimits(
        'given no proxy that is trusted, when a caller claims another address, then it counts for its own',
      ),
    ],
    '`{base_url}` is `http://localhost:3000/v1` unless `PUBLIC_URL` says otherwise, `{sandbox_url}` the same with `/sandbox/v1`':
      defaults,
    'the version stands in the base path: `/v1`': by.lists(
      'given the limit $limit, then $shown are shown and next asks for as many',
      'next.origin + next.pathname',
    ),
    'links are built from `PUBLIC_URL`, never from the Host header': by.addresses(
      'given a request that names another host, when it is answered, then links lead to the public address',
    ),
    '`/openapi.json`: OpenAPI 3.1': [
      by.openapi(
        'given the product, when it is asked for the document, then it is the printed one under its own address',
      ),
      by.openApiDocument(
        'given the official schema of OpenAPI 3.1, when the document is held against it, then it fits',
      ),
    ],
    '`/docs`: the reference, all of it served by us': [
      by.openapi('given the product, when /docs is opened, then the page and all that it loads come from there'),
      by.reference(
        'given /docs, when it is opened, then all that it loads is ours, is there, and nothing stands inline',
      ),
    ],
    '`/docs/interface.md`: every rule in words, linked from the reference': [
      by.addresses('given the reference, when the rules in words are opened, then they come'),
      by.reference('given the reference, when its link to the rules in words is followed, then they come as text'),
    ],
    '`/`: what this is and where to go': by.addresses(
      'given no token, when / is opened, then a page says what this is and where the interface is',
    ),
  },
};
