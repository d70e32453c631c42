import type { Chapter } from './chapter.js';
import * as by from './specs.js';

const tokenIn = (...cases: string[]) =>
  by.requests('given the token in $place, when paying, then it settles', ...cases);
const inTwoPlaces = by.order(
  'given the token in two places, when it is sent anywhere, then it is refused and not repeated',
);
const put = (...cases: string[]) => by.requests('given a PUT as $as, then it is taken', ...cases);
const inQuery = (...cases: string[]) =>
  by.order('given %s in the query, when it is sent anywhere, then it is refused', ...cases);
const inBody = (...cases: string[]) =>
  by.order('given %s, when it is sent to whoever reads bodies, then it is refused', ...cases);
const inOrder = (...cases: string[]) =>
  by.order('given %s, when one fault after the other is put right, then the next is told', ...cases);
const asBytes = (...cases: string[]) =>
  by.rawRequests('given, of %s, %s, when it arrives, then it is answered so', ...cases);
const headerTwice = (...cases: string[]) =>
  by.requests('given the header %s twice, when it is sent, then the request is refused', ...cases);
const options = by.requests('given OPTIONS on $path, then 204 and the methods $allow');

const fuzzed = by.fuzzed('given them, when they are answered, then as documented, and what is refused changes nothing');

export const REQUESTS: Chapter = {
  title: 'How a request may be written',
  rows: {
    'the access token in the query': [
      tokenIn('the query'),
      by.requests('given a GET with the token in the query, then it is taken, and next does not carry it'),
    ],
    'the access token in a form field': tokenIn('a form field'),
    'the access token in a JSON field': tokenIn('a JSON field'),
    'the access token in `Authorization: Bearer`': tokenIn('the Authorization header'),
    'the access token of PUT: in a form or JSON field, or the header': put(
      'JSON with the token',
      'a form with the token',
    ),
    'the access token in two places: 400 `invalid_request`, on every route': [
      inTwoPlaces,
      by.requests('given the token in $places at once, then the request is refused'),
    ],
    'the access token is never in an error body or a `next` link': [
      inTwoPlaces,
      by.requests('given a GET with the token in the query, then it is taken, and next does not carry it'),
    ],
    'the access token is never in the logs': [
      by.gatewayRefusals(
        'given addresses that lead nowhere, when they are asked for, then no token of theirs is logged',
      ),
      by.fuzz(
        'given them, when they arrive, then each is answered by the catalogue or cut off, and no secret comes back',
      ),
    ],
    'nor in a trace, nor is a note, an address or a query': by.traces(
      'given all spans, when they are read, then they hold no token, note, address or query',
    ),
    'POST: form or JSON': tokenIn('a form field', 'a JSON field'),
    'PUT: form or JSON': put(),
    'the parameters of a POST may all stand in the query': tokenIn('the query, with the parameters there too'),
    'those of a PUT too': put('a query with the token'),
    'a media type with a charset of UTF-8 is taken': by.requests('given a media type with a charset, then it is taken'),
    '`multipart/form-data` with text alone counts as a form; a file is 415': [
      by.formerClients(
        'given forms in parts, when a code is redeemed and a payment is made with them, then they are read',
      ),
      asBytes('parts of a form', 'parts, one twice', 'a file'),
    ],
    'a body of no bytes is none, in a chunk or of any media type': asBytes(
      'nothing, of a media type',
      'nothing, in a chunk',
    ),
    'any other media type, or a compressed body: 415 `unsupported_media_type`': [
      by.refusals('when the body is $why, then $code, whatever the token', 'XML', 'plain text'),
      asBytes('JSON, compressed', 'no media type', 'a file'),
    ],
    'JSON that is no object: 400 `invalid_request`': inBody("'an array'", "'a text'", "'a number'", "'null'"),
    'JSON nested deeper than 16: 400 `invalid_request`': inBody('17 levels', '10,000 levels'),
    'JSON that is broken: 400 `invalid_request`': inBody('a comma too many', 'half of it', 'two of it'),
    'unknown parameters are ignored': by.requests('given parameters that nobody knows, then they are ignored'),
    'JSON `null` counts as not sent': by.amounts('given nothing, when it is sent, then it is missing'),
    'a required parameter that is empty counts as missing: 400 `missing_parameter`': by.amounts(
      'given nothing, when it is sent, then it is missing',
    ),
    'a repeated parameter: 400 `invalid_request`, named': inQuery(
      'a repeated parameter',
      'a repeated parameter, escaped',
    ),
    'one name in query and body: 400 `invalid_request`, named': by.order(
      'given a name in query and body, when it is sent, then it is refused and named',
    ),
    'a doubled JSON key, however spelt: 400 `invalid_request`': inBody(
      'a doubled key',
      'a doubled key, spelt otherwise',
    ),
    'invalid UTF-8: 400 `invalid_request`': inQuery('bytes that are no UTF-8', 'a surrogate'),
    'NUL: 400 `invalid_request`': inQuery("'a NUL'", 'a NUL in a name'),
    'a broken percent escape: 400 `invalid_request`': inQuery('a broken escape', 'half an escape'),
    'more than 256 parameters or JSON keys: 400 `invalid_request`': [
      inQuery('too many parameters'),
      inBody('257 keys'),
    ],
    'a body beyond 64 KiB: 413 `payload_too_large`': [
      by.openapi('given the example of %s, when that is provoked, then it is the answer', 'payload_too_large'),
      asBytes('a chunk of 70,000', 'a length beyond the largest'),
    ],
    'a URL beyond 8 KiB: 414 `uri_too_long`': [
      by.openapi('given the example of %s, when that is provoked, then it is the answer', 'uri_too_long'),
      asBytes('9 KiB of path', '9 KiB of query'),
    ],
    'headers beyond 16 KiB: 431 `headers_too_large`': by.openapi(
      'given the example of %s, when that is provoked, then it is the answer',
      'headers_too_large',
    ),
    'order of checks, /oauth: the app first, then what it asks for': [
      by.oauth('given $why, then an error page of our own and no redirect', 'an unknown app with every other fault'),
      by.oauthTokens(
        'given %s, when sent, then the code of the standard comes',
        "'an unknown app'",
        "'a wrong secret'",
      ),
    ],
    'order of checks, GET /me': inOrder("'GET /me'"),
    'order of checks, GET /users/:user_id': inOrder("'GET /users/:user_id'"),
    'order of checks, GET /users/:user_id/friends': inOrder("'GET /users/:user_id/friends'"),
    'order of checks, GET /payments': inOrder("'GET /payments'"),
    'order of checks, GET /payments/:payment': inOrder("'GET /payments/:payment'"),
    'order of checks, POST /payments': inOrder("'POST /payments'"),
    'order of checks, PUT /payments/:payment': inOrder("'PUT /payments/:payment'"),
    'a route that is not there, a slash too many, other letters: 404 `resource_not_found`': [
      by.refusals('when %s is not there, then 404'),
      by.order('given a slash at the end, when it is asked for, then nothing is there'),
      asBytes('capitals', 'two slashes'),
    ],
    'a method that a route does not take: 405 `method_not_allowed` with `Allow`': by.refusals(
      'when $method is used on $path, then 405 and Allow names $allow',
    ),
    'HEAD answers as GET without a body': [
      by.requests('given HEAD, then the status of GET and no body'),
      by.rawRequests('given HEAD, when it is answered, then as GET, without a body'),
    ],
    'OPTIONS: 204 with `Allow`': options,
    'scripts of other origins: nothing is allowed to them': by.addresses(
      'given a script of another origin, when it asks what it may, then nothing is allowed to it',
    ),
    'scripts of origins named in `CORS_ORIGINS` may call': [
      by.settings('given an origin %s, when its script asks what it may, then it is told'),
      by.gatewayLifecycle(
        'given an origin that the operator named, when its script asks ahead, then it is told what it may',
      ),
    ],
    '`Authorization` or `Host` twice: 400 `invalid_request`': [
      headerTwice("['authorization',", "['host',"),
      asBytes('two tokens', 'two Hosts'),
    ],
    'headers that do not come within 5 s, a request not within 10 s: the connection is closed': by.slowRequests(
      'given them, when their time is up, then their connections are closed and others are answered',
    ),
    'no input is answered with 5xx': [
      fuzzed,
      by.fuzz(
        'given them, when they arrive, then each is answered by the catalogue or cut off, and no secret comes back',
      ),
    ],
    'whatever is sent, the answer is a documented one, and what is refused changes nothing': fuzzed,
  },
};

