import fc from 'fast-check';
import { queryOf, readQuery, withParameters } from './query-parameters.js';
import { readScopes } from './scopes.js';

describe('query parameters', () => {
  it('given any names and values, when appended and read again, then they are the same', () => {
    const text = fc.string({ unit: 'grapheme' }).filter((value) => !value.includes('\0'));
    fc.assert(
      fc.property(
        text,
        fc.constantFrom('https://a.example/cb', 'https://a.example/cb?x=1', 'https://a.example/cb?'),
        (state, uri) => {
          const read = readQuery(queryOf(withParameters(uri, { state })));
          expect(read.get('state')).toEqual([state]);
        },
      ),
    );
  });

  it.each(['a=%', 'a=%zz', 'a=%ff', 'a=%00', '%c3=1'])('given %s, when read, then it is refused', (query) => {
    expect(() => readQuery(query)).toThrow(expect.objectContaining({ code: 'invalid_request' }) as Error);
  });

  it('given a parameter twice, when read, then both values are seen', () => {
    expect(readQuery('a=1&b=2&a=3').get('a')).toEqual(['1', '3']);
  });

  it('given an address with a query, when a parameter is appended, then what was there stays as it is', () => {
    expect(withParameters('https://a.example/cb?x=%7e', { state: 'a&b' })).toBe(
      'https://a.example/cb?x=%7e&state=a%26b',
    );
  });
});

describe('readScopes', () => {
  it.each([
    ['make_payments', ['make_payments']],
    ['access_email make_payments', ['make_payments', 'access_email']],
    ['access_email,make_payments', ['make_payments', 'access_email']],
    [' make_payments,  make_payments ', ['make_payments']],
    ['', null],
    [' , ', null],
    ['make_payments admin', null],
    ['MAKE_PAYMENTS', null],
  ])('given "%s", when read, then it is %j', (text, scopes) => {
    expect(readScopes(text)).toEqual(scopes);
  });
});
