import type { Chapter } from './chapter.js';
import * as by from './specs.js';

const noUserId = (...cases: string[]) =>
  by.idsAndWords('user_id > given %p, when it is sent, then it is refused', ...cases);
const target = (...cases: string[]) => by.refusals('when paying and $why, then $code', ...cases);
const amount = (...cases: string[]) => by.amounts('given %s, when it is sent, then %s is printed', ...cases);
const noAmount = (...cases: string[]) => by.amounts('given the text %p, when it is sent, then it is refused', ...cases);
const noNumber = (...cases: string[]) =>
  by.amounts('given the number %s, when it is sent, then it is refused', ...cases);
const phone = (...cases: string[]) =>
  by.parameters('phone > given %p, when it is sent, then it is one number', ...cases);
const noPhone = (...cases: string[]) =>
  by.parameters('phone > given %p, when it is sent, then it is refused', ...cases);
const note = (...cases: string[]) =>
  by.parameters('note > given %p, when it is sent, then it is kept as trimmed', ...cases);
const noNote = (...cases: string[]) => by.parameters('note > given %p, when it is sent, then it is refused', ...cases);
const date = (...cases: string[]) => by.parameters('given %s, when a list is asked for, then it comes', ...cases);
const noDate = (...cases: string[]) =>
  by.parameters('given %p, when a list is asked for, then it is refused', ...cases);
const query = (...cases: string[]) => by.refusals('when $path is asked with $query, then $code', ...cases);

