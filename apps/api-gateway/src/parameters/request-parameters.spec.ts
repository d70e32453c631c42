import { LIMITS } from '@settle/config';
import fc from 'fast-check';
import { parseJsonObject } from '@settle/lifecycle';
import { joinParameters, parseForm, queryParameters } from './request-parameters.js';

const refused = expect.objectContaining({ code: 'invalid_request' }) as Error;

describe('forms and queries', () => {
  it('given any fields, when they are encoded and read, then they are the same', () => {
    const text = fc.string({ unit: 'grapheme' }).filter((value) => !value.includes('\0'));
    const fields = fc.dictionary(text, text);
    fc.assert(
      fc.property(fields, (sent) => {
        expect({ ...parseForm(new URLSearchParams(sent).toString()) }).toEqual({ ...sent });
      }),
    );
  });

  it.each([
    'a=1&a=2',
    'a&a',
    'a=1&%61=1',
    'a=%c0%af',
    'a=%ed%a0%80',
    'a=%f5%80%80%80',
    'a=%u0041',
    'a=%',
    'a=%zz',
    'a=%ff',
    'a=%00',
    '%e0%a4=1',
  ])('given %p, when it is read, then it is refused', (text) => {
    expect(() => parseForm(text)).toThrow(refused);
  });

  it('given a URL, when its query is read, then plus signs are spaces and names without value are empty', () => {
    expect({ ...queryParameters('/v1/me?a=b+c&d&&e=f=g') }).toEqual({ a: 'b c', d: '', e: 'f=g' });
    expect(queryParameters('/v1/me')).toEqual({});
  });

  it('given as many fields as may be, when they are read, then one more is refused', () => {
    const fields = Array.from({ length: LIMITS.gateway.parametersCount }, (_, index) => `p${index}=`).join('&');
    expect(Object.keys(parseForm(`&${fields}&`))).toHaveLength(LIMITS.gateway.parametersCount);
    expect(() => parseForm(`${fields}&more`)).toThrow(refused);
  });

  it.each(['/v1/me?a=\u00e9', '/v1/me?a=\u007f', '/v1/me#x', '/v1/me#x?a=b', '/v1/me?a=b#c', '/v1/m\u00e9'])(
    'given the URL %p, when its query is read, then it is refused',
    (url) => {
      expect(() => queryParameters(url)).toThrow(refused);
    },
  );

  it('given one name in query and body, when they are joined, then it is refused', () => {
    expect(() => joinParameters({ a: '1' }, { a: '1' })).toThrow(refused);
    expect(joinParameters({ a: '1' }, { b: '2' })).toEqual({ a: '1', b: '2' });
  });
});

describe('what a refusal says', () => {
  const messageOf = (read: () => unknown): string => {
    try {
      read();
    } catch (error) {
      return (error as Error).message;
    }
    return '';
  };

  it.each<[string, () => unknown, string]>([
    ['a field sent twice', () => parseForm('amount=1&amount=2'), 'amount'],
    ['a broken escape', () => parseForm('note=%zz'), 'note'],
    ['a NUL', () => parseForm('user_id=%00'), 'user_id'],
    ['a name in query and body', () => joinParameters({ access_token: '1' }, { access_token: '2' }), 'access_token'],
    ['a doubled JSON key', () => parseJsonObject('{"note":"{","amount":1,"amount":2}'), 'amount'],
    [
      'a doubled JSON key with one value',
      () => parseJsonObject('{"a":{"amount":"x"},"note":1,"no\\u0074e":1}'),
      'note',
    ],
    ['a NUL in JSON', () => parseJsonObject('{"note":["\\u0000"]}'), 'note'],
  ])('given %s, when it is refused, then the message names the parameter', (_name, read, parameter) => {
    expect(messageOf(read)).toMatch(new RegExp(`^${parameter} `));
  });

  it.each(['qVmM3jUq1o0b8k7cJ2yZ5sWd4xTn6pLhRgEiAfBvKwU', 'demo-secret', 'alice@example.com', '+14155550101'])(
    'given %s where a name should be, when it is refused, then the message does not repeat it',
    (secret) => {
      const name = encodeURIComponent(secret);
      for (const text of [`${name}=1&${name}=2`, `${name}=%zz`, `a=${name}%00`]) {
        expect(messageOf(() => parseForm(text))).toMatch(/^A parameter |^a /);
      }
      expect(messageOf(() => parseJsonObject(`{"${secret}":1,"${secret}":2}`))).toMatch(/^A parameter /);
    },
  );
});
