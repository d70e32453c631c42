import type { Chapter } from './chapter.js';
import * as by from './specs.js';

const allowed = by.oauth(
  'given %s and the password, when allowed, then a token that is alice’s comes back in the query',
);
const ownPage = (...cases: string[]) =>
  by.redirects(
    'where an authorization request may lead > given %s, when asked, then an own error page answers',
    ...cases,
  );
const toldTheApp = (...cases: string[]) =>
  by.oauth('given $why, then $error comes back to the app with the state', ...cases);
const leads = (...cases: string[]) =>
  by.redirects('given %s, when asked, then people may sign in, and forms may lead there', ...cases);
const consentPage = by.oauth(
  'given the consent page, then it names app, scopes, lifetime and where it leads, and both buttons',
);
const thirtyMinutes = [
  by.lifetimes(
    'given a token of the %s flow, when its %i s are over, then it has expired, and not a minute before',
    "'client-side', 30 * MINUTE_S",
  ),
  by.authorizationFlow(
    'given alice signs in and allows, when the app receives the token, then it opens what she allowed for 30 minutes',
  ),
];
const letIn = (...cases: string[]) =>
  by.authorization('given a token of $scope alone, when $call is called, then it is let in: $isLetIn', ...cases);
const nulls = (...cases: string[]) =>
  by.shapes('given the scopes $scopes, then of email, phone and balance only $sees is not null', ...cases);

export const AUTHORIZATION: Chapter = {
  title: 'Authorization: the client-side flow',
  rows: {
    'GET {base_url}/oauth/authorize with `client_id` and `scope`: the user signs in and is asked': [
      allowed,
      consentPage,
    ],
    '`scope`: separated by spaces or commas': [
      allowed,
      by.oauth('given scopes separated by a comma, then they are understood'),
    ],
    '`scope` missing or unknown: back to the app with `error=invalid_scope`': toldTheApp(
      "why: 'no scope'",
      'an unknown scope',
    ),
    'a request with a fault is no redirect while the user is not signed in: a page says where its link leads':
      by.redirects('given %s and no session, when asked, then no redirect but a page that says where its link leads'),
    '`response_type` omitted is `token`': allowed,
    '`response_type` that is none: back to the app with `error=unsupported_response_type`':
      toldTheApp('an unknown response type'),
    '`redirect_uri` absent: the first address on file': [allowed, leads('no address and two registered')],
    '`redirect_uri`: must equal an address on file, character for character': [
      by.redirects('given redirect_uri %s, when asked for, then an own error page answers'),
      by.oauth('given $why, then an error page of our own and no redirect', 'another path'),
    ],
    '`redirect_uri`: a loopback address by number may vary in port': [
      by.oauth('given a redirect to another port, then it leads there only when the address is loopback by number'),
      leads('a loopback address at another port'),
    ],
    'not matching: our own error page, never a redirect': by.oauth(
      'given $why, then an error page of our own and no redirect',
      'a foreign redirect',
    ),
    'an app without an address on file: no request is served': [
      by.developers('given an app that loses its redirect URL, when it asks, then nobody is led anywhere'),
      ownPage('an app without addresses that asks for none'),
    ],
    'an unknown app: our own error page': [
      by.oauth('given $why, then an error page of our own and no redirect', 'an unknown app'),
      ownPage('an unknown app'),
    ],
    'agreed: back with `access_token` in the query': allowed,
    '`state` comes back unchanged': [
      allowed,
      by.redirects('given a state of 2 KiB, when allowed, then it comes back whole'),
    ],
    'denied: `error_description` says it in words': by.openapi(
      'given the example of %s, when an app provokes it, then it is told that',
      'error_description',
    ),
    'denied: `error=access_denied` and the state to the address on file, no token': by.oauth(
      'given Deny, then access_denied and the state come back, and no token',
    ),
    '`iss` in every authorization answer': by.addresses(
      'given any end of an authorization request, then the app is told who answers',
    ),
    'the token lives 30 minutes': thirtyMinutes,
    'consent is asked every time, for this flow': by.oauth(
      'given a session, when another app run asks, then consent is asked again, without a password',
    ),
    'consent names the app, each scope in words, the lifetime and where it leads': [
      consentPage,
      by.authorizationFlow('given the consent page, when read, then it names app, scopes, lifetime and where it leads'),
    ],
    'consent and connected apps name everything that a scope opens': by.authorizationFlow(
      'given %s alone for a %s, when the consent page and the connected apps are read, then they name all it opens',
    ),
    'consent names the developer, the site of the app and where the user returns to': by.pretendingApps(
      'given an app, when it asks, then the page says who made it, its site and where the user returns to',
    ),
    'no app is called like this product': by.pretendingApps(
      'given our own name in Greek and Cyrillic letters, when the app takes it, then it is refused beside the field',
    ),
    'in production http redirect addresses beyond loopback end after 90 days, unless `ALLOW_HTTP_REDIRECTS`': [
      by.pretendingApps(
        'given one on file, when 90 days pass, then it worked until then, its developer reads when, and no other is added',
      ),
      by.pretendingApps('given ALLOW_HTTP_REDIRECTS, when it starts and any time has passed, then nothing ends'),
    ],
    'buttons Allow and Deny': consentPage,
    'sign-in takes username, e-mail or phone': allowed,
    'sign-in: a wrong password and an unknown person look the same': by.oauth(
      'given a wrong password or an unknown person, then the form is there again, the same for both',
    ),
    'sign-in and consent pages: no scripts, strict content policy, never framed, never stored': by.oauth(
      'given no session, then a sign-in form without scripts, under a strict policy',
    ),
    'a consent page is answered once, by the session that saw it': [
      by.oauth('given a consent page that was answered, when it is sent once more, then no second token comes'),
      by.oauth('given a consent page that bob was shown, when another session of %s sends it, then no token comes'),
    ],
    'forms without their token, or from elsewhere, are refused': [
      by.oauth('given forms without their hidden fields, then neither sign-in nor consent is accepted'),
      by.signIn('given a form without or with a foreign form token, when sent, then it is refused'),
    ],
    'markup in what an address carries is shown as text': by.oauth(
      'given markup in what the address carries, then pages show it as text',
    ),
    'sign-in: only failed tries count, per account and per address, across instances, with `RATE_LIMITS=off` as well': [
      by.guessing(
        'given many passwords on one account from as many addresses, when sent, then ten are compared and then one after ever longer waits, and its owner gets in',
      ),
      by.guessing(
        'given one password on many accounts from one address, when sent, then fifty are compared and then one after ever longer waits, and others get in',
      ),
      by.throttle('given ten failed tries at two instances, when tried again at either, then it must wait'),
      by.throttle('given one network of IPv6 that tries many accounts, when it goes on, then it must wait'),
      by.throttle('given tries that succeed, when there are many from one address, then it never waits'),
    ],
    'sign-in: guesses from many networks do not keep out users with the right password': [
      by.guessing(
        'given 24 networks of 64 bits in one of 56 that guess without end, when 24 newcomers sign in with the right password, then all get in',
      ),
      by.throttle(
        'given a network of %s bits whose smaller ones take turns, when there were %d failed tries, then it must wait',
      ),
      by.throttle('given a try whose password was not compared, when it is withdrawn, then it does not count'),
    ],
    'a revoked token is refused by every gateway within one second': [
      by.oauthRevocation(
        'given the %s, when the app revokes it, then every route refuses within a second, at every gateway',
      ),
      by.processes(
        'given gateways that know it, when it is revoked, then every one of them refuses it within a second',
      ),
      by.gatewayStart('given a kept answer, when the token is revoked, then the next call is refused at once'),
    ],
  },
};

