import fc from 'fast-check';
import { normaliseEmail, parseEmail, parseUsPhone } from './index.js';

describe('phones', () => {
  it.each([
    ['4155550101', '+14155550101'],
    ['14155550101', '+14155550101'],
    ['+14155550101', '+14155550101'],
    ['+1 (415) 555-0101', '+14155550101'],
    ['(415) 555-0101', '+14155550101'],
    ['415.555.0101', '+14155550101'],
    ['1-415-555-0101', '+14155550101'],
    ['415–555–0101', '+14155550101'],
    ['(+1) 415 555 0101', '+14155550101'],
    ['  415 555 0101  ', '+14155550101'],
    ['15555555555', '+15555555555'],
    ['5552234567', '+15552234567'],
    ['2125551234', '+12125551234'],
  ])('given %s, when read, then it is %s', (text, expected) => {
    expect(parseUsPhone(text)).toBe(expected);
  });

  it.each([
    ['Canada', '4165550101'],
    ['Canada with its prefix', '+1 416 555 0101'],
    ['Jamaica', '8765550101'],
    ['an area code that begins with 1', '1155550101'],
    ['an area code that begins with 0', '0155550101'],
    ['an exchange that begins with 1', '4151550101'],
    ['an exchange that begins with 0', '4150550101'],
    ['nine digits', '415555010'],
    ['twelve digits', '141555501011'],
    ['eleven digits without the 1', '24155550101'],
    ['another country', '+44 20 7946 0958'],
    ['ten digits after a plus', '+4155550101'],
    ['a plus in the middle', '415+5550101'],
    ['letters', '415-555-CALL'],
    ['an extension', '4155550101 x5'],
    ['other digits', '٤١٥٥٥٥٠١٠١'],
    ['signs without digits', '----------'],
    ['nothing', ''],
  ])('given %s, when read, then it is no US number', (_what, text) => {
    expect(parseUsPhone(text)).toBeNull();
  });

  it('given what was read, when read again, then it stays the same', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[2-9][0-9]{2}[2-9][0-9]{6}$/), (national) => {
        const phone = parseUsPhone(national);
        if (phone !== null) expect(parseUsPhone(phone)).toBe(phone);
      }),
    );
  });
});

describe('e-mails', () => {
  it.each([
    ['alice@example.com', 'alice@example.com'],
    ['  Alice.O+tag@Mail.Example.CO.UK ', 'Alice.O+tag@Mail.Example.CO.UK'],
    ["o'neil_%-1@example.museum", "o'neil_%-1@example.museum"],
    ['zoë@example.com', 'zoë@example.com'],
    [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
    ['a@xn--bcher-kva.example', 'a@xn--bcher-kva.example'],
  ])('given %s, when read, then it is %s', (text, expected) => {
    expect(parseEmail(text)).toBe(expected);
  });

  it.each([
    ['no at', 'alice.example.com'],
    ['two ats', 'a@b@example.com'],
    ['no name', '@example.com'],
    ['no domain', 'alice@'],
    ['a domain of one label', 'alice@localhost'],
    ['a number as the last label', 'alice@10.0.0.1'],
    ['a label that ends with a hyphen', 'alice@example-.com'],
    ['a label of 64 characters', `alice@${'a'.repeat(64)}.com`],
    ['a blank within', 'al ice@example.com'],
    ['a dot at the start', '.alice@example.com'],
    ['a dot before the at', 'alice.@example.com'],
    ['two dots in a row', 'al..ice@example.com'],
    ['a NUL', 'al\0ice@example.com'],
    ['half a character', 'al\ud800ice@example.com'],
    ['a mark that turns the writing direction', 'al\u202eice@example.com'],
    ['a display name', 'Alice <alice@example.com>'],
    ['several', 'alice@example.com,bob@example.com'],
    ['65 characters before the at', `${'a'.repeat(65)}@example.com`],
    ['more than 254 characters', `alice@${'a.'.repeat(125)}example.com`],
    ['a line break within', 'alice@example.com\nbcc'],
    ['nothing', ''],
  ])('given %s, when read, then it is no e-mail address', (_what, text) => {
    expect(parseEmail(text)).toBeNull();
  });

  it('given two spellings that differ in case, when normalised, then they are equal', () => {
    fc.assert(
      fc.property(fc.emailAddress(), (email) => {
        expect(normaliseEmail(email.toUpperCase())).toBe(normaliseEmail(email));
      }),
    );
  });

  it('given a long hostile text, when read, then it takes no time', () => {
    const begin = performance.now();
    for (const text of [
      'a.'.repeat(50_000),
      `${'a'.repeat(50_000)}@`,
      `a@${'a-'.repeat(50_000)}`,
      `a@${'a.'.repeat(120)}`,
    ]) {
      expect(parseEmail(text)).toBeNull();
    }
    expect(performance.now() - begin).toBeLessThan(500);
  });
});