const key = (title: string, ...cases: string[]) => by.idempotency(title, ...cases);
const keyForm = (...cases: string[]) => key('given the key %j, then %i', ...cases);
const otherRequest = (...cases: string[]) =>
  key('given a key, when another request comes under it as %s, then 422 and nothing is made', ...cases);
const again = key(
  'given an answered payment, when it is sent again, written otherwise, then it is answered again and not made',
);
const twins = key(
  'given ${TWINS} twins at once, then there is one payment, and each is answered with it or told to wait',
);

export const KEYS: Chapter = {
  title: 'Idempotency-Key',
  rows: {
    'the header `Idempotency-Key` is optional on POST': key(
      'given a refused request, when its key comes again, then nothing was kept of it',
    ),
    'and on PUT': key(
      'given an approval, when it is sent again, then its first answer comes again, and no other action goes',
    ),
    '1 to 255 visible ASCII characters': keyForm("'k'.repeat(255), 200", '!#~'),
    'anything else: 400 `invalid_request`': keyForm("'k'.repeat(256), 400", 'with blank'),
    'two such headers: 400 `invalid_request`': [
      headerTwice("['idempotency-key',"),
      by.gatewayKeys('given a header that is no key, when it is sent, then 400 and no command'),
    ],
    'the same request again: the first answer, with `Idempotent-Replayed: true`': again,
    '0.1 is 0.10, any order of fields, form as good as JSON: the same request': again,
    'another method, path or parameter under the key: 422 `idempotency_key_reused`': otherRequest(),
    'that comes before the target is looked up': otherRequest('Before anybody looks whether there is such a user.'),
    'a twin that is running: 409 `idempotency_in_progress` with `Retry-After`': [
      twins,
      by.gatewayKeys('given %s, when it is answered, then with %i and Retry-After %p'),
    ],
    '50 twins at once: one payment, equal answers': twins,
    'keys are per user': key('given a key, when another person uses the same, then it is theirs'),
    'keys are per app': [
      by.developers('given a key of one app, when another uses the same for the same person, then it is its own'),
      by.keyedCommands(
        'given a key, when another request has it, then it is refused, and another app or person has their own',
      ),
    ],
    'nothing is kept when nothing ran: the key is free': key(
      'given a refused request, when its key comes again, then nothing was kept of it',
    ),
    'a pay that failed stays failed under its key': key(
      'given a pay that failed, when it is sent again after funds have come, then it is the one that failed',
    ),
    'kept for 24 hours, then free': [
      by.lifetimes('given an answered request, when a day is over, then its key is free, and not a minute before'),
      by.keyRows('given an answered request, when a day has passed, then its key is free, and not before'),
    ],
    'known to every instance': [
      again,
      by.keyedCommands(
        'given an answered request, when it is sent again, to either instance, then it has the first answer',
      ),
    ],
    'after a crash or an unknown outcome: what was begun is brought to its end and answered': [
      by.crashWithKeys(
        'given ${KEYS} keys with ${TWINS} twins each and a kill, then each is one payment and one debit',
      ),
      by.keyedCommands('given an unknown outcome, when it is sent again, then that payment is answered'),
    ],
  },
};