export const SCOPES: Chapter = {
  title: 'Scopes',
  rows: {
    '`make_payments`: POST and PUT payments': letIn(
      "'POST /payments': ['make_payments']",
      "'PUT /payments/:payment': ['make_payments']",
    ),
    '`make_payments`: also reading payments': letIn("'GET /payments': READING_PAYMENTS"),
    '`access_profile`: GET /me, users, friends, and reading payments': letIn("'GET /me': ['access_profile']"),
    '`access_friends`: friends': letIn("'GET /users/:user_id/friends': ['access_friends', 'access_profile']"),
    '`access_payment_history`: reading payments': [
      letIn('access_payment_history'),
      by.requests('given a token that may read but not pay, then reading works'),
    ],
    '`access_email`: `email` is not null': nulls("sees: ['email']"),
    '`access_phone`: `phone` is not null': nulls("sees: ['phone']"),
    '`access_balance`: `balance` is not null': nulls("sees: ['balance']"),
    '`access_feed`: accepted, opens nothing': by.formerClients(
      'given the scope access_feed, when it is asked for, then it is allowed, and opens nothing',
    ),
    'a call whose scope the token lacks: 403 `insufficient_scope`': [
      letIn(),
      by.refusals('when $method $path is asked with $scopes, then insufficient_scope comes before all else'),
    ],
    'every route, with each kind of token that is none: 401 or 400, the second time too': [
      by.refusals('when $method $path has no token or an unknown one, then 401'),
      by.order('given the token in two places, when it is sent anywhere, then it is refused and not repeated'),
      by.oauthRevocation(
        'given the %s, when the app revokes it, then every route refuses within a second, at every gateway',
      ),
      by.authorizationTable('given $given, when $name is called, then $code, the second time too'),
    ],
    'every route, with the token of an app that was deleted, suspended or taken back: 401 `revoked_token`, known to the gateway or not':
      by.authorization(
        'given a token seen $seen, of an app that $end, when $call is called at $environment, then revoked_token',
      ),
    'who is frozen reads on, and moves no money, with tokens of before as well': by.authorization(
      'given a token seen $seen, when $call is called at $environment, then it is let in: $isLetIn',
      "'account_frozen'",
    ),
    'who is frozen for reading: every call 403 `account_frozen`; the same token works afterwards': by.suspensions(
      'given a token in use, when its user is frozen for reading, then every route is account_frozen, and works afterwards',
    ),
    'after an operator ended a user’s sessions: every route 401 `revoked_token` within a second': by.suspensions(
      'given a user with sessions and tokens in use, when an operator ends them, then both are refused within a second',
    ),
    'a route that is not in that table fails the check': [
      by.authorization('given the calls that are documented, then each stands here, with its scopes'),
      by.authorizationTable(
        'given every route of the gateway, then it stands in the table, and asks for a token if it should',
      ),
    ],
  },
};
