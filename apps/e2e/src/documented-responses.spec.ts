import { expectDocumented, type ObservedResponse } from './documented-responses.js';

const REQUEST_ID = 'a4f5ee9f-2b1c-4a39-9d5f-1f6e0f9f7c11';
const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store, private',
  'x-request-id': REQUEST_ID,
  'x-content-type-options': 'nosniff',
};

interface Given extends Partial<Omit<ObservedResponse, 'url' | 'headers'>> {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Checks the response of GET /payments without payments, changed by the given parts. */
const told = ({ path = '/v1/payments', headers = {}, body, ...others }: Given = {}) => {
  const sent = new Headers({ ...HEADERS, ...headers });
  for (const [name, value] of Object.entries(headers)) if (value === '') sent.delete(name);
  const text = JSON.stringify(body ?? { pagination: { next: null }, data: [] });
  const url = `http://localhost:3000${path}`;
  return () => expectDocumented({ method: 'GET', url, status: 200, text, headers: sent, ...others });
};
const refusal = (code: string) => ({ error: { message: 'Why.', code } });
const challenge = { 'www-authenticate': 'Bearer' };

describe('a documented response', () => {
  it.each<[string, Given]>([
    ['a page', {}],
    ['a rate limit header', { headers: { 'ratelimit-remaining': '0' } }],
    ['an error', { status: 401, headers: challenge, body: refusal('missing_token') }],
    ['a HEAD', { method: 'HEAD', text: '' }],
    ['an OPTIONS', { method: 'OPTIONS', status: 204, text: '', headers: { 'content-type': '' } }],
    [
      'an unsupported method',
      { method: 'PATCH', status: 405, headers: { allow: 'GET, POST' }, body: refusal('method_not_allowed') },
    ],
    ['an unknown path', { path: '/nowhere', status: 404, body: refusal('resource_not_found') }],
    ['an HTML page', { path: '/v1/oauth/sign-in', text: '<p>', headers: { 'content-type': 'text/html' } }],
  ])('given %s, when it is checked, then it passes', (_, given) => {
    expect(told(given)).not.toThrow();
  });
});

describe('an undocumented response', () => {
  it.each<[string, Given, string]>([
    ['another status', { status: 201 }, 'undocumented status'],
    ['another key', { body: { pagination: { next: null }, data: [], more: 1 } }, 'additional properties'],
    ['a missing key', { body: { data: [] } }, "required property 'pagination'"],
    ['another code', { status: 401, headers: challenge, body: refusal('invalid_client') }, 'allowed values'],
    ['a missing header', { headers: { 'x-request-id': '' } }, 'lacks the header X-Request-Id'],
    ['a 401 without a challenge', { status: 401, body: refusal('missing_token') }, 'WWW-Authenticate'],
    ['a header of another type', { headers: { 'ratelimit-remaining': 'few' } }, 'must be integer'],
    ['another header', { headers: { 'x-powered-by': 'x' } }, 'undocumented headers x-powered-by'],
    ['another media type', { headers: { 'content-type': 'text/plain' } }, 'undocumented media type'],
    ['data at an unknown path', { path: '/nowhere' }, 'is not documented'],
    ['data for an unsupported method', { method: 'DELETE' }, 'is not documented'],
  ])('given %s, when it is checked, then it fails', (_, given, why) => {
    expect(told(given)).toThrow(why);
  });

  const party = {
    id: '1852942301724180481',
    username: 'alice',
    first_name: 'Alice',
    last_name: 'Archer',
    display_name: 'Alice Archer',
    about: '',
    profile_picture_url: 'http://localhost:3000/pictures/AA.svg',
    date_joined: '2026-01-31T10:00:00.000000Z',
  };
  const payment = {
    id: '2235351801266466090',
    status: 'pending',
    action: 'charge',
    amount: -0.29,
    note: 'x',
    audience: 'private',
    date_created: '2026-01-31T10:00:00.000000Z',
    date_completed: null as string | null,
    actor: party,
    target: { type: 'email', email: 'x@example.com' as string | null, phone: null, user: null as object | null },
  };
  const listing = (change: Partial<typeof payment>) =>
    told({ body: { pagination: { next: null }, data: [{ ...payment, ...change }] } });

  it('given a payment that fits the schema, when it is checked, then it passes', () => {
    expect(listing({})).not.toThrow();
    expect(
      listing({ action: 'pay', amount: 2_999.99, status: 'settled', date_completed: payment.date_created }),
    ).not.toThrow();
  });

  it.each<[string, Partial<typeof payment>]>([
    ['a charge of a positive amount', { amount: 0.29 }],
    ['a pay of a negative amount', { action: 'pay' }],
    ['three decimals', { amount: -0.291 }],
    ['date_completed while it is pending', { date_completed: payment.date_created }],
    ['no date_completed when it is settled', { status: 'settled' }],
    ['two targets', { target: { ...payment.target, user: party } }],
    ['no target', { target: { ...payment.target, email: null } }],
    ['a time without microseconds', { date_created: '2026-01-31T10:00:00Z' }],
    ['a malformed id', { id: '7' }],
  ])('given a payment with %s, when it is checked, then it fails', (_, change) => {
    expect(listing(change)).toThrow('does not fit');
  });
});
