import type { Chapter } from './chapter.js';
import * as by from './specs.js';

const example = (...cases: string[]) =>
  by.openapi(
    'given the example of %s, when that is provoked, then it is the answer',
    ...cases.map((code) => `['${code}',`),
  );
const ofTokens = (...cases: string[]) =>
  by.openapi('given the examples of tokens, when these are provoked, then they are the answers', ...cases);
const ofPayments = (...cases: string[]) =>
  by.openapi('given the examples of payments, when these are provoked, then they are the answers', ...cases);
const tokenThatIsNone = (...cases: string[]) =>
  by.authorizationTable('given $given, when $name is called, then $code, the second time too', ...cases);
const toldTheApp = by.openapi('given the example of %s, when an app provokes it, then it is told that');
const refused = (...cases: string[]) =>
  by.creating('given $given, when created, then $code and nothing is stored', ...cases);

export const ERRORS: Chapter = {
  title: 'Errors',
  rows: {
    'body: exactly `{error: {message, code}}`': by.order(
      'given %s, when one fault after the other is put right, then the next is told',
      "[['error'], ['code', 'message']]",
    ),
    'the HTTP status of each code is that of the catalogue': [
      by.refusals('when paying and $why, then $code', 'ERROR_CATALOGUE[code].status'),
      by.openApiDocument(
        'given the code %s, when the document is read, then its status, meaning and an example are there',
      ),
    ],
    'every code has an example that the product gives': [
      example(),
      by.errorExamples('given %s, when its example is looked up, then the product says such a thing'),
    ],
    '[errors](errors.md) is made from the catalogue: the check fails when the two differ': by.generatedPages(
      'given the code, when $path is read, then it says the same (else: tools/generate.mjs)',
    ),
    'codes are stable, in snake_case': by.errors(
      'given the code %s, when its row is read, then it has an error status and a sentence',
    ),
    'the message names the parameter': by.amounts('given the number %s, when it is sent, then it is refused'),
    'a message never repeats a token': by.order(
      'given the token in two places, when it is sent anywhere, then it is refused and not repeated',
    ),
    'a refused request changes nothing': by.order(
      'given %s, when one fault after the other is put right, then the next is told',
      'balanceCents',
    ),
    '400 `invalid_request`': example('invalid_request'),
    '400 `missing_parameter`': example('missing_parameter'),
    '400 `invalid_amount`': example('invalid_amount'),
    '400 `invalid_note`': example('invalid_note'),
    '400 `invalid_audience`': example('invalid_audience'),
    '400 `invalid_target`': example('invalid_target'),
    '400 `invalid_email`': example('invalid_email'),
    '400 `invalid_phone`': example('invalid_phone'),
    '400 `invalid_limit`': example('invalid_limit'),
    '400 `invalid_date`': example('invalid_date'),
    '400 `invalid_status`': example('invalid_status'),
    '400 `invalid_action`': example('invalid_action'),
    '400 `cannot_pay_self`': ofPayments('cannot_pay_self'),
    '400 `insufficient_funds`': ofPayments('insufficient_funds'),
    '`invalid_scope`, told to the app': toldTheApp,
    '`unsupported_response_type`, told to the app': toldTheApp,
    '401 `missing_token`': ofTokens('missing_token'),
    '401 `invalid_token`': ofTokens('invalid_token'),
    '401 `expired_token`': [
      by.lifetimes(
        'given a token of the %s flow, when its %i s are over, then it has expired, and not a minute before',
        "'expired_token'",
      ),
      tokenThatIsNone('an expired token'),
      by.authorizationFlow('given a token past its life, when checked, then it is expired'),
    ],
    '401 `revoked_token`': [
      by.oauthRevocation('given DELETE with the token, in whatever place, then 204, and it is dead', "'revoked_token'"),
      tokenThatIsNone('a revoked token'),
      by.processes(
        'given gateways that know it, when it is revoked, then every one of them refuses it within a second',
      ),
    ],
    '403 `insufficient_scope`': ofTokens('insufficient_scope'),
    '403 `not_permitted`': by.states(
      'given a pending charge > when the wrong party says $action, then it is refused and nothing changes',
    ),
    '403 `merchant_payments_not_allowed`': [
      by.flags('given a person who becomes a business, when the command has ended, then they pay and nothing else'),
      refused('a business as target'),
    ],
    '403 `account_frozen`': [
      by.flags(
        'given a request of a person who is frozen, when the command has ended, then no money moves to or from them',
      ),
      refused('a frozen actor'),
    ],
    '404 `resource_not_found`': example('resource_not_found'),
    '405 `method_not_allowed`, with `Allow`': example('method_not_allowed'),
    '409 `payment_not_pending`': ofPayments('payment_not_pending'),
    '409 `idempotency_in_progress`, with `Retry-After`': [
      by.idempotency(
        'given ${TWINS} twins at once, then there is one payment, and each is answered with it or told to wait',
        'idempotency_in_progress',
      ),
      by.gatewayKeys('given %s, when it is answered, then with %i and Retry-After %p'),
    ],
    '413 `payload_too_large`': example('payload_too_large'),
    '414 `uri_too_long`': example('uri_too_long'),
    '415 `unsupported_media_type`': example('unsupported_media_type'),
    '422 `idempotency_key_reused`': by.openapi(
      'given a key, when another request comes under it, then the example is the answer',
    ),
    '429 `rate_limited`, with `Retry-After`': by.rateLimits(
      'given one token, when it asks more often than it may, then its burst passes and the rest is refused',
    ),
    '431 `headers_too_large`': example('headers_too_large'),
    '500 `internal_error`: only for a bug, of which nothing is told': by.errors(
      'given what is no refusal (%p), when it crosses, then only that there is a bug does',
    ),
    '503 `service_unavailable`, with `Retry-After`: nothing was begun': [
      by.settings(
        'given more requests at once than may be in progress, when they come, then the rest is 503, and not begun',
      ),
      by.gatewayStart('given a full service, when it is asked, then 503 says when to come again'),
      by.gatewayLifecycle('given as many as may be, when one more comes, then it is refused until another is done'),
    ],
    '504 `outcome_unknown`: no `Retry-After`; the message names the payment': by.gatewayStart(
      'given no answer from payments, when it is posted, then 504 names the payment and has no Retry-After',
    ),
    '504 with a key: the message says to send again': by.gatewayKeys(
      'given no outcome, when it is answered, then with a key it says to send again, without one to read',
    ),
    '504: the payment under that id is there later, or nothing happened': [
      by.faults('given %s, then what was acknowledged is there once, every cent too, and all goes on soon'),
      by.funding(
        'given a source that does not answer, when a pay waits for it, then outcome_unknown until the worker asks again',
      ),
    ],
  },
};
