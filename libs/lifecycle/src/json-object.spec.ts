import { isLosslessNumber } from 'lossless-json';
import { parseJsonObject } from './json-object.js';

const refused = expect.objectContaining({ code: 'invalid_request' }) as Error;

describe('JSON bodies', () => {
  it.each([
    ['an array', '[]'],
    ['a number', '1'],
    ['null', 'null'],
    ['text', '"x"'],
    ['nothing but blanks', ' '],
    ['a trailing comma', '{"a":1,}'],
    ['a key twice', '{"a":1,"a":2}'],
    ['a key twice with one value', '{"a":1,"a":1}'],
    ['a key twice, spelt otherwise, deep inside', String.raw`{"x":[{"a":"1","\u0061":"1"}]}`],
    ['a NUL in a text', String.raw`{"a":"\u0000"}`],
    ['a NUL in a key', String.raw`{"\u0000":1}`],
    ['17 levels', `${'{"a":'.repeat(17)}1${'}'.repeat(17)}`],
    ['257 keys', JSON.stringify(Object.fromEntries(Array.from({ length: 257 }, (_, index) => [`k${index}`, 1])))],
    ['thousands of levels', '['.repeat(60_000)],
    ['something after it', '{} x'],
  ])('given %s, when it is read, then it is refused', (_name, text) => {
    expect(() => parseJsonObject(text)).toThrow(refused);
  });

  it('given 16 levels and brackets inside text, when it is read, then it is accepted', () => {
    const sixteen = `${'{"a":'.repeat(15)}{}${'}'.repeat(15)}`;
    expect(parseJsonObject(sixteen)).toHaveProperty('a');
    expect(parseJsonObject(`{"a":"\\"${'['.repeat(99)}"}`)).toEqual({ a: `"${'['.repeat(99)}` });
  });

  it('given colons inside text and one key in two objects, when it is read, then it is accepted', () => {
    const value = { a: 'x: "y": z', b: [{ a: ':' }, { a: '' }], ['__proto__']: { a: null } };
    expect(Object.keys(parseJsonObject(JSON.stringify(value)))).toEqual(['a', 'b', '__proto__']);
  });

  it('given a number, when it is read, then its source text is there', () => {
    const { amount } = parseJsonObject('{"amount":0.10}');
    expect(isLosslessNumber(amount) && amount.value).toBe('0.10');
  });
});
