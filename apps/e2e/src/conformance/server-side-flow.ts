import type { Chapter } from './chapter.js';
import * as by from './specs.js';

const mustFail = (...cases: string[]) =>
  by.oauthTokens('given %s, when sent, then the code of the standard comes', ...cases);
const usedUp = (...cases: string[]) =>
  by.oauthTokens('given %s, when redeemed, then it is refused, and the code is used up', ...cases);
const toldTheApp = (...cases: string[]) =>
  by.oauthTokens('authorization requests that must fail > given %s, when asked, then the app is told', ...cases);
const topLevel = by.oauthTokens(
  'given a code, when it is redeemed, then tokens, user and balance stand at the top level',
);
const everyParameter = by.oauthTokens(
  'given the app names itself in the header, and every parameter of the standard, then it is the same',
);
const revoked = by.oauthRevocation(
  'given the %s, when the app revokes it, then every route refuses within a second, at every gateway',
);

const killed = 'given 50 who %s, when it is killed %s, then at most one has tokens, and they are dead';
const leeway = by.oauthRevocation(
  'given one refresh token, when 20 use it at once, then each has a pair that works, until one comes too late',
);

export const SERVER_SIDE_FLOW: Chapter = {
  title: 'Authorization: the server-side flow',
  rows: {
    'POST /oauth/access_token with `code`: tokens, `user` and `balance` at the top level, 60 days, never stored': [
      topLevel,
      by.serverSideFlow(
        'given a code, when it is redeemed, then the token lives 60 days and the answer says whose it is',
      ),
    ],
    '`grant_type` may be left out; the app may name itself in the header or in the form': [topLevel, everyParameter],
    '`balance` null without `access_balance`, `email` and `phone` null without their scopes': by.oauthTokens(
      'given make_payments alone, when tokens come, then balance, e-mail and phone are null',
    ),
    'its errors have the body of all errors, and codes of RFC 6749': mustFail(),
    'its access token lives 60 days': by.lifetimes(
      'given a token of the %s flow, when its %i s are over, then it has expired, and not a minute before',
      "'server-side', 60 * DAY_S",
    ),
    'a code is good for 60 seconds': [
      by.lifetimes('given a code for an app, when 60 s are over, then it is refused, and not 15 s before'),
      by.serverSideFlow('given a code that lay for a minute, when it is redeemed, then it is refused'),
    ],
    'a code is good once; a second try ends the tokens of the first': by.oauthTokens(
      'given a code that was used, when it comes again, then it is refused and its tokens are dead',
    ),
    'of 50 who redeem one code one wins': [
      by.oauthRevocation('given one code, when 50 redeem it at once, then one of them has tokens, and these are dead'),
      by.crashInRaces(killed),
      by.tokenRaces(killed),
      by.serverSideFlow('given 50 who redeem one code, when they are done, then one had tokens, and those are dead'),
    ],
    'a `redirect_uri` beside a code must be the address that the code was sent to': usedUp(
      'another redirect_uri than the registered one',
      'another redirect_uri',
    ),
    'that `redirect_uri` may be left out, be given though none was named, or carry what was appended to it':
      by.formerClients(
        'given %s, when a code is redeemed, then tokens come',
        'no redirect_uri though the request named one',
        'the only registered redirect_uri though the request named none',
        'the address with what was appended to it',
      ),
    '`scope` is in the answer where less was allowed than asked for': by.formerClients(
      'given fewer scopes allowed than asked for, when tokens come, then scope says which; else it is left out',
    ),
    'the sandbox has the same endpoints, with `balance` of the sandbox': by.formerClients(
      'given the base address of the sandbox, when an app goes through flow, refresh and revocation there, then it is the same',
    ),
    '`code_challenge`, `code_challenge_method` S256: the verifier must fit': [
      everyParameter,
      usedUp('a wrong verifier', 'a verifier of 42 characters', 'a verifier of 129 characters'),
    ],
    'no downgrade: a verifier without a challenge, or a challenge without a verifier, is refused': usedUp(
      'a verifier without a challenge',
      'no verifier for a challenge',
    ),
    '`code_challenge_method` other than S256: the app is told `invalid_request`': toldTheApp(
      'the method plain',
      'no method, which means plain',
    ),
    '`invalid_grant`: an unknown code or refresh token': mustFail('an unknown code', 'an unknown refresh token'),
    '`invalid_client`: a wrong, missing or unknown app or secret, with `WWW-Authenticate`': mustFail(
      'a wrong secret',
      'no secret',
      'an unknown app',
    ),
    '`unsupported_grant_type`: the password grant and others': mustFail('the password grant'),
    'the secret in the query, in two places or twice: `invalid_request`': by.oauthTokens(
      'given the secret in the query, in two places or twice, when sent, then it is refused',
    ),
    'another service away: 503, and the code is still good': by.serverSideFlow(
      'given them, when a code is redeemed, then it may be sent again, and then it works',
    ),
    'refresh: `refresh_token` in place of `code`, a new one each time': [
      by.oauthRevocation('given an old refresh token, when it comes again, then the whole family is dead'),
      everyParameter,
      by.serverSideFlow(
        'given a refresh token, when it is used, then it is followed by another, and the chain goes on',
      ),
    ],
    'a refresh token may come again for 10 seconds (`REFRESH_LEEWAY`), and gives a pair of its own each time': leeway,
    'an old refresh token ends the whole family': by.oauthRevocation(
      'given an old refresh token, when it comes again, then the whole family is dead',
    ),
    'after a refresh the access token from before it ends within 60 s': [
      by.lifetimes(
        'given a refresh, when 60 s are over, then every gateway refuses the access token from before it, and not at once',
      ),
      by.serverSideFlow(
        'given a refresh, when a minute has passed, then the access token from before it is refused, and the new one works',
      ),
    ],
    'what a user allowed once can be refreshed for a year': by.serverSideFlow(
      'given an authorization of almost a year, when it is refreshed, then its tokens end with the year, and then it is over',
    ),
    'an app that requires PKCE: a challenge for every code': by.developers(
      'given an app with a secret that requires PKCE, when it asks for a code, then it needs a challenge, which counts',
    ),
    'with `REFRESH_LEEWAY=0`, of 50 who use one refresh token one wins': [
      by.crashInRaces(killed),
      by.serverSideFlow(
        'given 50 who use one refresh token, when they are done, then one had tokens, and the family is dead',
      ),
    ],
    'POST /oauth/revoke: either kind of token, refused everywhere within a second': revoked,
    'POST /oauth/revoke: an unknown token 200, without the right to it nothing happens': by.oauthRevocation(
      'given no right to it, when a token is to be revoked, then nothing happens to it',
    ),
    'DELETE /oauth/access_token with the token: 204': by.oauthRevocation(
      'given DELETE with the token, in whatever place, then 204, and it is dead',
    ),
    'GET /.well-known/oauth-authorization-server: where everything is': by.oauthRevocation(
      'given the metadata, when read, then every address in it is there',
    ),
    'introspection is for services of our own, behind the gateway, with a secret': [
      by.oauthRevocation('given introspection, when asked for through the gateway, then nothing is there'),
      by.serverSideFlow('given %s, when asked, then it is refused'),
    ],
    'fewer scopes than asked for can be allowed, and the app is told': by.oauthTokens(
      'given boxes without a tick, then the rest is allowed, and the app is told',
    ),
    'remembered: exactly the same app, scopes and address; never for a token in the address': by.oauthTokens(
      'given what was allowed before, then no page is shown; given anything else, then it is',
    ),
    'remembered consent ends when the app takes another name': by.pretendingApps(
      'given consent that is remembered, when the app takes another name, then it is asked for again',
    ),
    'apps are registered by people who are verified, and by businesses that had access before': [
      by.flags(
        'given flags, when somebody registers an app, then only who is verified may, and businesses with access',
      ),
      by.developersInt('given somebody who %s, when they register an app, then it is as it should be'),
    ],
    'an app has a name, a description, a web redirect URL `http(s)://host/path` and a site URL': by.developers(
      'given a form with faults, when sent, then each is told beside its field, and nothing is registered',
    ),
    'an app without a secret: a challenge every time': by.developers(
      'given an app without a secret, when it asks, then it needs a challenge, and with it gets tokens and refreshes them',
    ),
    'a secret is shown once; the one before works beside a new one until the developer ends it': [
      by.clientSecrets(
        'given a secret, when a new one is made, then both work until the former is ended, and neither is shown again',
      ),
      by.clientSecrets(
        'given a server that refreshes and pays, when its secret is changed meanwhile, then no request is refused',
      ),
    ],
    'a dangerous change asks for the password again after five minutes, and does what was sent': by.passwordAgain(
      'given a sign-in five minutes ago, when %s is sent, then the password is asked for, and with it what was sent is done',
    ),
    'a token made at `/developers` works in the sandbox alone': [
      by.developers(
        'given the button for the sandbox, when pressed, then the curl line works as it stands, and its token nowhere else',
      ),
      by.authorizationTable('given a token of the sandbox, when %s is called, then it is let in there alone'),
    ],
    'an app that is deleted: its tokens are dead': by.developers(
      'given an app with tokens, when it is deleted, then all of them are dead, and it is not there any more',
    ),
    'without a redirect URL on file no authorization is served': by.developers(
      'given an app that loses its redirect URL, when it asks, then nobody is led anywhere',
    ),
    'built on the fly: below an address on file, once the app has switched it on': by.redirectUris(
      'given redirect_uri %s, when an app asks for it that builds addresses, then it leads there',
    ),
    'no other address leads anywhere, in either flow': by.redirectUris(
      'given redirect_uri %s, when asked for in either flow, then an own page answers',
    ),
    'connected apps: scopes, first and last use, one button that ends it': by.developers(
      'given an app that was let in, when its page is opened, then scopes and use stand there, and one button ends it',
    ),
    'ids of apps are numbers that fit an integer of 32 bits': by.madeApps(
      'given the page, when apps are registered, then their ids are numbers that fit an integer of 32 bits',
    ),
    'an operator makes an app with an id that its client hard-codes': by.madeApps(
      'given an id that a client hard-codes, when the operator makes the app, then its owner gives it a secret, and it works',
    ),
    'legacy answers: datetimes without `Z`, all else the same': by.legacyAnswers(
      'given any call, when it succeeds, then its datetimes are without Z, and all else is as for others',
    ),
    'legacy answers: `error.code` as the former interface had it': [
      by.legacyAnswers('given %s, when a payment is made, then the code is that of the former interface', "'1343'"),
      by.legacyAnswers(
        'given no such payment, a wrong secret, a used code or a dead token, when it asks, then the codes are former ones',
      ),
    ],
    'kept clients run unmodified': [
      by.oauthClients(
        'given the metadata, when it goes through flow, PKCE, refresh and revocation, then all of it works',
      ),
      by.oauthClients(
        'given its three addresses alone, when a user signs in, then it has the profile, e-mail and balance',
      ),
      by.oauthClients(
        'given its provider venmo at these addresses, when a user signs in, then it has tokens; a code that is used it reports',
      ),
    ],
    'codes and tokens are stored as hashes only': by.serverSideFlow(
      'given the database, when it is searched, then neither code nor token stands in it',
    ),
  },
};
