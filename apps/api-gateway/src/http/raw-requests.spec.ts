import { aliceProfile, startGatewayUnderTest, type GatewayUnderTest } from '../../test/gateway.fixture.js';
import { answerTo, outcomeOf } from '../../test/raw-requests.fixture.js';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGatewayUnderTest(() => ['access_profile', 'make_payments'], { rateLimits: null });
  gateway.answers['getProfile'] = () => Promise.resolve(aliceProfile);
});
afterAll(() => gateway.close());

const TOKEN = 'authorization: Bearer t';
const JSON_TYPE = 'content-type: application/json';
const PARTS = 'content-type: multipart/form-data; boundary=x';
const parts = (name: string, text: string): string =>
  `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n--x--\r\n`;

function request(line: string, headers: readonly string[] = [], body = ''): string {
  return [`${line} HTTP/1.1`, 'host: x', 'connection: close', ...headers, '', body].join('\r\n');
}

const get = (target: string, headers = [TOKEN]): string => request(`GET ${target}`, headers);
const post = (headers: readonly string[], body = '{}'): string =>
  request('POST /v1/payments', [TOKEN, ...headers, `content-length: ${body.length}`], body);
const chunked = (headers: readonly string[], body: string): string =>
  request('POST /v1/payments', [TOKEN, 'transfer-encoding: chunked', ...headers], body);
const oneChunk = (body: string): string => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
const gzipped = request('POST /v1/payments', [TOKEN, JSON_TYPE, 'transfer-encoding: gzip, chunked'], oneChunk('{}'));

const manyHeaders = (count: number): string[] => Array.from({ length: count }, () => 'a:');

type Row = readonly [name: string, bytes: string, status: number, code: string | null];
const taken = 200;
const nothing = [404, 'resource_not_found'] as const;
const broken = [400, 'invalid_request'] as const;
const media = [415, 'unsupported_media_type'] as const;
const method = [405, 'method_not_allowed'] as const;
/** Read to the end, and found to say nothing. */
const read = [400, 'missing_parameter'] as const;

const addresses: Row[] = [
  ['a path', get('/v1/me'), taken, null],
  ['a whole URL, as proxies send it', get('http://elsewhere.test/v1/me'), taken, null],
  ['a whole URL of a page elsewhere', get('http://elsewhere.test/v1/oauth/authorize'), ...broken],
  ['a slash at the end', get('/v1/me/'), ...nothing],
  // Shows request-42
  ['two slashes', get('/v1//me'), ...nothing],
  ['two slashes at the start', get('//v1/me'), ...nothing],
  // Shows request-42
  ['capitals', get('/V1/me'), ...nothing],
  ['a way around', get('/v1/payments/../me'), ...nothing],
  ['a way out of the pages', get('/v1/oauth/../../x'), ...broken],
  ['a way out of the pages, escaped', get('/account/%2e%2e/x'), ...broken],
  ['a semicolon', get('/v1/me;x=1'), ...nothing],
  ['an escaped slash', get('/v1/payments/12%2F3'), ...nothing],
  // Shows request-28
  ['an escaped NUL', get('/v1/payments/%00'), ...broken],
  ['an escaped NUL within an id, without a token', get('/v1/users/1%002/friends', []), ...broken],
  ['an escaped NUL where no route is', get('/v1/%00'), ...nothing],
  ['an escaped percent sign before zeros', get('/v1/payments/%2500'), ...nothing],
  ['bytes that are no UTF-8', get('/v1/payments/%ff'), ...broken],
  ['a raw letter beyond ASCII', get('/v1/me?note=\u00e9'), ...broken],
  ['a fragment', get('/v1/me#x'), ...broken],
  ['a fragment before the query', get('/v1/me#x?access_token=t', []), ...broken],
  ['the server as a whole', request('OPTIONS *'), ...nothing],
  ['options of nothing', request('OPTIONS /nope'), ...nothing],
  ['options of the home page', request('OPTIONS /'), 204, null],
  // Shows request-32
  ['9 KiB of path', get(`/v1/payments/${'x'.repeat(9_000)}`), 414, 'uri_too_long'],
  // Shows request-32
  ['9 KiB of query', get(`/v1/me?${'x'.repeat(9_000)}`), 414, 'uri_too_long'],
  ['20 KiB of query', get(`/v1/me?${'x'.repeat(20_000)}`), 431, 'headers_too_large'],
  ['257 parameters', get(`/v1/me?${Array.from({ length: 257 }, (_, index) => `p${index}`).join('&')}`), ...broken],
];

