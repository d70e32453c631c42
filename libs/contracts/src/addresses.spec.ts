import fc from 'fast-check';
import { normalizeEmail, parseEmail, parseEmailOnFile, parseUsPhone } from './index.js';

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
    ['the Kelvin sign before the at', 'mi\u212ae@example.com'],
    ['the Kelvin sign in the domain', 'mike@ban\u212a.example'],
    ['a long s in the domain', 'mike@\u017fite.example'],
    ['a long s before the at', '\u017fue@example.com'],
    ['a capital i with a dot', '\u0130da@example.com'],
    ['a small i without a dot', '\u0131da@example.com'],
    ['a sharp s, which folds to ss', 'stra\u00dfe@example.com'],
    ['a ligature', '\ufb01n@example.com'],
    ['a final sigma', '\u03bd\u03af\u03ba\u03bf\u03c2@example.com'],
    ['a full-width letter', '\uff41lice@example.com'],
    ['a capital letter beyond ASCII', 'ZO\u00cb@example.com'],
    ['a letter and its accent apart', 'zoe\u0308@example.com'],
    ['nothing', ''],
  ])('given %s, when read, then it is no e-mail address', (_what, text) => {
    expect(parseEmail(text)).toBeNull();
  });

  it('given two spellings that differ in case, when normalized, then they are equal', () => {
    fc.assert(
      fc.property(fc.emailAddress(), (email) => {
        expect(normalizeEmail(email.toUpperCase())).toBe(normalizeEmail(email));
      }),
    );
  });

  it('given any character beyond ASCII, when addresses are normalized, then none becomes equal to another address', () => {
    for (let code = 0x80; code <= 0x10_ff_ff; code += 1) {
      const letter = String.fromCodePoint(code);
      const address = `a${letter}@example.com`;
      if (normalizeEmail(address) !== address) throw new Error(`U+${code.toString(16)} is folded`);
      if (parseEmail(address) === null) continue;
      const folded = [letter.toLowerCase(), letter.toUpperCase().toLowerCase(), letter.normalize('NFKC').toLowerCase()];
      if (folded.some((form) => form !== letter)) throw new Error(`U+${code.toString(16)} is accepted`);
    }
  });

  it.each(['mi\u212ae@example.com', 'stra\u00dfe@example.com', 'ZO\u00cb@example.com', 'zo\u00eb@example.com'])(
    'given %s, which older rules accepted, when it is looked up, then it is read as it is',
    (email) => expect(parseEmailOnFile(` ${email} `)).toBe(email),
  );

  it.each(['mike', 'mi ke@example.com', 'a@b@example.com', 'mike@', 'mike\0@example.com'])(
    'given %j, when it is looked up, then it is no e-mail address',
    (text) => expect(parseEmailOnFile(text)).toBeNull(),
  );

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
