import { plainToInstance } from 'class-transformer';
import { Equals, IsBoolean, IsOptional, validateSync } from 'class-validator';
import fc from 'fast-check';
import { compileValidators } from './compile-validators.js';
import { CreatePayment } from './payments.commands.js';

const good: CreatePayment = {
  commandId: '7d5c0a3e-1b0f-4c36-9f4d-3a1c1d2e3f40',
  paymentId: '2235512159893587595',
  appId: 'demo-app',
  actorId: '1852942301724180481',
  target: { type: 'user', value: '1852942305918484482' },
  action: 'pay',
  amountCents: 500,
  note: 'Coffee',
  audience: null,
  medium: 'api',
  environment: 'live',
  beginBeforeMs: 1_795_000_000_000,
};

const isAccepted = compileValidators(CreatePayment);
const acceptedByValidators = (payload: object): boolean =>
  validateSync(plainToInstance(CreatePayment, payload), { forbidUnknownValues: true }).length === 0;

const idempotency = { key: 'order-7', requestHash: '0f'.repeat(32) };

/** Invalid values of a field: near misses and garbage. */
const strange = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    'a\0',
    'a\nb',
    'a\u0085',
    '\ud83c',
    '0',
    '-1',
    'user',
    'pay',
    'live',
    '\uFE0F',
    'x'.repeat(65),
    'x'.repeat(321),
    '1'.repeat(20),
  ),
  fc.constantFrom<unknown>(null, undefined, 0, 1, -1, 1.5, 2 ** 53, Number.NaN, true, [], {}, [good.target]),
  fc.record(
    {
      key: fc.constantFrom<unknown>('', 'a b', 'é', '~', 'k'.repeat(255), 'k'.repeat(256), 7),
      requestHash: fc.constantFrom<unknown>(idempotency.requestHash, 'F'.repeat(64), 'a'.repeat(63), null),
    },
    { requiredKeys: [] },
  ),
  fc.record({ type: fc.constantFrom('user', 'email', 'x', 1), value: fc.oneof(fc.string(), fc.integer()) }),
  fc.string(),
  fc.uuid(),
);

const changed = fc
  .array(fc.tuple(fc.constantFrom(...Object.keys(good), 'idempotency', 'appAmountPerDayCents'), strange), {
    maxLength: 3,
  })
  .map((changes) => ({ ...good, ...Object.fromEntries(changes) }));

describe('the compiled validators of CreatePayment', () => {
  it('given a good command, when checked, then it is accepted, so that the validators need not run', () => {
    expect(isAccepted(good)).toBe(true);
    expect(isAccepted({ ...good, audience: 'friends', note: '\u{1F355}', action: 'charge' })).toBe(true);
    expect(isAccepted({ ...good, target: { type: 'email', value: 'a@b.example' } })).toBe(true);
    expect(isAccepted({ ...good, idempotency })).toBe(true);
    expect(isAccepted({ ...good, appAmountPerDayCents: 2_000 })).toBe(true);
  });

  it('given any payload, when it is accepted, then the validators accept it too', () => {
    let accepted = 0;
    fc.assert(
      fc.property(changed, (payload) => {
        if (!isAccepted(payload)) return true;
        accepted += 1;
        return acceptedByValidators(payload);
      }),
      { numRuns: 5_000 },
    );
    expect(accepted).toBeGreaterThan(100);
  });
});

class Odd {
  @IsOptional()
  @Equals('x', { validateIf: (odd: Odd) => odd.isStrict })
  text?: string;

  @IsBoolean()
  isStrict: boolean;
}

class Unvalidated {
  text: string;
}

describe('compiled validators', () => {
  it('given an option of a decorator that is not compiled, when checked, then the payload is left to the validators', () => {
    expect(compileValidators(Odd)({ text: 'x', isStrict: true })).toBe(false);
    expect(compileValidators(Odd)({ isStrict: true })).toBe(true);
  });

  it('given a class without validators, when checked, then no payload is accepted', () => {
    expect(compileValidators(Unvalidated)({ text: 'x' })).toBe(false);
  });
});
