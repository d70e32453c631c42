import fc from 'fast-check';
import { extractQuery, parseQuery, appendParameters } from './query-parameters.js';
import { parseScopes } from '../oauth/scopes.js';

describe('query parameters', () => {
  it('given any value, when appended to a URI and parsed again, then it is unchanged', () => {
    const text = fc.string({ unit: 'grapheme' }).filter((value) => !value.includes('\0'));
    fc.assert(
      fc.property(
        text,
        fc.constantFrom('https://a.example/cb', 'https://a.example/cb?x=1', 'https://a.example/cb?'),
        (state, uri) => {
          const read = parseQuery(extractQuery(appendParameters(uri, { state })));
          expect(read.get('state')).toEqual([state]);
        },
      ),
    );
  });

  it.each(['a=%', 'a=%zz', 'a=%ff', 'a=%00', '%c3=1'])('given %s, when parsed, then it is rejected', (query) => {
    expect(() => parseQuery(query)).toThrow(expect.objectContaining({ code: 'invalid_request' }) as Error);
  });

  it('given a repeated parameter, when parsed, then it has both values', () => {
    expect(parseQuery('a=1&b=2&a=3').get('a')).toEqual(['1', '3']);
  });

  it('given a URI with a query, when a parameter is appended, then the rest stays unchanged', () => {
    expect(appendParameters('https://a.example/cb?x=%7e', { state: 'a&b' })).toBe(
      'https://a.example/cb?x=%7e&state=a%26b',
    );
  });
});

describe('parseScopes', () => {
  it.each([
    ['make_payments', ['make_payments']],
    ['access_email make_payments', ['make_payments', 'access_email']],
    ['access_email,make_payments', ['make_payments', 'access_email']],
    [' make_payments,  make_payments ', ['make_payments']],
    ['', null],
    [' , ', null],
    ['make_payments admin', null],
    ['MAKE_PAYMENTS', null],
  ])('given "%s", when parsed, then it is %j', (text, scopes) => {
    expect(parseScopes(text)).toEqual(scopes);
  });
});
