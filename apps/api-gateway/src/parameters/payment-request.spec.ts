import { SettleError } from '@settle/contracts';
import fc from 'fast-check';
import { LosslessNumber } from 'lossless-json';
import { readParameters } from './parameter-table.js';
import { ACTION_PARAMETERS, paymentParameters, readPaymentRequest } from './payment-request.js';
import type { RequestParameters } from './request-parameters.js';

const TABLE = paymentParameters(299_999);
const RUNS = 1_000;

/** Values that a careless or hostile caller may send in any place. */
const anything = fc.oneof(
  fc.constantFrom<unknown>(undefined, null, '', ' ', true, 0, [], ['x'], {}, new LosslessNumber('1')),
  fc.string({ unit: 'binary', maxLength: 300 }),
);
const likely = (...values: unknown[]): fc.Arbitrary<unknown> => fc.oneof(fc.constantFrom(...values), anything);

const paymentParametersSent = fc.record(
  {
    user_id: likely('1852942301724180481', new LosslessNumber('1852942301724180481'), '7'),
    email: likely('bob@example.com', 'bob'),
    phone: likely('415 555 0101', '416 555 0101'),
    note: likely('lunch', 'x'.repeat(281)),
    amount: likely('1.50', '-0.01', '0', '3000', new LosslessNumber('0.10'), new LosslessNumber('1e2')),
    audience: likely('public', 'friends', 'private', 'unknown'),
    access_token: likely('x'),
  },
  { requiredKeys: [] },
);

/** Mostly good requests, so that the accepted side is tried as often as the refused one. */
const nearlyGood = paymentParametersSent.map(({ user_id, email, phone, ...rest }) => ({
  note: 'lunch',
  amount: '1.50',
  ...rest,
  ...(user_id === undefined ? (email === undefined ? { phone } : { email }) : { user_id }),
}));

function refusal(read: () => unknown): { code: string; message: string } | null {
  try {
    read();
    return null;
  } catch (error) {
    if (!(error instanceof SettleError)) throw error;
    return { code: error.code, message: error.message };
  }
}

describe('the parameters of POST and PUT', () => {
  it('given any parameters of a payment, when they are read, then they are accepted or refused with the code of their fault', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.oneof(paymentParametersSent, nearlyGood), (parameters: RequestParameters) => {
        seen.add(refusal(() => readPaymentRequest(parameters, TABLE))?.code ?? 'accepted');
      }),
      { numRuns: RUNS },
    );
    const codes = ['missing_parameter', 'invalid_target', 'invalid_email', 'invalid_phone'];
    expect([...seen].toSorted()).toEqual(
      ['accepted', ...codes, 'invalid_note', 'invalid_amount', 'invalid_audience'].toSorted(),
    );
  });

  it('given any action, when it is read, then it is one of three or refused with the code of its fault', () => {
    const parameters = fc.record({ action: likely('approve', 'deny', 'cancel', 'Approve') }, { requiredKeys: [] });
    fc.assert(
      fc.property(parameters, (sent) => {
        const isBlank = ['', null, undefined].includes(sent.action as string);
        const isAction = ['approve', 'deny', 'cancel'].includes(sent.action as string);
        const fault = isAction ? undefined : isBlank ? 'missing_parameter' : 'invalid_action';
        expect(refusal(() => readParameters(sent, ACTION_PARAMETERS))?.code).toBe(fault);
      }),
      { numRuns: RUNS },
    );
  });

  it('given a charge, when it is read, then the sign has become the action', () => {
    const parameters = { email: ' Bob@example.com', note: ' hi ', amount: '-1.5', audience: 'public', extra: 'x' };
    expect(readPaymentRequest(parameters, TABLE)).toEqual({
      target: { type: 'email', value: 'Bob@example.com' },
      note: 'hi',
      amountCents: 150,
      action: 'charge',
      audience: 'public',
    });
  });

  it.each<[RequestParameters, string]>([
    [{ note: 'x', amount: '1' }, 'missing_parameter'],
    [{ user_id: '', email: '', note: 'x', amount: '1' }, 'missing_parameter'],
    [{ user_id: '1', email: 'a@b.co', note: 'x', amount: '1' }, 'invalid_target'],
    [{ email: 'a@b.co', note: '', amount: '1' }, 'missing_parameter'],
    [{ email: 'a@b.co', note: 'x' }, 'missing_parameter'],
    [{ email: 'a@b.co', note: 'x', amount: null }, 'missing_parameter'],
    [{ email: 'a@b.co', note: 'x', amount: '1', audience: ' ' }, 'invalid_audience'],
  ])('given %p, when it is read, then it is refused as %s', (parameters, code) => {
    expect(refusal(() => readPaymentRequest(parameters, TABLE))?.code).toBe(code);
  });
});
