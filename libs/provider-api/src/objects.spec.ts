import fc from 'fast-check';
import { MAX_BODY_BYTES } from './fields.js';
import { CHANGES_PER_PAGE, parseChange, parseChanges, parseCharge, parsePayout, parseSource } from './objects.js';
import { parseChargeRequest, parseSourceRequest, timeOfUs } from './requests.js';

const charge = {
  key: 'p1:u1:1',
  id: 'ch_1',
  kind: 'charge',
  state: 'approved',
  amount: 2_500,
  currency: 'USD',
  version: 3,
  created_at: '2026-01-02T03:04:05Z',
  updated_at: '2026-01-02T03:04:05.678901Z',
  code: null,
  next_action: null,
  live: false,
};

describe('objects of the provider', () => {
  it('given a charge with further fields, when it is parsed, then the known fields are returned', () => {
    expect(parseCharge({ ...charge, message: 'from the bank' })).toEqual(charge);
  });

  it.each(Object.keys(charge))('given a charge without %s, when it is parsed, then it is refused', (field) => {
    expect(parseCharge({ ...charge, [field]: undefined })).toBeNull();
    expect(parseCharge(Object.fromEntries(Object.entries(charge).filter(([name]) => name !== field)))).toBeNull();
  });

  it.each([
    ['another kind', { kind: 'payout' }],
    ['an unknown state', { state: 'succeeded' }],
    ['an unknown code', { code: 'do_not_honor' }],
    ['an amount as a text', { amount: '2500' }],
    ['an amount with a fraction', { amount: 0.5 }],
    ['a negative amount', { amount: -1 }],
    ['an amount beyond all bounds', { amount: 1e15 }],
    ['a currency in lower case', { currency: 'usd' }],
    ['version 0', { version: 0 }],
    ['an id that is too long', { id: 'x'.repeat(101) }],
    ['an id with a slash', { id: 'a/b' }],
    ['an id that is the folder above', { id: '..' }],
    ['an id with a line break at the end', { id: 'a\n' }],
    ['a time without a zone', { updated_at: '2026-01-02T03:04:05' }],
    ['a page that is no web address', { next_action: { url: 'javascript:alert(1)', expires_at: charge.created_at } }],
  ])('given a charge with %s, when it is parsed, then it is refused', (_, changed) => {
    expect(parseCharge({ ...charge, ...changed })).toBeNull();
  });

  it('given any JSON value, when it is parsed, then it never throws and is refused', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(
          [parseCharge, parsePayout, parseSource, parseChanges, parseChargeRequest].map((one) => one(value)),
        ).toEqual([null, null, null, null, null]);
      }),
    );
  });

  it('given a page of changes with the longest values, when it is written, then it fits into an answer', () => {
    const change = {
      kind: 'repayment',
      key: 'k'.repeat(200),
      version: Number.MAX_SAFE_INTEGER,
      changed_at: '2026-01-02T03:04:05.678901Z',
    };
    expect(parseChange(change)).toEqual(change);
    const page = { changes: new Array(CHANGES_PER_PAGE).fill(change), cursor: 'c'.repeat(200) };
    expect(parseChanges(page)).toEqual(page);
    expect(JSON.stringify(page).length).toBeLessThanOrEqual(MAX_BODY_BYTES);
    expect(parseChanges({ ...page, changes: [...page.changes, change] })).toBeNull();
  });

  it('given requests, when they are parsed, then nothing is charged of zero cents, and names may be in any script', () => {
    const request = {
      key: 'p1:u1:1',
      user: 'u1',
      source_key: 's1',
      amount: 1,
      currency: 'USD',
      begin_before: timeOfUs(1_800_000_000_123_456),
    };
    expect(parseChargeRequest(request)).toEqual({ ...request, begin_before: '2027-01-15T08:00:00.123Z' });
    expect(parseChargeRequest({ ...request, amount: 0 })).toBeNull();
    const source = {
      key: 's1',
      user: 'u1',
      owner_name: 'Zoë 王',
      wants_charges: true,
      wants_payouts: false,
      return_url: 'https://pay.example.com/account/funding',
    };
    expect(parseSourceRequest(source)).toEqual(source);
    expect(parseSourceRequest({ ...source, owner_name: 'a\nb' })).toBeNull();
  });
});