export const PARAMETERS: Chapter = {
  title: 'What parameters may be',
  rows: {
    '`user_id`, `email`, `phone`: exactly one; none: 400 `missing_parameter`': target('there is no target'),
    'two of them: 400 `invalid_target`': target('there are two targets'),
    'a `user_id` of nobody: 404 `resource_not_found`': target('nobody has that user id'),
    '`user_id`: an id, as text or as a JSON number': by.idsAndWords(
      'given somebody’s, as text or as a JSON number, when it is sent, then it is theirs',
    ),
    '`user_id` that is no id: 400 `invalid_target`': noUserId("'1e18'", "'9223372036854775808'"),
    '`phone`: any spelling of a US number, with or without country code': phone('+1 (415) 555-0177', '4155550177'),
    '`phone`: a JSON number counts by its digits': by.parameters(
      'given a JSON number, when it is sent, then its digits count',
    ),
    '`phone`: area code and exchange begin with 2 to 9': noPhone("'1155550177'", "'4150550177'"),
    '`phone`: numbers of other countries of +1 are refused: 400 `invalid_phone`': noPhone(
      "'4165550123'",
      "'8765550123'",
    ),
    '`phone`: too short, too long, words, other countries: 400 `invalid_phone`': noPhone(
      "'911'",
      '+442071838750',
      '415-555-CALL',
    ),
    '`phone`: area code 555 is taken': by.parameters('given area code 555, when it is sent, then it is taken'),
    '`phone`: shown as E.164': phone("phone: '+14155550177'"),
    '`phone`: somebody’s, however spelt, is that person': by.parameters(
      'given a number that somebody has proven, however it is spelt, when it is sent, then it is theirs',
    ),
    '`email`: trimmed and compared without case': by.parameters(
      'given %p, which is somebody’s, when it is sent, then it is theirs',
      ' Bob@Example.COM ',
    ),
    '`email`: shown as given': by.parameters('given nobody’s, when it is sent, then it is shown as given'),
    '`email` that is none: 400 `invalid_email`': by.parameters('email > given %p, when it is sent, then it is refused'),
    '`amount`: a decimal of at most two fraction digits that are not zero': [amount("'0.100000'"), noNumber("'0.001'")],
    '`amount`: form text, JSON string or JSON number, all the same': amount('JSON number'),
    '`amount`: a JSON number is judged by its text': noNumber('0.30000000000000004'),
    '`amount`: not zero, however written': noNumber("'-0'", "'0.00'"),
    '`amount`: at most 2,999.99 either way': [amount("'2999.99'", "'-2999.99'"), noNumber("'3000'", "'-3000.00'")],
    '`MAX_AMOUNT` sets the largest': by.settings(
      'given an amount above the maximum, then it is refused; at the maximum it is paid',
    ),
    '`amount`: no exponent': noNumber("'1e2'", "'1E-2'", "'1e400'"),
    '`amount`: no other spelling: 400 `invalid_amount`': noAmount(
      "'.5'",
      "'1.'",
      "'01'",
      "'+1'",
      '0x10',
      '1,00',
      'NaN',
    ),
    '`amount`: no other alphabet, no blank, no sign of money': noAmount("'１'", "' 1'", "'$1'"),
    '`amount`: nothing is rounded': [
      noNumber("'1.005'", "'0.999'"),
      by.amounts('given 0.1 and then 0.2, when they are paid, then the balance moves by exactly 0.30'),
    ],
    '`amount`: other JSON values: 400 `invalid_amount`': by.amounts(
      'given the JSON %s, when it is sent, then it is refused',
    ),
    '`amount` twice: 400 `invalid_request`': by.amounts('given %s, when it is sent, then the request cannot be read'),
    '`amount`: 100,000 digits take no time': [
      by.amounts('given the text %p, when it is sent, then it is refused', "'9'.repeat(60_000)"),
      by.parameterRules(
        'given an amount of 100,000 digits, when it is read, then it takes no longer than a short one could',
      ),
    ],
    '`note`: 1 to 280 Unicode code points after trimming': [
      note("'😀'.repeat(280)"),
      noNote("'😀'.repeat(281)", "'   '"),
    ],
    '`note`: returned as trimmed, byte for byte': note("['  hi  ', 'hi']", '<b>&amp;</b>'),
    '`note`: CR LF becomes LF': note('a\\r\\nb\\nc'),
    '`note`: other control characters: 400 `invalid_note`': noNote("'\\t'", "'\\u001b'", "'\\u0085'"),
    '`note`: characters that turn text around (U+202A to U+202E, U+2066 to U+2069): 400 `invalid_note`': noNote(
      "'\\u202a'",
      "'\\u2069'",
    ),
    '`note`: missing: 400 `missing_parameter`': target('there is no note'),
    '`amount`: missing: 400 `missing_parameter`': target('there is no amount'),
    '`audience`: public, friends or private; else 400 `invalid_audience`': [
      by.shapes('given no audience, then it is private; given one, then it is that'),
      target('the audience is unknown'),
    ],
    '`audience`: compared without regard to case': by.idsAndWords(
      'audience > given %s, when it is sent, then it counts in small letters',
    ),
    '`audience`: empty counts as omitted': by.idsAndWords(
      'audience > given nothing in it, when it is sent, then it is as if it had not been',
    ),
    '`audience`: no blanks, no other words': by.idsAndWords(
      'audience > given %p, when it is sent, then it is refused',
      "'PUBLIC'",
    ),
    '`audience` omitted: private, until the user changes the default': by.shapes(
      'given no audience, then it is private; given one, then it is that',
    ),
    '`audience` opens a payment to nobody': by.refusals(
      'when a payment is not the reader’s, then the answer is that of an id that does not exist',
    ),
    '`limit`: above 50 counts as 50': by.lists(
      'given the limit $limit, then $shown are shown and next asks for as many',
      'limit: 51',
      'limit: 100_000',
    ),
    '`limit`: 0 and the empty text count as absent': by.friendLists(
      'given the limit %p, when friends are asked for, then %i are shown, ascending by id',
      '[0, 20]',
      "['', 20]",
    ),
    '`offset` of friends: so many entries are left out first': [
      by.friendLists(
        'given an offset, when friends are asked for, then so many are left out, and next goes on after the page',
      ),
      by.friendLists('given the offset %p, when friends are asked for, then it is refused'),
    ],
    '`limit`: anything but a whole number: 400 `invalid_limit`': [
      by.idsAndWords('given the limit %p, when a list is asked for, then it is refused', "'1e1'", "'５'"),
      by.refusals('when the friends list is asked with a bad limit, then invalid_limit'),
    ],
    '`before`, `after` of payments: ISO 8601 with or without `Z`, fraction, time': date(
      'T10:00:00Z',
      'T10:00:00.123456Z',
    ),
    '`before`, `after`: an offset; a plus sign that was not escaped is one too': date(
      'T10:00:00+00:00',
      'T10:00:00 00:00',
    ),
    '`before`, `after`: UTC where no offset is written': by.parameters(
      'given no offset, when it is read, then it is UTC',
    ),
    '`before`, `after`: year 0001': date('0001-01-01'),
    '`before`, `after`: both exclusive': [
      by.lists('given after and before, then both are exclusive'),
      by.isoDate('given parts of a microsecond, when it is read, then what is strictly before or after stays so'),
    ],
    '`before`, `after`: words, numbers, days that are none: 400 `invalid_date`': noDate(
      'yesterday',
      '2026-13-01',
      '2026-02-30',
      '20260131',
      '1769817600',
    ),
    '`status`: an unknown one: 400 `invalid_status`': query('settled,done'),
    '`action` of GET /payments: an unknown one: 400 `invalid_action`': query("action: 'refund'"),
    '`actor`, `before_id`, and `before`, `after` of friends that are no ids: 400 `invalid_request`': by.idsAndWords(
      'given %p where a query has an id, when it is asked for, then it is refused',
    ),
    'an id in a path that is none: 404 `resource_not_found`': by.idsAndWords(
      'given %p where a path has an id, when it is asked for, then nothing is there',
    ),
    '`action` of PUT: an unknown one: 400 `invalid_action`; none: 400 `missing_parameter`': by.refusals(
      'when a PUT names no action or an unknown one, then it is refused',
    ),
  },
};