const methods: Row[] = [
  ...['PATCH', 'TRACE', 'PROPFIND', 'PURGE', 'POST'].map((name): Row => [name, request(`${name} /v1/me`), ...method]),
  ['a QUERY with a body', request('QUERY /v1/me', [JSON_TYPE, 'content-length: 2'], '{}'), ...method],
  ['a QUERY of a page', request('QUERY /account'), taken, null],
  ['a QUERY of a page with a body', request('QUERY /account', ['content-length: 2'], '{}'), taken, null],
  ['small letters', request('get /v1/me'), ...broken],
  ['an unknown method', request('FOO /v1/me'), ...broken],
];

const headers: Row[] = [
  // Shows request-48
  ['two tokens', get('/v1/me', [TOKEN, 'Authorization: Bearer u']), ...broken],
  ['one token twice', get('/v1/me', [TOKEN, TOKEN]), ...broken],
  ['a scheme alone', get('/v1/me', ['authorization: Bearer']), 401, 'missing_token'],
  ['an empty parameter beside the header', get('/v1/me?access_token='), taken, null],
  ['another scheme', get('/v1/me', ['authorization: Basic dDp0']), 401, 'missing_token'],
  ['no Host', 'GET /v1/me HTTP/1.1\r\nconnection: close\r\n\r\n', ...broken],
  ['no Host, as before there was one', 'GET /v1/me HTTP/1.0\r\n\r\n', 401, 'missing_token'],
  // Shows request-48
  ['two Hosts', get('/v1/me', [TOKEN, 'host: y']), ...broken],
  ['a Host with a blank', request('GET /v1/me', [TOKEN]).replace('host: x', 'host: a b'), ...broken],
  ['a Host with a path', request('GET /v1/me', [TOKEN]).replace('host: x', 'host: a/b'), ...broken],
  ['a Host with a user', request('GET /v1/me', [TOKEN]).replace('host: x', 'host: a@b'), ...broken],
  ['a Host of IPv6 with a port', request('GET /v1/me', [TOKEN]).replace('host: x', 'host: [::1]:3000'), taken, null],
  ['as many headers as may be', get('/v1/me', [TOKEN, ...manyHeaders(197)]), taken, null],
  ['one header more', get('/v1/me', [TOKEN, ...manyHeaders(198)]), 431, 'headers_too_large'],
  ['3,000 headers of a page', get('/account', manyHeaders(3_000)), 431, 'headers_too_large'],
  ['an encoding of no body', get('/v1/me', [TOKEN, 'transfer-encoding: gzip, chunked']), ...media],
  ['an unknown expectation', get('/v1/me', [TOKEN, 'expect: coffee']), taken, null],
  ['an upgrade', get('/v1/me', [TOKEN, 'upgrade: websocket', 'connection: upgrade']), taken, null],
  ['a folded header', 'GET /v1/me HTTP/1.1\r\nhost: x\r\n folded\r\n\r\n', ...broken],
  ['a blank before the colon', 'GET /v1/me HTTP/1.1\r\nhost : x\r\n\r\n', ...broken],
  ['a NUL', 'GET /v1/me HTTP/1.1\r\nhost: x\0\r\n\r\n', ...broken],
  ['no carriage returns', 'GET /v1/me HTTP/1.1\nhost: x\n\n', ...broken],
  ['another protocol', '\x16\x03\x01\x02\x00', ...broken],
  ['HTTP/2.0', get('/v1/me').replace('HTTP/1.1', 'HTTP/2.0'), ...broken],
  ['HTTP/2.0 to nothing', get('/nope').replace('HTTP/1.1', 'HTTP/2.0'), ...broken],
  ['HTTP/0.9', 'GET /v1/me\r\n\r\n', ...broken],
  ['RTSP/1.0', get('/v1/me').replace('HTTP/1.1', 'RTSP/1.0'), ...broken],
  ['RTSP/1.0 to a page', get('/account').replace('HTTP/1.1', 'RTSP/1.0'), ...broken],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', ...broken],
];

const bodies: Row[] = [
  ['JSON', post([JSON_TYPE]), ...read],
  ['JSON, named in capitals', post(['content-type: APPLICATION/JSON']), ...read],
  ['JSON that says UTF-8', post([`${JSON_TYPE}; charset="UTF-8"`]), ...read],
  ['JSON that says Latin-1', post([`${JSON_TYPE}; charset=iso-8859-1`]), ...media],
  ['JSON that says UTF-16', post([`${JSON_TYPE};x=1;charset=utf-16`]), ...media],
  // Shows request-17
  ['JSON, compressed', post([JSON_TYPE, 'content-encoding: gzip']), ...media],
  [
    'JSON that says, in another case, that it is not compressed',
    post([JSON_TYPE, 'content-encoding: Identity']),
    ...read,
  ],
  ['two media types', post([JSON_TYPE, JSON_TYPE]), ...media],
  // Shows request-17
  ['no media type', post([]), ...media],
  ['an empty media type', post(['content-type:']), ...media],
  // Shows request-15
  ['parts of a form', post([PARTS], parts('amount', '1')), ...read],
  // Shows request-15, request-17
  ['a file', post([PARTS], parts('a"; filename="b', '1')), ...media],
  // Shows request-15
  ['parts, one twice', post([PARTS], parts('a', '1').replace('--x--', '') + parts('a', '1')), ...broken],
  ['a part with a NUL', post([PARTS], parts('a', '\0')), ...broken],
  ['what is not made of parts', post([PARTS]), ...broken],
  ['parts that say UTF-16', post([`${PARTS}; charset=utf-16`], parts('a', '1')), ...media],
  ['nothing, in parts', post([PARTS], ''), ...read],
  // Shows request-16
  ['nothing, of a media type', post(['content-type: text/xml'], ''), ...read],
  // Shows request-16
  ['nothing, in a chunk', chunked([], '0\r\n\r\n'), ...read],
  ['nothing, in a chunk of a media type', chunked(['content-type: text/plain'], '0\r\n\r\n'), ...read],
  ['a chunk of no media type', chunked([], oneChunk('{}')), ...media],
  ['a chunk of another media type', chunked(['content-type: text/plain'], oneChunk('a=1')), ...media],
  ['bytes that are no UTF-8', post([JSON_TYPE], '{"note":"\u00e9"}'), ...broken],
  ['a byte order mark', post([JSON_TYPE, 'x: y'], '\u00ef\u00bb\u00bf{}'), ...broken],
  ['a chunk', chunked([JSON_TYPE], oneChunk('{}')), ...read],
  ['a chunk without length', chunked([JSON_TYPE], 'zz\r\n{}\r\n0\r\n\r\n'), ...broken],
  // Shows request-31
  ['a chunk of 70,000', chunked([JSON_TYPE], oneChunk('x'.repeat(70_000))), 413, 'payload_too_large'],
  ['a compressed chunk', gzipped, ...media],
  ['a compressed chunk for a page', gzipped.replace('/v1/payments', '/v1/oauth/access_token'), ...media],
  ['a compressed body', request('POST /v1/payments', [JSON_TYPE, 'transfer-encoding: gzip'], 'x'), ...media],
  ['a chunk and a length', chunked([JSON_TYPE, 'content-length: 2'], oneChunk('{}')), ...broken],
  ['two lengths', post([JSON_TYPE, 'content-length: 3']), ...broken],
  ['a negative length', request('POST /v1/payments', [JSON_TYPE, 'content-length: -2'], '{}'), ...broken],
  // Shows request-31
  ['a length beyond the largest', request('POST /v1/payments', ['content-length: 65537']), 413, 'payload_too_large'],
  ['a body of GET', get('/v1/me', [TOKEN, 'content-length: 0']), taken, null],
];

describe('requests as bytes', () => {
  const rows = Object.entries({ addresses, methods, headers, bodies }).flatMap(([about, table]) =>
    table.map(([name, ...row]) => [about, name, ...row] as const),
  );

  // Shows limit-1
  it.each(rows)(
    'given, of %s, %s, when it arrives, then it is answered so',
    async (_about, _name, bytes, ...outcome) => {
      const answer = await answerTo(gateway.url, Buffer.from(bytes, 'latin1'));
      const { status, code } = outcomeOf(answer);
      expect([status, code]).toEqual(outcome);
      expect(answer).toMatch(/\r\nx-request-id: [0-9a-f-]{36}\r\n/);
    },
  );

  // Shows request-44
  it('given HEAD, when it is answered, then as GET, without a body', async () => {
    const [head, whole] = await Promise.all([
      answerTo(gateway.url, request('HEAD /v1/me', [TOKEN])),
      answerTo(gateway.url, request('GET /v1/me', [TOKEN])),
    ]);
    const namesOf = (answer: string): string[] =>
      (answer.split('\r\n\r\n')[0] ?? '').split('\r\n').map((line) => line.split(':', 1)[0] ?? '');
    expect(namesOf(head)).toEqual(namesOf(whole));
    expect(head).toMatch(/content-length: \d{2,}[^]*\r\n\r\n$/);
  });
});
